"""ONNX's multidirectional broadcasting on static shapes."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.errors import CompileError
from inbundle.graph.ops.operands import shape_text


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that all `shapes` broadcast to, aligned at the last dimension.

    Raises:
        CompileError: two dimensions differ and neither is 1.
    """
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        different = {size for size in sizes if size != 1}
        if len(different) > 1:
            raise CompileError(f"shapes {' and '.join(map(shape_text, shapes))} do not broadcast")
        result.append(different.pop() if different else 1)
    return tuple(result)


def broadcasts_to(shape: Sequence[int], target: Sequence[int]) -> bool:
    """Whether `shape` broadcasts to exactly `target` (ONNX's unidirectional broadcasting)."""
    if len(shape) > len(target):
        return False
    return all(size in (1, goal) for size, goal in zip(reversed(shape), reversed(target), strict=False))
