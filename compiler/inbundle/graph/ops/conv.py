"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import FLOATS, given, required, same_elem
from inbundle.graph.ops.spec import OpSpec, Required, declare
from inbundle.graph.ops.windows import spatial_shape, windows
from inbundle.graph.types import TensorType


def _check_filter(x: TensorType, w: TensorType, attributes: dict[str, Any]) -> None:
    """W is M x C/group x kernel and agrees with X, kernel_shape and group."""
    group = attributes["group"]
    same_elem(x, "W", w)
    if w.rank != x.rank:
        raise CompileError(f"input W is {w}, but input X is {x}: ranks must agree")
    if w.shape[2:] != tuple(attributes["kernel_shape"]):
        raise CompileError(f"kernel_shape is {list(attributes['kernel_shape'])}, but input W is {w}")
    if group < 1:
        raise CompileError(f"group is {group}, it must be at least 1")
    if w.shape[1] * group != x.shape[1]:
        raise CompileError(
            f"input X has {x.shape[1]} channels, but input W is {w}: {w.shape[1]} channels in each of {group} groups"
        )
    if w.shape[0] % group:
        raise CompileError(f"input W has {w.shape[0]} filters, which {group} groups do not divide")


def _infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x, w = required(inputs, 0, "X", FLOATS), required(inputs, 1, "W", FLOATS)
    spatial = spatial_shape(x)
    _check_filter(x, w, attributes)
    bias = given(inputs, 2)
    if bias is not None:
        same_elem(x, "B", bias)
        if bias.shape != (w.shape[0],):
            raise CompileError(f"input B is {bias}, one number for each of {w.shape[0]} filters is needed")
    return [x.with_shape((x.shape[0], w.shape[0], *windows(spatial, attributes)))]


declare(
    OpSpec(
        "Conv",
        "sum over channels and window of X * W, plus B; X is N x C x spatial, W is M x C/group x kernel, B is M",
        ("X", "W", "B?"),
        ("Y",),
        _infer,
        {**dict.fromkeys(("kernel_shape", "strides", "pads", "dilations"), Required(())), "group": 1},
    )
)
