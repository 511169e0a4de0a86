"""Loops over the elements of a shape in row-major order, with the index of each element in several arrays.

A nest runs over the elements `first` to `last`, which a tile may cut anywhere. Axes that lie one behind the other in
every array are merged. What is left is one axis, and one loop, or rows along the last axis: a row's start is computed
once by divisions, then the index steps by the last axis's stride.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbundle.graph.types import row_major


@dataclass(frozen=True)
class Axis:
    """`strides`: elements from one index to the next, per array."""

    size: int
    strides: tuple[int, ...]


def broadcast_strides(shape: Sequence[int], target: Sequence[int]) -> tuple[int, ...]:
    """Strides that run over a tensor of `shape` as over one of `target`: 0 where it is repeated."""
    strides = [0 if size == 1 else stride for size, stride in zip(shape, row_major(shape), strict=True)]
    return (0,) * (len(target) - len(shape)) + tuple(strides)


def merge(axes: Sequence[Axis]) -> list[Axis]:
    """The same indices with fewer axes: those of size 1 left out, neighbours joined."""
    merged: list[Axis] = []
    for axis in axes:
        if axis.size == 1:
            continue
        if merged and merged[-1].strides == tuple(stride * axis.size for stride in axis.strides):
            merged[-1] = Axis(merged[-1].size * axis.size, axis.strides)
        else:
            merged.append(axis)
    return merged


def times(variable: str, factor: int) -> str:
    """`variable * factor` as short as it can be written; empty for 0."""
    return "" if factor == 0 else variable if factor == 1 else f"{variable} * {factor}"


def total(*terms: str) -> str:
    """The sum of the terms that are not empty."""
    return " + ".join(term for term in terms if term) or "0"


def constant(number: int) -> str:
    """A number as a term of a sum; empty for 0."""
    return str(number) if number else ""


def coordinate(variable: str, axes: Sequence[int], axis: int) -> str:
    """Index along `axis` of element number `variable` of the row-major shape `axes`."""
    inner = math.prod(axes[axis + 1 :])
    text = variable if inner == 1 else f"{variable} / {inner}"
    return text if math.prod(axes[:axis]) == 1 else f"{text} % {axes[axis]}"


def start(variable: str, axes: Sequence[Axis], array: int) -> str:
    """Sum of index times stride over `axes` for element number `variable` of them; empty for none."""
    sizes = [axis.size for axis in axes]
    if tuple(axis.strides[array] for axis in axes) == tuple(
        row_major(sizes)[i] * axes[-1].strides[array] for i in range(len(axes))
    ):
        return times(variable, axes[-1].strides[array]) if axes else ""
    terms = [times(coordinate(variable, sizes, i), axis.strides[array]) for i, axis in enumerate(axes)]
    return " + ".join(term for term in terms if term)


@dataclass(frozen=True)
class Nest:
    """Elements of a shape in row-major order.

    Attributes:
        axes: merged, at least one.
        names: the arrays, in the order of the axes' strides.
        offsets: index of the first element, per array.
    """

    axes: tuple[Axis, ...]
    names: tuple[str, ...]
    offsets: tuple[int, ...]

    @staticmethod
    def over(
        shape: Sequence[int], strides: Mapping[str, Sequence[int]], offsets: Mapping[str, int] | None = None
    ) -> Nest:
        """The nest over `shape`, with the strides of each array along its axes."""
        per_axis = zip(*strides.values(), strict=True)
        axes = merge([Axis(size, tuple(steps)) for size, steps in zip(shape, per_axis, strict=True)])
        starts = tuple((offsets or {}).get(name, 0) for name in strides)
        return Nest(tuple(axes or [Axis(1, (1,) * len(strides))]), tuple(strides), starts)

    @property
    def flat(self) -> bool:
        return len(self.axes) == 1

    @property
    def columns(self) -> int:
        """Elements of a row."""
        return self.axes[-1].size

    def row_start(self, name: str) -> str:
        """Index of the first element of row `row` in an array."""
        array = self.names.index(name)
        return total(constant(self.offsets[array]), start("row", self.axes[:-1], array))

    def index(self, name: str) -> str:
        """Index of the element at hand, number `i` of its row."""
        array = self.names.index(name)
        begin = constant(self.offsets[array]) if self.flat else f"{name}_row"
        return total(begin, times("i", self.axes[-1].strides[array]))
