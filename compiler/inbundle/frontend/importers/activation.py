"""Importers of the unary element-wise operators.

Versions differ in element kinds, in `consumed_inputs` (opset 1, a hint for memory, ignored), and in Clip's bounds:
attributes until opset 6, inputs from 11 on.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Constant, Value
from inbundle.graph.ops import OPS
from inbundle.graph.types import ElemKind

_FLOAT_MAX = float(np.finfo(np.float32).max)


def unary(ctx: NodeContext) -> Value:
    """An operator whose attributes, if any, are floats with defaults that never changed."""
    attributes = {name: ctx.attr_float(name, default) for name, default in OPS[ctx.operator].attributes.items()}
    return ctx.add(ctx.operator, [ctx.input(0)], attributes)


for _operator, _since in (
    ("Relu", 1),
    ("LeakyRelu", 1),
    ("Elu", 1),
    ("Sigmoid", 1),
    ("HardSigmoid", 1),
    ("HardSwish", 14),
    ("Tanh", 1),
    ("Exp", 1),
    ("Log", 1),
    ("Sqrt", 1),
    ("Abs", 1),
    ("Neg", 1),
    ("Erf", 9),
    ("Softplus", 1),
    ("Sin", 7),
    ("Cos", 7),
    ("Asin", 7),
    ("Acos", 7),
    ("Atan", 7),
    ("Sinh", 9),
    ("Cosh", 9),
    ("Asinh", 9),
    ("Acosh", 9),
    ("Atanh", 9),
    ("Floor", 1),
    ("Ceil", 1),
    ("Round", 11),
    ("Sign", 9),
):
    importer(_operator, since=_since)(unary)


@importer("Gelu", since=20)
def gelu(ctx: NodeContext) -> Value:
    return ctx.add("Gelu", [ctx.input(0)], {"approximate": ctx.attr_string("approximate", "none")})


# Clip


def _limits(elem: ElemKind) -> tuple[int | float, int | float]:
    """The lowest and the largest finite number of `elem`: what ONNX takes for an absent bound."""
    if not elem.is_float:
        return int(np.iinfo(elem.dtype).min), int(np.iinfo(elem.dtype).max)
    most = float(ml_dtypes.finfo(elem.dtype).max)  # type: ignore[no-untyped-call]
    return -most, most


@importer("Clip", since=1)
def clip_by_optional_attributes(ctx: NodeContext) -> Value:
    least, most = _limits(ctx.input(0).type.elem)
    return ctx.add("Clip", [ctx.input(0)], {"min": ctx.attr_float("min", least), "max": ctx.attr_float("max", most)})


@importer("Clip", since=6)
def clip_by_attributes(ctx: NodeContext) -> Value:
    attributes = {"min": ctx.attr_float("min", -_FLOAT_MAX), "max": ctx.attr_float("max", _FLOAT_MAX)}
    return ctx.add("Clip", [ctx.input(0)], attributes)


@importer("Clip", since=11)
def clip_by_inputs(ctx: NodeContext) -> Value:
    least, most = (_bound(ctx, index, name) for index, name in ((1, "min"), (2, "max")))
    x = ctx.input(0)
    low, high = _number(least), _number(most)
    if low is not None and high is not None:
        return ctx.add("Clip", [x], {"min": low, "max": high})
    return ctx.add("Min", [ctx.add("Max", [x, least], part="max"), most])


def _bound(ctx: NodeContext, index: int, name: str) -> Value:
    """Bound `index` as a scalar; the limit of the element kind where it is absent."""
    x, bound = ctx.input(0).type, ctx.optional_input(index)
    if bound is None:
        return ctx.new_constant(np.array(_limits(x.elem)[index - 1], x.elem.dtype), name)
    if bound.type.elements != 1:
        raise ctx.error(f"input {name} is {bound.type}, a single number is needed")
    if bound.type.elem is not x.elem:
        raise ctx.error(f"input {name} is {bound.type}, but the input is {x}: element kinds must agree")
    return reshaped(ctx, bound, (), name)


def _number(bound: Value) -> int | float | None:
    """A bound that is known now, exactly. NaN is left to Max and Min, which say what becomes of it."""
    if not isinstance(bound, Constant):
        return None
    number = float(bound.data) if bound.type.elem.is_float else int(bound.data)
    return None if math.isnan(number) else number
