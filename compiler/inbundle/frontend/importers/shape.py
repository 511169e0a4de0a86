"""Importers of what keeps all elements: Reshape and its kin, Transpose, Expand, Identity, Dropout, Cast.

Flatten, Squeeze and Unsqueeze become Reshape; Identity and Dropout (inference) vanish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.frontend.tensors import elem_kind
from inbundle.graph.graph import Value
from inbundle.graph.types import ElemKind


def _reshaped(ctx: NodeContext, shape: Sequence[int]) -> Value:
    return reshaped(ctx, ctx.input(0), tuple(shape))


@importer("Flatten", since=1)
def flatten(ctx: NodeContext) -> Value:
    shape = ctx.input(0).type.shape
    axis, rank = ctx.attr_int("axis", 1), len(shape)
    if axis != rank:
        axis = axis_of(ctx, axis, rank)
    return _reshaped(ctx, (math.prod(shape[:axis]), math.prod(shape[axis:])))


@importer("Reshape", since=1)
def reshape_by_attribute(ctx: NodeContext) -> Value:
    return _reshape(ctx, ctx.attr_ints("shape", ()), allow_zero=False)


@importer("Reshape", since=5)
def reshape_by_input(ctx: NodeContext) -> Value:
    return _reshape(ctx, ctx.constant_ints(1, "shape"), allow_zero=ctx.attr_bool("allowzero", False))


def _reshape(ctx: NodeContext, wanted: Sequence[int], *, allow_zero: bool) -> Value:
    """0 in `wanted` keeps the dimension unless `allow_zero`; one -1 takes what is left."""
    type = ctx.input(0).type
    shape = [_kept(ctx, wanted, axis) if size == 0 and not allow_zero else size for axis, size in enumerate(wanted)]
    if shape.count(-1) > 1 or any(size < -1 for size in shape):
        raise ctx.error(f"the shape {list(wanted)} has more than one unknown dimension or a negative one")
    if -1 in shape:
        known = math.prod(size for size in shape if size != -1)
        if known == 0 or type.elements % known:
            raise ctx.error(f"cannot reshape {type} ({type.elements} elements) to {list(wanted)}")
        shape[shape.index(-1)] = type.elements // known
    return _reshaped(ctx, shape)


def _kept(ctx: NodeContext, wanted: Sequence[int], axis: int) -> int:
    type = ctx.input(0).type
    if axis >= type.rank:
        raise ctx.error(f"the shape {list(wanted)} keeps dimension {axis}, but the data is {type}")
    return type.shape[axis]


@importer("Squeeze", since=1)
def squeeze_by_attribute(ctx: NodeContext) -> Value:
    return _squeeze(ctx, ctx.optional_ints("axes"))


@importer("Squeeze", since=13)
def squeeze_by_input(ctx: NodeContext) -> Value:
    return _squeeze(ctx, ctx.constant_ints(1, "axes") if ctx.has_input(1) else None)


def _squeeze(ctx: NodeContext, axes: Sequence[int] | None) -> Value:
    type = ctx.input(0).type
    if axes is None:
        return _reshaped(ctx, tuple(size for size in type.shape if size != 1))
    dropped = axes_of(ctx, axes, type.rank)
    for axis in dropped:
        if type.shape[axis] != 1:
            raise ctx.error(f"cannot squeeze axis {axis} of {type}: its size is not 1", attribute="axes")
    return _reshaped(ctx, tuple(size for axis, size in enumerate(type.shape) if axis not in dropped))


@importer("Unsqueeze", since=1)
def unsqueeze_by_attribute(ctx: NodeContext) -> Value:
    return _unsqueeze(ctx, ctx.attr_ints("axes"))


@importer("Unsqueeze", since=13)
def unsqueeze_by_input(ctx: NodeContext) -> Value:
    return _unsqueeze(ctx, ctx.constant_ints(1, "axes"))


def _unsqueeze(ctx: NodeContext, axes: Sequence[int]) -> Value:
    type = ctx.input(0).type
    rank = type.rank + len(axes)
    new = axes_of(ctx, axes, rank)
    old = iter(type.shape)
    return _reshaped(ctx, tuple(1 if axis in new else next(old) for axis in range(rank)))


@importer("Transpose", since=1)
def transpose(ctx: NodeContext) -> Value:
    data = ctx.input(0)
    return ctx.add("Transpose", [data], {"perm": ctx.attr_ints("perm", tuple(reversed(range(data.type.rank))))})


@importer("Expand", since=8)
def expand(ctx: NodeContext) -> Value:
    """ONNX broadcasts both ways: a dimension of 1 in the wanted shape keeps that of the data."""
    old, new = ctx.input(0).type.shape, ctx.constant_ints(1, "shape")
    rank = max(len(old), len(new))
    pairs = zip((1,) * (rank - len(old)) + old, (1,) * (rank - len(new)) + new, strict=True)
    shape = tuple(size if wanted == 1 else wanted for size, wanted in pairs)
    return ctx.add("Expand", [ctx.input(0)], {"shape": shape})


@importer("Identity", since=1)
def identity(ctx: NodeContext) -> Value:
    return ctx.input(0)


@importer("Dropout", since=1)
def dropout(ctx: NodeContext) -> list[Value]:
    """What is compiled is inference, so `is_test` of the oldest versions, often left out by exporters, is not asked."""
    return _without_dropout(ctx, mask=ctx.input(0).type.elem if ctx.opset < 10 else ElemKind.BOOL)


@importer("Dropout", since=12)
def dropout_with_training_mode(ctx: NodeContext) -> list[Value]:
    training = ctx.optional_constant(2, "training_mode")
    if training is not None and training.any():
        raise ctx.unsupported("training_mode is true; a bundle runs inference only")
    return _without_dropout(ctx, mask=ElemKind.BOOL)


def _without_dropout(ctx: NodeContext, mask: ElemKind) -> list[Value]:
    data = ctx.input(0)
    if len(ctx.outputs) < 2 or not ctx.outputs[1]:
        return [data]
    return [data, ctx.new_constant(np.ones(data.type.shape, mask.dtype), "mask")]


@importer("Cast", since=1)
def cast_by_name(ctx: NodeContext) -> Value:
    """The oldest version names the type by a string such as "FLOAT"."""
    name = ctx.attr_string("to")
    numbers = dict(TensorProto.DataType.items())
    if name not in numbers:
        raise ctx.error(f"'{name}' is no element type", attribute="to")
    return _cast(ctx, elem_kind(numbers[name], "the result"))


@importer("Cast", since=6)
def cast(ctx: NodeContext) -> Value:
    return _cast(ctx, elem_kind(ctx.attr_int("to"), "the result"))


@importer("CastLike", since=15)
def cast_like(ctx: NodeContext) -> Value:
    return _cast(ctx, ctx.input(1).type.elem)


def _cast(ctx: NodeContext, kind: ElemKind) -> Value:
    data = ctx.input(0)
    return data if data.type.elem is kind else ctx.add("Cast", [data], {"to": kind.name})
