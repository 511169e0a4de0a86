"""Softmax along one axis, and batch normalization with known statistics.

The flattening Softmax of opsets below 13 does not exist here: it is a Reshape to a matrix and axis 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import FLOATS, float32, required, same_elem
from inbundle.graph.ops.spec import REQUIRED, OpSpec, declare
from inbundle.graph.types import TensorType


def _softmax(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "input", FLOATS)
    if not 0 <= attributes["axis"] < x.rank:
        raise CompileError(f"axis is {attributes['axis']}, but the input is {x}")
    return [x]


def _batch_normalization(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "X", FLOATS)
    if x.rank < 2:
        raise CompileError(f"input X is {x}, batch and channel dimensions are needed")
    for index, name in enumerate(("scale", "B", "mean", "var"), start=1):
        type = required(inputs, index, name, FLOATS)
        same_elem(x, name, type)
        if type.shape != x.shape[1:2]:
            raise CompileError(f"input {name} is {type}, one number for each of {x.shape[1]} channels is needed")
    return [x]


for _kind, _meaning in (
    ("Softmax", "e^X / sum of e^X along axis"),
    ("LogSoftmax", "logarithm of Softmax along axis"),
):
    declare(OpSpec(_kind, _meaning, ("input",), ("output",), _softmax, {"axis": REQUIRED}))
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
