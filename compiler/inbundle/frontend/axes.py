"""Axes as ONNX gives them, checked and made non-negative; shared by the importers of all families."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.frontend.node_context import NodeContext


def axis_of(ctx: NodeContext, axis: int, rank: int, *, what: str = "axis") -> int:
    """`axis` in [0, rank). Raises CompileError, naming attribute or input `what`, when it is outside [-rank, rank)."""
    if not -rank <= axis < rank:
        raise ctx.error(f"{what} {axis} is outside [{-rank}, {rank - 1}] of a tensor of rank {rank}", attribute=what)
    return axis + rank if axis < 0 else axis


def axes_of(ctx: NodeContext, axes: Sequence[int], rank: int, *, what: str = "axes") -> tuple[int, ...]:
    """All `axes` in [0, rank), in the given order. Raises CompileError when one is out of range or there twice."""
    found = tuple(axis_of(ctx, axis, rank, what=what) for axis in axes)
    if len(set(found)) != len(found):
        raise ctx.error(f"{what} {list(axes)} name an axis twice", attribute=what)
    return found
