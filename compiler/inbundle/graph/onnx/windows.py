"""Pools for ONNX's reference evaluator, by whole arrays.

Most of the evaluator's own go from element to element in Python, which takes minutes for an image of a real model, and
differ from ONNX's text where a window reaches beyond the padding (`ceil_mode`) or has dilations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
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

    def taps(self, x: np.ndarray, outside: float) -> np.ndarray:
        """N x C x output x taps: the elements under each window, `outside` where there is no element."""
        rank = len(self.size)
        extents = [extent(*pair) for pair in zip(self.kernel, self.dilations, strict=True)]
        last = [(count - 1) * stride for count, stride in zip(self.output, self.strides, strict=True)]
        reach = [start + size for start, size in zip(last, extents, strict=True)]
        after = [max(0, end - size - begin) for end, size, begin in zip(reach, self.size, self.begins, strict=True)]
        padded = np.pad(x, [(0, 0), (0, 0), *zip(self.begins, after, strict=True)], constant_values=outside)
        every = sliding_window_view(padded, extents, axis=tuple(range(2, 2 + rank)))
        starts = [slice(0, start + 1, stride) for start, stride in zip(last, self.strides, strict=True)]
        chosen: tuple[Any, ...] = (..., *starts, *(slice(None, None, dilation) for dilation in self.dilations))
        found: np.ndarray = every[chosen]
        return found.reshape((*found.shape[: 2 + rank], -1))


def _windows(
    x: np.ndarray,
    kernel: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    dilations: Sequence[int] | None,
    ceil_mode: int | None,
) -> _Windows:
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
        windows = _windows(x, kernel_shape, strides, pads, dilations, ceil_mode)
        least = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        taps = windows.taps(x, least)
        values = taps.max(axis=-1)
        if len(self.onnx_node.output) < 2:
            return (values,)
        # -1 marks what lies outside, and never wins: its tap is the least value.
        places = windows.taps(_places(x.shape, storage_order == 1), -1)
        inside = np.where(places < 0, False, taps == values[..., None])
        return values, np.take_along_axis(places, inside.argmax(axis=-1)[..., None], axis=-1)[..., 0]


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
        windows = _windows(x, kernel_shape, strides, pads, dilations, ceil_mode)
        counted = np.ones((1, 1, *windows.size))
        if count_include_pad:
            # The padding counts, what lies beyond it does not.
            counted = np.pad(counted, [(0, 0), (0, 0), *zip(windows.begins, windows.ends, strict=True)], mode="edge")
            begins = [0] * len(windows.size)
            columns = (windows.output, windows.kernel, windows.strides, windows.dilations, begins, begins)
            counts = _Windows(counted.shape[2:], *columns).taps(counted, 0).sum(axis=-1)
        else:
            counts = windows.taps(counted, 0).sum(axis=-1)
        sums = windows.taps(x.astype(np.float64), 0).sum(axis=-1)
        with np.errstate(all="ignore"):
            return ((sums / counts).astype(x.dtype),)


class GlobalMaxPool(OpRun):
    """The evaluator's own is wrong for three spatial dimensions."""

    op_domain = ""

    def _run(self, x: np.ndarray) -> tuple[np.ndarray]:
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


OPERATORS: list[type[OpRun]] = [AveragePool, GlobalMaxPool, MaxPool]
"""What the evaluator is to use instead of its own."""
