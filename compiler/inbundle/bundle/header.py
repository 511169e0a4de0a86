"""The header of a bundle: exactly the macros, types and functions of Glow's static or dynamic API, in Glow's order."""

from __future__ import annotations

from inbundle import __version__
from inbundle.bundle.error_codes import THREADS_ERROR
from inbundle.bundle.layout import Layout, Tensor
from inbundle.bundle.names import HEADER_MACROS
from inbundle.errors import CompileError
from inbundle.ir.memory import ALIGNMENT
from inbundle.rendering import render


def header(
    network: str,
    entry: str,
    layout: Layout,
    *,
    api: str,
    threads: int = 1,
    verbose: bool = False,
    is_profiled: bool = False,
) -> str:
    """The text of NAME.h.

    Args:
        api: `static` or `dynamic`.
        threads: workers that the bundle is compiled for; several can be chosen among at run time.
        verbose: list the constants in the comment, too.
        is_profiled: declare the functions of `-profile-kernels`.

    Raises:
        CompileError: the entry has the name of something else in the header.
    """
    _check_entry(network, entry, layout)
    return render(
        f"{api}_bundle.h.j2",
        version=__version__,
        network=network,
        up=network.upper(),
        entry=entry,
        layout=layout,
        threads=threads,
        threads_error=THREADS_ERROR,
        verbose=verbose,
        is_profiled=is_profiled,
        describe=_description,
        offsets=_offsets(network.upper(), layout.placeholders),
        alignment=ALIGNMENT,
    )


def _check_entry(network: str, entry: str, layout: Layout) -> None:
    up = network.upper()
    taken = {f"{up}_{name}" for name in (*HEADER_MACROS, *(tensor.c_name for tensor in layout.placeholders))}
    if entry in taken | {f"{network}_{name}" for name in ("config", "profile", "profile_reset", "set_threads")}:
        raise CompileError(
            f"the entry function cannot be called '{entry}': {network}.h gives the name to something else",
            hint="choose another with -main-entry-name=NAME",
        )


def _description(tensor: Tensor) -> str:
    lines = [
        "//",
        f'//   Name: "{tensor.c_name}"',
        f"//   Type: {tensor.type}",
        f"//   Size: {tensor.type.elements} (elements)",
        f"//   Size: {tensor.type.bytes} (bytes)",
        f"//   Offset: {tensor.offset} (bytes)",
    ]
    return "\n".join(lines)


def _offsets(up: str, placeholders: tuple[Tensor, ...]) -> list[str]:
    """The macros, values two blanks after the longest name."""
    macros = [f"{up}_{tensor.c_name}" for tensor in placeholders]
    width = max(map(len, macros), default=0) + 2
    return [f"#define {macro:<{width}}{tensor.offset}" for macro, tensor in zip(macros, placeholders, strict=True)]
