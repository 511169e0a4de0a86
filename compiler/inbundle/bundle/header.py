"""The header of a bundle: exactly the macros, types and functions of Glow's static or dynamic API, in Glow's order."""

from __future__ import annotations

from inbundle import __version__
from inbundle.bundle.layout import Layout, Tensor
from inbundle.ir.memory import ALIGNMENT
from inbundle.rendering import render


def header(network: str, entry: str, layout: Layout, *, api: str, verbose: bool = False) -> str:
    """The text of NAME.h.

    Args:
        api: `static` or `dynamic`.
        verbose: list the constants in the comment, too.
    """
    return render(
        f"{api}_bundle.h.j2",
        version=__version__,
        network=network,
        up=network.upper(),
        entry=entry,
        layout=layout,
        verbose=verbose,
        describe=_description,
        offsets=_offsets(network.upper(), layout.placeholders),
        alignment=ALIGNMENT,
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
