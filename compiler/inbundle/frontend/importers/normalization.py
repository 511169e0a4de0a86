"""Importers of Softmax, LogSoftmax, and of batch, instance, group and layer normalization.

Softmax below opset 13 flattens its input to a matrix at `axis` and normalizes the rows. BatchNormalization is imported
for inference only; its versions say that differently (`is_test` until 6, number of outputs until 13, `training_mode`).
GroupNormalization had a scale per group before 21.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from onnx import TensorProto

from inbundle.frontend.axes import axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Attribute, Value
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
    y = ctx.add("BatchNormalization", inputs, _epsilon(ctx), part=part)
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


@importer("InstanceNormalization", since=1)
def instance_normalization(ctx: NodeContext) -> Value:
    return ctx.add("InstanceNormalization", [ctx.input(0), ctx.input(1), ctx.input(2)], _epsilon(ctx))


@importer("GroupNormalization", since=21)
def group_normalization(ctx: NodeContext) -> Value:
    return _normalize_groups(ctx, ctx.input(1), ctx.input(2))


@importer("GroupNormalization", since=18)
def group_normalization_with_scale_per_group(ctx: NodeContext) -> Value:
    scale, bias = (_repeated(ctx, ctx.input(index), name) for index, name in ((1, "scale"), (2, "bias")))
    return _normalize_groups(ctx, scale, bias)


def _normalize_groups(ctx: NodeContext, scale: Value, bias: Value) -> Value:
    attributes = {**_epsilon(ctx), "num_groups": ctx.attr_int("num_groups")}
    return ctx.add("GroupNormalization", [ctx.input(0), scale, bias], attributes)


def _repeated(ctx: NodeContext, value: Value, name: str) -> Value:
    """One number per group as one per channel."""
    channels, groups = ctx.input(0).type.shape[1:2], ctx.attr_int("num_groups")
    if value.type.shape != (groups,) or not channels or groups < 1 or channels[0] % groups:
        raise ctx.error(f"input {name} is {value.type} for {groups} groups of an X of {ctx.input(0).type}")
    columns = reshaped(ctx, value, (groups, 1), f"{name}_column")
    wide = ctx.add("Expand", [columns], {"shape": (groups, channels[0] // groups)}, part=f"{name}_rows")
    return reshaped(ctx, wide, channels, f"{name}_channels")


@importer("LayerNormalization", since=17)
def layer_normalization(ctx: NodeContext) -> list[Value | None]:
    """Mean and InvStdDev, which training reads, are computed apart where they are asked for."""
    x = ctx.input(0)
    axis = axis_of(ctx, ctx.attr_int("axis", -1), x.type.rank)
    y = ctx.add("LayerNormalization", [x, ctx.input(1), ctx.optional_input(2)], {**_epsilon(ctx), "axis": axis})
    return [y, *_statistics(ctx, axis)] if any(ctx.outputs[1:]) else [y]


def _statistics(ctx: NodeContext, axis: int) -> list[Value]:
    x = ctx.input(0)
    if ctx.attr_int("stash_type", TensorProto.FLOAT) == TensorProto.FLOAT and x.type.elem is not ElemKind.FLOAT:
        x = ctx.add("Cast", [x], {"to": ElemKind.FLOAT.name}, part="float")
    over: dict[str, Attribute] = {"axes": tuple(range(axis, x.type.rank)), "keepdims": True}
    mean = ctx.add("ReduceMean", [x], over, output=1)
    centred = ctx.add("Sub", [x, mean], part="centred")
    variance = ctx.add("ReduceMean", [ctx.add("Mul", [centred, centred], part="squares")], over, part="variance")
    epsilon = number(ctx, ctx.attr_float("epsilon", OPS[ctx.operator].attributes["epsilon"]), x, "epsilon")
    deviation = ctx.add("Sqrt", [ctx.add("Add", [variance, epsilon], part="sum")], part="deviation")
    return [mean, ctx.add("Div", [number(ctx, 1, x, "one"), deviation], output=2)]


def _epsilon(ctx: NodeContext) -> dict[str, Attribute]:
    return {"epsilon": ctx.attr_float("epsilon", OPS[ctx.operator].attributes["epsilon"])}
