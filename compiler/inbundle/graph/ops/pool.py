"""Pools: a window, or the whole image, becomes one element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import FLOATS, required
from inbundle.graph.ops.spec import OpSpec, Required, declare
from inbundle.graph.ops.windows import spatial_shape, windows
from inbundle.graph.types import ElemKind, TensorType

_WINDOW: dict[str, Any] = {
    "kernel_shape": Required(()),
    "strides": Required(()),
    "pads": Required(()),
    "dilations": Required(()),
    "ceil_mode": False,
}


def _pooled(x: TensorType, attributes: dict[str, Any]) -> TensorType:
    return x.with_shape((*x.shape[:2], *windows(spatial_shape(x), attributes)))


def _max_pool(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    y = _pooled(required(inputs, 0, "X", FLOATS | {ElemKind.INT8, ElemKind.UINT8}), attributes)
    return [y, y.with_elem(ElemKind.INT64)]


def _average_pool(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    return [_pooled(required(inputs, 0, "X", FLOATS), attributes)]


def _global_pool(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "X", FLOATS)
    spatial = spatial_shape(x)
    if 0 in spatial:
        raise CompileError(f"input X is {x}: an empty image has no pool")
    return [x.with_shape((*x.shape[:2], *(1 for _ in spatial)))]


declare(
    OpSpec(
        "MaxPool",
        "largest element of each window; Indices: its position in the flattened X, column-major spatial dimensions "
        "with storage_order 1",
        ("X",),
        ("Y", "Indices?"),
        _max_pool,
        {**_WINDOW, "storage_order": 0},
    )
)
declare(
    OpSpec(
        "AveragePool",
        "mean of each window over the taps inside X, with count_include_pad over those inside X and pads",
        ("X",),
        ("Y",),
        _average_pool,
        {**_WINDOW, "count_include_pad": False},
    )
)
declare(OpSpec("GlobalAveragePool", "mean of each channel's image", ("X",), ("Y",), _global_pool))
declare(OpSpec("GlobalMaxPool", "largest element of each channel's image", ("X",), ("Y",), _global_pool))
