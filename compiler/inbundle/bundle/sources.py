"""The text files of a bundle: C translation unit, example application, Makefile with its targets, engine sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inbundle import __version__
from inbundle.bundle import target_data
from inbundle.bundle.error_codes import ERRORS, KERNEL_ERROR, OTHER_ERROR, THREADS_ERROR
from inbundle.bundle.layout import Layout
from inbundle.bundle.parts import BundleParts
from inbundle.bundle.target_data import Target
from inbundle.bundle.targets import common_flags, cross_compiler, is_bare_metal, machine_flags
from inbundle.graph.types import ElemKind
from inbundle.ir.function import WeightVar
from inbundle.ir.memory import ALIGNMENT
from inbundle.nets.c_text import c_string
from inbundle.nets.tokens import READY
from inbundle.options import CompileOptions
from inbundle.rendering import render
from inbundle.resources import engine, templates

# The value agent of nets whose inputs and outputs are interface names.
_VALUE = "Concrete"


# --- NAME.c ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Elements:
    """The floats of a placeholder as interface slots, from `slot` on."""

    slot: int
    elements: int
    offset: int


def translation_unit(parts: BundleParts, layout: Layout) -> str:
    """The text of NAME.c."""
    agents = [agent.name for agent in parts.program.agents]
    waits = READY.name in agents
    value = READY.name if waits else _VALUE
    agent = agents.index(value) if value in agents else 0  # where no tensor has elements, nothing is put or got
    inputs = len(parts.program.inputs)
    return render(
        "bundle.c.j2",
        version=__version__,
        network=parts.network,
        entry=parts.entry,
        api=parts.options.bundle_api,
        alignment=ALIGNMENT,
        word_bits=parts.toolchain.word_bytes * 8,
        limits=parts.limits,
        runs_alone=parts.runs_alone,
        layout=layout,
        rules_source=parts.rules_source,
        errors=ERRORS,
        kernel_error=KERNEL_ERROR,
        threads_error=THREADS_ERROR,
        is_profiled=parts.options.profile_kernels,
        tasks=parts.kernels,
        c_string=c_string,
        waits=waits,
        agent=f"{agent}u",
        puts=_elements(parts, parts.function.inputs, 0) if inputs else [],
        gets=[] if waits else _elements(parts, parts.function.outputs, inputs),
    )


def _elements(parts: BundleParts, variables: Sequence[WeightVar], first: int) -> list[Elements]:
    """The float placeholders, which take one slot per element; what nothing reads has slots, but no place."""
    found: list[Elements] = []
    for variable in variables:
        if variable.type.elem is not ElemKind.FLOAT:
            continue
        if variable in parts.plan.places and variable.type.elements:
            found.append(Elements(first, variable.type.elements, parts.plan.places[variable].offset))
        first += variable.type.elements
    return found


# --- example application -----------------------------------------------------------------------------------------

_HALF = ("0x%04x", "unsigned")  # C has no such type: its bits
_FORMATS = {
    "FLOAT": ("%.9g", "double"),
    "FLOAT16": _HALF,
    "BFLOAT16": _HALF,
    "FLOAT64": ("%.17g", "double"),
    "INT64": ("%lld", "long long"),
    "UINT64": ("%llu", "unsigned long long"),
    "BOOL": ("%u", "unsigned"),
    **{f"INT{bits}": ("%ld", "long") for bits in (8, 16, 32)},
    **{f"UINT{bits}": ("%lu", "unsigned long") for bits in (8, 16, 32)},
}


def main_program(parts: BundleParts, layout: Layout) -> str:
    """The text of main.c."""
    up = parts.network.upper()
    return render(
        "main.c.j2",
        network=parts.network,
        up=up,
        entry=parts.entry,
        api=parts.options.bundle_api,
        is_profiled=parts.options.profile_kernels,
        layout=layout,
        errors=ERRORS,
        other_error=OTHER_ERROR,
        formats=_FORMATS,
        address=lambda tensor: f"GLOW_GET_ADDR(main_mutableWeight, {up}_{tensor.c_name})",
    )


def makefile(parts: BundleParts) -> str:
    """The text of the Makefile."""
    return render(
        "Makefile.j2",
        network=parts.network,
        up=parts.network.upper(),
        api=parts.options.bundle_api,
        threads=parts.limits.workers,
        default_target=parts.toolchain.target,
        bare_metal=_lacks_board(target_data.load(parts.toolchain.target), parts.toolchain.triple),
        board_targets=target_data.boards(),
        program_of=_program,
        common_flags=common_flags(parts.options),
    )


def _lacks_board(target: Target, triple: str) -> bool:
    """Whether there is nothing that could run the example application: no operating system, no board."""
    return is_bare_metal(triple) and not target.board


def _program(target: str) -> str:
    """The name of the example application for a target."""
    return "main.x" if target == "host" else f"main-{target}.elf"


def target_files(parts: BundleParts) -> dict[str, str]:
    """`targets/*.mk`, and the start-up sources of the boards: for the host, the bundle's own target and all boards."""
    files: dict[str, str] = {}
    chosen = {target.name: target for target in (target_data.load("host"), *target_data.boards())}
    own = target_data.load(parts.toolchain.target)
    chosen[own.name] = own
    for name, target in sorted(chosen.items()):
        options = parts.options if name == own.name else CompileOptions()
        triple = parts.toolchain.triple if name == own.name else target.triple
        files[f"targets/{name}.mk"] = _fragment(target, triple, options)
        if target.board:
            folder = templates() / "targets" / name
            for source in (*target.board.sources, target.board.linker_script):
                files[f"targets/{name}/{source}"] = (folder / source).read_text(encoding="utf-8")
    return files


def _fragment(target: Target, triple: str, options: CompileOptions) -> str:
    """A target as variables for the Makefile, with the compiler that its data prefers, installed here or not."""
    compiler = cross_compiler(target, triple)
    flags = machine_flags(target, triple, options, is_clang="clang" in compiler.command)
    return render(
        "target.mk.j2",
        name=target.name,
        description=target.description,
        command=compiler.command,
        package=compiler.package,
        program=_program(target.name),
        cflags=(*target.cflags, *flags),
        clang_flags=target.clang_flags,
        board=target.board,
        bare_metal=_lacks_board(target, triple),
    )


def engine_files() -> dict[str, str]:
    """The engine's headers and sources, all in one folder."""
    root = engine()
    paths = [*(root / "include").glob("*.h"), *(root / "src").glob("*.[ch]")]
    return {f"engine/{path.name}": path.read_text(encoding="utf-8") for path in sorted(paths, key=lambda p: p.name)}
