"""Convolution and pools for ONNX's reference evaluator, by whole arrays.

The evaluator's own pools go from element to element in Python, which takes minutes for an image of a real model, and
differ from ONNX's text where a window reaches beyond the padding (`ceil_mode`) or has dilations. These do what a Graph
needs, so no `auto_pad`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

from inbundle.graph.ops.windows import extent, output_size


@dataclass(frozen=True)
class _Windows:
    """The windows over an image of `x`'s spatial shape; all lists have one entry per spatial dimension."""

    size: tuple[int, ...]
    output: tuple[int, ...]
    kernel: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    begins: Sequence[int]
    ends: Sequence[int]

    def taps(self, x: np.ndarray, outside: float) -> Iterator[np.ndarray]:
        """Per tap, N x C x output: the element of each window there, `outside` where the image has none."""
        last = [(count - 1) * stride for count, stride in zip(self.output, self.strides, strict=True)]
        reach = [end + extent(*size) for end, *size in zip(last, self.kernel, self.dilations, strict=True)]
        after = [max(0, end - size - begin) for end, size, begin in zip(reach, self.size, self.begins, strict=True)]
        padded = np.pad(x, [(0, 0), (0, 0), *zip(self.begins, after, strict=True)], constant_values=outside)
        for tap in itertools.product(*map(range, self.kernel)):
            starts = [at * dilation for at, dilation in zip(tap, self.dilations, strict=True)]
            steps = zip(starts, last, self.strides, strict=True)
            chosen: tuple[Any, ...] = (..., *(slice(start, start + end + 1, stride) for start, end, stride in steps))
            yield padded[chosen]


def _windows(
    x: np.ndarray,
    auto_pad: str | None,
    kernel: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    dilations: Sequence[int] | None,
    ceil_mode: int | None,
) -> _Windows:
    if auto_pad not in (None, "NOTSET"):
        raise NotImplementedError(f"auto_pad {auto_pad}: the pads of a Graph are numbers")
    rank, size = len(kernel), x.shape[2:]
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * (2 * rank)
    begins, ends = pads[:rank], pads[rank:]
    columns = zip(size, kernel, strides, dilations, begins, ends, strict=True)
    output = tuple(output_size(*column, ceil_mode=bool(ceil_mode)) for column in columns)
    return _Windows(size, output, kernel, strides, dilations, begins, ends)


class MaxPool(OpRun):
    """MaxPool with explicit pads."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        auto_pad: str | None = None,
        ceil_mode: int | None = None,
        dilations: Sequence[int] | None = None,
        kernel_shape: Sequence[int] = (),
        pads: Sequence[int] | None = None,
        storage_order: int | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray, ...]:
        windows = _windows(x, auto_pad, kernel_shape, strides, pads, dilations, ceil_mode)
        least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        values = functools.reduce(np.maximum, windows.taps(x, least))
        if len(self.onnx_node.output) < 2:
            return (values,)
        found = np.full(values.shape, -1)
        for tap, place in zip(
            windows.taps(x, least), windows.taps(_places(x.shape, storage_order == 1), -1), strict=True
        ):
            found = np.where((found < 0) & (place >= 0) & (tap == values), place, found)
        return values, found


def _places(shape: tuple[int, ...], column_major: bool) -> np.ndarray:
    """The index of each element in the flattened tensor, of whose spatial dimensions the first may change fastest."""
    images, spatial = shape[:2], shape[2:]
    count = math.prod(spatial)
    flat = np.arange(count, dtype=np.int64)
    image = flat.reshape(spatial[::-1]).transpose() if column_major else flat.reshape(spatial)
    first = np.arange(math.prod(images), dtype=np.int64).reshape((*images, *(1 for _ in spatial))) * count
    return np.asarray(first + image)


class AveragePool(OpRun):
    """AveragePool with explicit pads."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        auto_pad: str | None = None,
        ceil_mode: int | None = None,
        count_include_pad: int | None = None,
        dilations: Sequence[int] | None = None,
        kernel_shape: Sequence[int] = (),
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray]:
        windows = _windows(x, auto_pad, kernel_shape, strides, pads, dilations, ceil_mode)
        counted = np.ones((1, 1, *windows.size))
        frame = windows
        if count_include_pad:  # the padding counts, what lies beyond it does not
            counted = np.pad(counted, [(0, 0), (0, 0), *zip(windows.begins, windows.ends, strict=True)], mode="edge")
            frame = replace(windows, size=counted.shape[2:], begins=[0] * len(windows.size))
        sums, counts = (
            functools.reduce(np.add, taps) for taps in (windows.taps(x.astype(np.float64), 0), frame.taps(counted, 0))
        )
        return ((sums / counts).astype(x.dtype),)


class Conv(OpRun):
    """Conv with explicit pads: a product of matrices per group."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        w: np.ndarray,
        b: np.ndarray | None = None,
        auto_pad: str | None = None,
        dilations: Sequence[int] | None = None,
        group: int = 1,
        kernel_shape: Sequence[int] = (),
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[np.ndarray]:
        windows = _windows(x, auto_pad, kernel_shape or w.shape[2:], strides, pads, dilations, ceil_mode=0)
        wide = np.float64 if x.dtype == np.float64 else np.float32
        images, filters, per_group = x.shape[0], w.shape[0], w.shape[1]
        weights = w.astype(wide).reshape(group, filters // group, -1)
        taps = [tap.reshape(images, group, per_group, -1) for tap in windows.taps(x.astype(wide), 0)]
        if per_group > 1:
            result = weights @ np.stack(taps, axis=3).reshape(images, group, weights.shape[2], -1)
        else:  # products of matrices with one channel are slow
            result = functools.reduce(np.add, (weights[:, :, [at]] * tap for at, tap in enumerate(taps)))
        result = result.reshape(images, filters, -1) + (0 if b is None else b.astype(wide)[:, None])
        return (result.reshape(images, filters, *windows.output).astype(x.dtype),)


class GlobalMaxPool(OpRun):
    """The evaluator's own is wrong for three spatial dimensions."""

    op_domain = ""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray]:
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


OPERATORS: list[type[OpRun]] = [AveragePool, Conv, GlobalMaxPool, MaxPool]
"""What the evaluator is to use instead of its own."""
