"""The C compiler of a bundle's target: which command, with which flags for the compile options.

Flags are chosen for results that are the same everywhere (no contraction to fused multiply-add) and for objects that
are the same byte for byte (no debug information, relative names). What a target is stands in `target_data.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inbundle.bundle import target_data
from inbundle.bundle.target_data import Compiler, Target
from inbundle.errors import CompileError
from inbundle.options import CompileOptions
from inbundle.resources import templates


@dataclass(frozen=True)
class Toolchain:
    """How to compile for a target. `command` is the compiler with what selects the target, `cflags` come after it."""

    target: str
    triple: str
    command: tuple[str, ...]
    cflags: tuple[str, ...]
    word_bytes: int
    byte_order: str
    vectors: tuple[str, ...] = ()
    vectors_if: str = ""

    def vector_units(self) -> tuple[str, ...]:
        """The vector units that kernels are written for, best first; none where this compiler, with these flags, has
        no instructions for them.

        Raises:
            CompileError: the compiler failed.
        """
        if not self.vectors or not self.vectors_if:
            return self.vectors
        with tempfile.TemporaryDirectory(prefix="inbundle-") as scratch:
            (Path(scratch) / "units.c").write_text(f"#if {self.vectors_if}\nyes\n#endif\n", encoding="utf-8")
            self._run([*self.cflags, "-E", "-P", "units.c"], Path(scratch), "units.i")
            return self.vectors if "yes" in (Path(scratch) / "units.i").read_text(encoding="utf-8") else ()

    def compile_object(self, directory: Path, source: str, output: str) -> None:
        """Compile `source` to the object `output`, both relative to `directory`.

        Raises:
            CompileError: the compiler failed; the message is its first error.
        """
        self._run([*self.cflags, "-c", source], directory, output)

    def link_shared(self, directory: Path, sources: Sequence[str], output: Path) -> None:
        """Make the shared library `output` of sources or position-independent objects."""
        flags = [flag for flag in self.cflags if flag not in ("-fPIE", "-fPIC")]
        self._run([*flags, "-fPIC", "-shared", *sources, "-lm"], directory, output)

    def _run(self, arguments: Iterable[str], directory: Path, output: str | Path) -> None:
        words = [*self.command, *arguments, "-o", str(output)]
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(words, cwd=directory, env=environment, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise CompileError(_first_error(done.stderr) or f"exit code {done.returncode}", where=(self.command[0],))
        if not (directory / output).is_file():
            raise CompileError("is no C compiler: it ended without writing its output", where=(self.command[0],))


def resolve(options: CompileOptions) -> Toolchain:
    """The tool chain that the options ask for.

    Raises:
        CompileError: unknown target, no compiler for it on this machine, or an option that the target does not have.
    """
    target = target_data.find(options.target)
    _check_processor(target, options)
    is_triple = options.target not in ("", *target_data.names())
    triple = options.target if is_triple and "-" in options.target else target.triple
    _check_threads(target, triple, options.threads)
    compiler = _compiler(target, triple, options.compiler)
    is_clang = "clang" in Path(compiler).name
    command: tuple[str, ...] = (compiler,)
    if is_clang and not target.is_host:
        # Debian has no C library headers for foreign targets: ours declare what a bundle calls.
        headers = str(templates() / "targets" / "freestanding")
        command = (compiler, f"--target={triple}", "-nostdlibinc", "-isystem", headers)
    own = [] if is_clang else _architecture(target, triple, options)
    return Toolchain(
        target=target.name,
        triple=triple,
        command=command,
        cflags=(
            *common_flags(options),
            *target.cflags,
            *own,
            *machine_flags(target, triple, options, is_clang),
            *(target.clang_flags if is_clang else ()),
            *_position(triple, options),
        ),
        word_bytes=target.word_bytes,
        byte_order=target.byte_order,
        vectors=target.vectors,
        vectors_if=target.vectors_if,
    )


def _check_processor(target: Target, options: CompileOptions) -> None:
    """A processor is one of the target's architecture; a board has its own and no other."""
    mcpu = options.mcpu
    known = target_data.with_processor(mcpu) if mcpu else []
    if target.board and (options.march or mcpu not in ("", target.mcpu)):
        flag = f"-march={options.march}" if options.march else f"-mcpu={mcpu}"
        other = known[0] if known else target_data.find(target.triple)
        message = f"{flag}: the target {target.name} is a board with the processor {target.mcpu}"
        raise CompileError(message, hint=f"leave it out, or take -target={other.name}")
    if known and not re.fullmatch(target.processors, mcpu):
        message = f"-mcpu={mcpu}: not a processor of {target.description}"
        raise CompileError(message, hint=f"add -target={known[0].name}")


def _check_threads(target: Target, triple: str, threads: int) -> None:
    if threads > 1 and is_bare_metal(triple):
        message = f"-threads={threads}: {target.name} has no threads, they need an operating system"
        raise CompileError(message, hint="leave -threads out")


