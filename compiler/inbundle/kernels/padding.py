"""The kernel of Pad: negative pads crop the source, then positive ones surround what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inbundle.graph.types import row_major
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import stored_literal
from inbundle.kernels.nests import constant, coordinate, times, total


@dataclass(frozen=True)
class PaddedAxis:
    """An axis of Dest. `kept` elements of Src, from `skipped` on, lie behind `begin` added ones.

    Attributes:
        size: elements of Dest.
        stride: elements of Src from one index to the next.
    """

    size: int
    stride: int
    kept: int
    skipped: int
    begin: int

    @property
    def is_padded(self) -> bool:
        return self.size != self.kept

    def position(self, index: str, mode: str) -> str:
        """Index among the kept elements, in C; with mode `constant` it may be outside of them."""
        shifted = f"{index} - {self.begin}" if self.begin else index
        return shifted if mode == "constant" or not self.is_padded else f"pad_{mode}({shifted}, {self.kept})"

    def inside(self, position: str) -> list[str]:
        """Conditions in C under which a position is one of the kept elements."""
        low = [f"{position} >= 0"] if self.begin else []
        return low + ([f"{position} < {self.kept}"] if self.size > self.begin + self.kept else [])


def _axes(context: KernelContext) -> list[PaddedAxis]:
    """The axes of Dest, at least one."""
    src, dest, pads = context.shape("Src"), context.shape("Dest"), context.integers("Pads")
    begins, ends = pads[: len(src)], pads[len(src) :]
    axes = [
        PaddedAxis(size, stride, old + min(begin, 0) + min(end, 0), max(-begin, 0), max(begin, 0))
        for size, old, stride, begin, end in zip(dest, src, row_major(src), begins, ends, strict=True)
    ]
    return axes or [PaddedAxis(1, 1, 1, 0, 0)]


@kernel("pad")
def _pad(context: KernelContext) -> str:
    """Rows of the last axis. Where no element is kept there is nothing but the constant to fill with."""
    axes = _axes(context)
    mode = context.text("Mode") if all(axis.kept for axis in axes) else "constant"
    outer, last = axes[:-1], axes[-1]
    positions = [
        axis.position(coordinate("row", [a.size for a in outer], number), mode) for number, axis in enumerate(outer)
    ]
    inside = [test for number, axis in enumerate(outer) for test in axis.inside(f"p_{number}")]
    tests = last.inside("p") if mode == "constant" else []
    rows_may_fail = bool(inside) and mode == "constant"
    return templates.render(
        "pad.c.j2",
        columns=last.size,
        positions=[f"const inpla_int p_{number} = {text};" for number, text in enumerate(positions)],
        inside=inside if rows_may_fail else [],
        src_row=_row_start(axes),
        column=last.position("i", mode),
        column_inside=(["inside"] if rows_may_fail else []) + tests,
        value=stored_literal(context.type("Dest").elem, context.number("Value")),
    )


def _row_start(axes: Sequence[PaddedAxis]) -> str:
    """Index in Src of the first kept element of a row."""
    skipped = sum(axis.skipped * axis.stride for axis in axes)
    terms = [times(f"p_{number}", axis.stride) for number, axis in enumerate(axes[:-1])]
    return total(constant(skipped), *terms)
