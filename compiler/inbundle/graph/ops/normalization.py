"""Softmax along one axis, batch normalization with known statistics, and normalizations by statistics of the operand.

The flattening Softmax of opsets below 13 does not exist here: it is a Reshape to a matrix and axis 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.broadcast import broadcasts_to
from inbundle.graph.ops.operands import FLOATS, float32, given, required, same_elem
from inbundle.graph.ops.spec import OpSpec, Required, declare
from inbundle.graph.types import TensorType


def _softmax(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "input", FLOATS)
    if not 0 <= attributes["axis"] < x.rank:
        raise CompileError(f"axis is {attributes['axis']}, but the input is {x}")
    return [x]


def _per_channel(inputs: Sequence[Value | None], names: Sequence[str]) -> TensorType:
    """The type of X, the first operand; `names` are the others, with one number per channel."""
    x = required(inputs, 0, "X", FLOATS)
    if x.rank < 2:
        raise CompileError(f"input X is {x}, batch and channel dimensions are needed")
    for index, name in enumerate(names, start=1):
        type = required(inputs, index, name, FLOATS)
        same_elem(x, name, type)
        if type.shape != x.shape[1:2]:
            raise CompileError(f"input {name} is {type}, one number for each of {x.shape[1]} channels is needed")
    return x


def _batch_normalization(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    return [_per_channel(inputs, ("scale", "B", "mean", "var"))]


def _instance_normalization(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    return [_per_channel(inputs, ("scale", "B"))]


def _group_normalization(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x, groups = _per_channel(inputs, ("scale", "bias")), attributes["num_groups"]
    if groups < 1 or x.shape[1] % groups:
        raise CompileError(f"input X has {x.shape[1]} channels, which {groups} groups do not divide")
    return [x]


def _layer_normalization(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "X", FLOATS)
    if not 0 <= attributes["axis"] < x.rank:
        raise CompileError(f"axis is {attributes['axis']}, but the input is {x}")
    for index, name in ((1, "Scale"), (2, "B")):
        type = given(inputs, index)
        if type is not None:
            same_elem(x, name, type)
            if not broadcasts_to(type.shape, x.shape):
                raise CompileError(f"input {name} is {type}, which does not broadcast to X, {x}")
    return [x]


for _kind, _meaning in (
    ("Softmax", "e^X / sum of e^X along axis"),
    ("LogSoftmax", "logarithm of Softmax along axis"),
):
    declare(OpSpec(_kind, _meaning, ("input",), ("output",), _softmax, {"axis": Required(0)}))
declare(
    OpSpec(
        "BatchNormalization",
        "(X - mean) / sqrt(var + epsilon) * scale + B, per channel (dimension 1)",
        ("X", "scale", "B", "mean", "var"),
        ("Y",),
        _batch_normalization,
        {"epsilon": float32(1e-5)},
    )
)
declare(
    OpSpec(
        "InstanceNormalization",
        "(input - mean) / sqrt(variance + epsilon) * scale + B, with mean and variance of each image of each channel",
        ("input", "scale", "B"),
        ("output",),
        _instance_normalization,
        {"epsilon": float32(1e-5)},
    )
)
declare(
    OpSpec(
        "GroupNormalization",
        "InstanceNormalization with mean and variance of each image of `num_groups` groups of neighbouring channels",
        ("X", "scale", "bias"),
        ("Y",),
        _group_normalization,
        {"epsilon": float32(1e-5), "num_groups": Required(0)},
    )
)
declare(
    OpSpec(
        "LayerNormalization",
        "(X - mean) / sqrt(variance + epsilon) * Scale + B, with mean and variance over the dimensions from `axis` on",
        ("X", "Scale", "B?"),
        ("Y",),
        _layer_normalization,
        {"axis": Required(0), "epsilon": float32(1e-5)},
    )
)