def _compiler(target: Target, triple: str, wanted: str) -> str:
    if wanted:
        if shutil.which(wanted):
            return wanted
        raise CompileError(f"no C compiler '{wanted}' on this machine")
    for command in [*(compiler.command for compiler in _fitting(target, triple)), "clang"]:
        if shutil.which(command):
            return command
    package = cross_compiler(target, triple).package
    raise CompileError(f"no C compiler for {target.description}", hint=f"install the Debian package {package}")


def cross_compiler(target: Target, triple: str) -> Compiler:
    """The compiler that fits best, whether it is on this machine or not."""
    return next(iter(_fitting(target, triple)), Compiler("clang", "clang"))


def _fitting(target: Target, triple: str) -> list[Compiler]:
    system = triple.partition("-")[2]
    return [compiler for compiler in target.compilers if re.fullmatch(compiler.os, system)]


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = next((line for line in lines if "error" in line), lines[0] if lines else "")
    return re.sub(r"^([^:\s]+: )?(fatal )?error: ", "", first)  # without a place: the compiler's name is known


def common_flags(options: CompileOptions) -> tuple[str, ...]:
    """What every target's C is compiled with."""
    return ("-std=c11", f"-O{options.opt_level}", "-g0", "-ffp-contract=off", "-fno-math-errno")


# --- flags -------------------------------------------------------------------------------------------------------


def _architecture(target: Target, triple: str, options: CompileOptions) -> list[str]:
    """What the first component of a full triple says to a GCC that serves several architectures."""
    if target.board or options.march or options.mcpu:
        return []
    return list(target.flags.get("architecture", {}).get(triple.split("-")[0], ()))


def machine_flags(target: Target, triple: str, options: CompileOptions, is_clang: bool) -> list[str]:
    """The flags for processor, architecture, features and binary interface."""
    mcpu = options.mcpu or target.mcpu
    flags = [word.format(mcpu) for word in target.flags["mcpu"]] if mcpu else []
    if options.march:
        flags.append(f"-march={options.march}")
    flags = _with_features(flags, target, options.mattr, is_clang)
    if options.mabi:
        flags.append(f"-mabi={options.mabi}")
    return flags + _float_abi(target, triple, options.float_abi)


def _float_abi(target: Target, triple: str, wanted: str) -> list[str]:
    default = target.float_abi or ("hard" if triple.endswith("hf") else "")
    value = default if wanted == "default" else wanted
    spelling = target.flags.get("float_abi")
    if value and spelling:
        return [word.format(value) for word in spelling]
    if value == "soft":
        raise CompileError(f"-float-abi=soft is not possible for {target.description}")
    return []


def _with_features(flags: list[str], target: Target, mattr: Sequence[str], is_clang: bool) -> list[str]:
    """`flags` and those for the features `+name` or `-name`, in LLVM's names; without a sign, `+` is meant."""
    signed = [name if name[:1] in "+-" else f"+{name}" for name in mattr if name]
    if is_clang:
        return flags + [word for name in signed for word in ("-Xclang", "-target-feature", "-Xclang", name)]
    if "extensions" in target.flags and signed:
        return _extended(flags, target, signed)
    return flags + [word for name in signed for word in _feature(target, name)]


def _extended(flags: list[str], target: Target, signed: Sequence[str]) -> list[str]:
    """`flags`, of which the last one names a processor or an architecture, with extensions behind that name."""
    if not flags or not re.match(target.flags["extended"], flags[-1]):
        flags = [*flags, target.flags["extensible"]]
    return [*flags[:-1], flags[-1] + "".join(_extension(target, name) for name in signed)]


def _extension(target: Target, signed: str) -> str:
    pattern = target.flags.get("extension_on" if signed[0] == "+" else "extension_off")
    if not pattern:
        message = f"-mattr: GCC cannot leave out '{signed[1:]}' of {target.description}"
        raise CompileError(message, hint="name the architecture with -march")
    return str(pattern).format(target.flags["extensions"].get(signed[1:], signed[1:]))


def _feature(target: Target, signed: str) -> list[str]:
    listed = target.flags.get("features", {})
    if signed in listed:
        return list(listed[signed])
    pattern = target.flags.get("feature_on" if signed[0] == "+" else "feature_off")
    if pattern:
        return [word.format(signed[1:]) for word in pattern]
    known = ", ".join(listed)
    raise CompileError(f"-mattr: GCC has no flag for '{signed}' of {target.description}", hint=f"known: {known}")


def _position(triple: str, options: CompileOptions) -> list[str]:
    """Where an operating system loads programs at any address, `static` objects have to fit into those too."""
    if options.relocation_model == "pic":
        return ["-fPIC"]
    return [] if is_bare_metal(triple) else ["-fPIE"]


def is_bare_metal(triple: str) -> bool:
    """Whether a triple names no operating system."""
    return "none" in triple.split("-")
