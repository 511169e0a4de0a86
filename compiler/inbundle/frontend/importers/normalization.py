"""Importers of Softmax, LogSoftmax and BatchNormalization.

Softmax below opset 13 flattens its input to a matrix at `axis` and normalizes the rows. BatchNormalization is imported
for inference only; its versions say that differently (`is_test` until 6, number of outputs until 13, `training_mode`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from inbundle.frontend.axes import axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Value
from inbundle.graph.ops import OPS
from inbundle.graph.ops.operands import shape_text
from inbundle.graph.types import ElemKind

_HINT = "export the model for inference"


@importer("Softmax", since=13)
@importer("LogSoftmax", since=13)
def softmax(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    return ctx.add(ctx.operator, [x], {"axis": axis_of(ctx, ctx.attr_int("axis", -1), x.type.rank)})


@importer("Softmax", since=1)
@importer("LogSoftmax", since=1)
def softmax_of_rows(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    shape = x.type.shape
    axis = axis_of(ctx, ctx.attr_int("axis", 1), x.type.rank)
    if axis == x.type.rank - 1:  # the rows lie along the last dimension already
        return ctx.add(ctx.operator, [x], {"axis": axis})
    matrix = reshaped(ctx, x, (math.prod(shape[:axis]), math.prod(shape[axis:])), "flatten")
    return ctx.add("Reshape", [ctx.add(ctx.operator, [matrix], {"axis": 1}, part="rows")], {"shape": shape})


@importer("BatchNormalization", since=14)
def batch_normalization(ctx: NodeContext) -> Value:
    if ctx.attr_bool("training_mode", False):
        raise ctx.unsupported("training is not supported", attribute="training_mode", hint=_HINT)
    return _normalize(ctx, spatial=True)


@importer("BatchNormalization", since=7)
def batch_normalization_by_outputs(ctx: NodeContext) -> Value:
    return _normalize(ctx, spatial=ctx.attr_bool("spatial", True))


@importer("BatchNormalization", since=1)
def batch_normalization_is_test(ctx: NodeContext) -> Value:
    if not ctx.attr_bool("is_test", False):
        raise ctx.unsupported("training (0) is not supported", attribute="is_test", hint=_HINT)
    return _normalize(ctx, spatial=ctx.attr_bool("spatial", True))


def _normalize(ctx: NodeContext, *, spatial: bool) -> Value:
    """Per channel; with `spatial` false per element of an image, which then is flattened to one channel per element.
    Computed in the widest element kind of all operands."""
    _refuse_training_outputs(ctx)
    x = ctx.input(0)
    channels = (x.type.shape[1:2] if spatial else x.type.shape[1:]) or (1,)  # a vector has one channel
    operands = {name: ctx.input(index) for index, name in enumerate(("scale", "B", "mean", "var"), start=1)}
    for name, value in operands.items():
        if value.type.shape != channels:
            raise ctx.error(f"input {name} is {value.type}, {shape_text(channels)} is needed for an X of {x.type}")
    plain = spatial and x.type.rank != 1
    image = x.type.shape if plain else (*x.type.shape[:1], math.prod(channels))
    elem = _widest([value.type.elem for value in (x, *operands.values())])
    inputs = [_as(ctx, x, image, elem, "x")]
    inputs += [_as(ctx, value, (math.prod(channels),), elem, name) for name, value in operands.items()]
    part = "" if inputs[0] is x else "normalized"
    attributes = {"epsilon": ctx.attr_float("epsilon", OPS["BatchNormalization"].attributes["epsilon"])}
    y = ctx.add("BatchNormalization", inputs, attributes, part=part)
    return _as(ctx, y, x.type.shape, x.type.elem)


def _widest(kinds: Sequence[ElemKind]) -> ElemKind:
    """The smallest kind that holds the numbers of all; float for the two kinds of half precision together."""
    if len(set(kinds)) == 1:
        return kinds[0]
    return ElemKind.FLOAT64 if ElemKind.FLOAT64 in kinds else ElemKind.FLOAT


def _refuse_training_outputs(ctx: NodeContext) -> None:
    extra = [name for name in ctx.outputs[1:] if name]
    if extra:
        raise ctx.unsupported(f"output '{extra[0]}' exists in training only", hint=_HINT)


def _as(ctx: NodeContext, value: Value, shape: tuple[int, ...], elem: ElemKind, part: str = "") -> Value:
    """`value` with that shape and element kind; without `part` the last step is the node's result."""
    casts = value.type.elem is not elem
    value = reshaped(ctx, value, shape, part or ("shape" if casts else ""))
    return (
        ctx.add("Cast", [value], {"to": elem.name}, part=f"{part}_{elem.glow_name}" if part else "") if casts else value
    )
