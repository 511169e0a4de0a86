"""Importers of operators that take or put single elements by their indices: GatherElements, GatherND, ScatterElements,
ScatterND, OneHot, Compress, ReverseSequence.

An element is found by its index in the flattened tensor, which the graph computes, so that a Gather along one axis is
all that is needed. What is computed from constant indices is constant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inbundle.frontend.axes import axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Constant, Value
from inbundle.graph.types import ElemKind, row_major


def _from_start(ctx: NodeContext, indices: Value, size: int, part: str) -> Value:
    """Indices from 0 on, in place of negative ones, which count from the end."""
    if isinstance(indices, Constant):
        known = indices.data.astype(np.int64)
        if known.size and not -size <= known.min() <= known.max() < size:
            raise ctx.error(f"an index of '{indices.name}' is outside [{-size}, {size - 1}]")
        return ctx.new_constant(np.where(known < 0, known + size, known), part)
    return _wrapped(ctx, indices, size, part)


def _wrapped(ctx: NodeContext, indices: Value, size: int, part: str) -> Value:
    """Indices with `size` added to negative ones, whatever they are then."""
    wide = _as_int64(ctx, indices, f"{part}_wide")
    is_negative = ctx.add("Less", [wide, number(ctx, 0, wide, f"{part}_zero")], part=f"{part}_is_negative")
    moved = ctx.add("Add", [wide, number(ctx, size, wide, f"{part}_size")], part=f"{part}_moved")
    return ctx.add("Where", [is_negative, moved, wide], part=part)


def _as_int64(ctx: NodeContext, indices: Value, part: str) -> Value:
    if indices.type.elem is ElemKind.INT64:
        return indices
    return ctx.add("Cast", [indices], {"to": ElemKind.INT64.name}, part=part)


def _plus(ctx: NodeContext, indices: Value, stride: int, offsets: np.ndarray, part: str) -> Value:
    """indices * stride + offsets; the offsets broadcast."""
    if isinstance(indices, Constant):
        return ctx.new_constant(indices.data * stride + offsets, part)
    scaled = indices
    if stride != 1:
        scaled = ctx.add("Mul", [indices, number(ctx, stride, indices, f"{part}_stride")], part=f"{part}_scaled")
    if not offsets.any():
        return scaled
    return ctx.add("Add", [scaled, ctx.new_constant(offsets.astype(np.int64), f"{part}_offsets")], part=part)


def _flat(ctx: NodeContext, value: Value, part: str) -> Value:
    return reshaped(ctx, value, (value.type.elements,), part)


def _of_elements(ctx: NodeContext) -> Value:
    """GatherElements' and ScatterElements' indices, as indices of the flattened data."""
    data, indices = ctx.input(0).type, ctx.input(1)
    if indices.type.rank != data.rank or not data.rank:
        raise ctx.error(f"the indices are {indices.type} for data of {data}: ranks must agree")
    axis = axis_of(ctx, ctx.attr_int("axis", 0), data.rank)
    strides = row_major(data.shape)
    offsets = np.zeros(indices.type.shape, np.int64)
    for at, (size, stride) in enumerate(zip(indices.type.shape, strides, strict=True)):
        if at != axis:
            if size > data.shape[at]:
                raise ctx.error(f"the indices are {indices.type} for data of {data}: dimension {at} is too large")
            offsets += (np.arange(size) * stride).reshape(-1, *(1,) * (data.rank - at - 1))
    start = _from_start(ctx, indices, data.shape[axis], "index")
    return _plus(ctx, start, strides[axis], offsets, "place")


@importer("GatherElements", since=11)
def gather_elements(ctx: NodeContext) -> Value:
    return ctx.add("Gather", [_flat(ctx, ctx.input(0), "flat"), _of_elements(ctx)], {"axis": 0})


def _of_tuples(ctx: NodeContext, batch: int) -> tuple[Value, int]:
    """The last dimension of the indices is a tuple of indices of the data's dimensions from `batch` on. As indices of
    what is left of the data when those dimensions, and the `batch` ones before them, are one; and how many those are.
    """
    data, indices = ctx.input(0).type, ctx.input(1)
    count = indices.type.shape[-1] if indices.type.rank else 0
    if not indices.type.rank or not 0 <= count <= data.rank - batch or indices.type.shape[:batch] != data.shape[:batch]:
        raise ctx.error(f"the indices are {indices.type} for data of {data} with {batch} batch dimensions")
    depth = batch + count
    strides = row_major(data.shape[:depth])
    outer = indices.type.shape[:-1]
    offsets = np.zeros(outer, np.int64)
    for at, stride in enumerate(strides[:batch]):
        offsets += (np.arange(data.shape[at]) * stride).reshape(-1, *(1,) * (len(outer) - at - 1))
    total = ctx.new_constant(offsets, "batch")
    for at in range(count):
        column = _column(ctx, indices, at)
        start = _from_start(ctx, column, data.shape[batch + at], f"index{at}")
        total = _sum(ctx, total, _plus(ctx, start, strides[batch + at], np.zeros(1, np.int64), f"step{at}"), at)
    return total, depth


def _column(ctx: NodeContext, indices: Value, at: int) -> Value:
    """Number `at` of every tuple."""
    if isinstance(indices, Constant):
        return ctx.new_constant(indices.data[..., at], f"column{at}")
    rank, outer = indices.type.rank, indices.type.shape[:-1]
    attributes = {"starts": (*(0,) * (rank - 1), at), "steps": (1,) * rank, "shape": (*outer, 1)}
    return reshaped(ctx, ctx.add("Slice", [indices], attributes, part=f"part{at}"), outer, f"column{at}")


def _sum(ctx: NodeContext, left: Value, right: Value, at: int) -> Value:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return ctx.new_constant(left.data + right.data, f"place{at}")
    if isinstance(left, Constant) and not left.data.any():
        return right
    return ctx.add("Add", [left, right], part=f"place{at}")


@importer("GatherND", since=11)
def gather_nd(ctx: NodeContext) -> Value:
    data, (places, depth) = ctx.input(0), _of_tuples(ctx, ctx.attr_int("batch_dims", 0))
    shape = data.type.shape
    rows = reshaped(ctx, data, (math.prod(shape[:depth]), *shape[depth:]), "rows")
    return ctx.add("Gather", [rows, places], {"axis": 0})


@importer("OneHot", since=9)
def one_hot(ctx: NodeContext) -> Value:
    """Indices outside [-depth, depth - 1] are nowhere on."""
    indices, values = ctx.input(0), ctx.input(2)
    depth = int(ctx.constant(1, "depth").reshape(-1)[0])
    rank = indices.type.rank
    axis = axis_of(ctx, ctx.attr_int("axis", -1), rank + 1)
    start, shape = _wrapped(ctx, indices, depth, "index"), indices.type.shape
    column = reshaped(ctx, start, (*shape[:axis], 1, *shape[axis:]), "column")
    places = ctx.new_constant(np.arange(depth).reshape(-1, *(1,) * (rank - axis)), "places")
    is_on = ctx.add("Equal", [column, places], part="is_on")
    off, on = (_element(ctx, values, at, part) for at, part in enumerate(("off", "on")))
    return ctx.add("Where", [is_on, on, off])


def _element(ctx: NodeContext, values: Value, at: int, part: str) -> Value:
    if isinstance(values, Constant):
        return ctx.new_constant(values.data[at], part)
    taken = ctx.add("Slice", [values], {"starts": (at,), "steps": (1,), "shape": (1,)}, part=f"{part}_part")
    return reshaped(ctx, taken, (), part)


@importer("Compress", since=9)
def compress(ctx: NodeContext) -> Value:
    """Which elements are kept decides the shape of the result."""
    data, condition = ctx.input(0), ctx.constant(1, "condition")
    if not ctx.has_attribute("axis"):
        data, axis = _flat(ctx, data, "flat"), 0
    else:
        axis = axis_of(ctx, ctx.attr_int("axis"), data.type.rank)
    return ctx.add("Gather", [data, ctx.new_constant(np.flatnonzero(condition), "kept")], {"axis": axis})


@importer("ReverseSequence", since=10)
def reverse_sequence(ctx: NodeContext) -> Value:
    """Element t of a sequence of n elements is element n - 1 - t, where there is one, else element t."""
    x, lengths = ctx.input(0), ctx.input(1)
    rank = x.type.rank
    batch, time = (axis_of(ctx, ctx.attr_int(f"{name}_axis", at), rank) for name, at in (("batch", 1), ("time", 0)))
    if sorted((batch, time)) != [0, 1] or lengths.type.shape != (x.type.shape[batch],):
        raise ctx.error(f"sequences along axis {time} of batch axis {batch} of {x.type}, lengths {lengths.type}")
    steps, images = x.type.shape[time], x.type.shape[batch]
    places = np.arange(steps).reshape((steps, 1) if time == 0 else (1, steps))
    per_image = reshaped(ctx, lengths, (1, images) if time == 0 else (images, 1), "lengths")
    at = ctx.new_constant(places, "places")
    back = ctx.add("Sub", [ctx.add("Sub", [per_image, number(ctx, 1, lengths, "one")], part="last"), at], part="back")
    is_inside = ctx.add("LessOrEqual", [number(ctx, 0, lengths, "zero"), back], part="is_inside")
    chosen = ctx.add("Where", [is_inside, back, at], part="chosen")
    strides = row_major(x.type.shape[:2])
    offsets = (np.arange(images) * strides[batch]).reshape(-1, *(1,) * (1 - batch))
    rows = reshaped(ctx, x, (steps * images, *x.type.shape[2:]), "rows")
    return ctx.add("Gather", [rows, _plus(ctx, chosen, strides[time], offsets, "place")], {"axis": 0})


@importer("Scatter", since=9)
@importer("ScatterElements", since=11)
def scatter_elements(ctx: NodeContext) -> Value:
    updates = ctx.input(2)
    if updates.type.shape != ctx.input(1).type.shape:
        raise ctx.error(f"the updates are {updates.type}, the indices {ctx.input(1).type}: shapes must agree")
    places, count = _of_elements(ctx), updates.type.elements
    operands = [_flat(ctx, ctx.input(0), "flat"), places, _flat(ctx, updates, "updates")]
    return _scattered(ctx, operands, count)


@importer("ScatterND", since=11)
def scatter_nd(ctx: NodeContext) -> Value:
    data, updates, (places, depth) = ctx.input(0), ctx.input(2), _of_tuples(ctx, 0)
    shape, count = data.type.shape, places.type.elements
    if updates.type.shape != (*places.type.shape, *shape[depth:]):
        raise ctx.error(f"the updates are {updates.type} for indices {ctx.input(1).type} of {data.type}")
    rows = reshaped(ctx, data, (math.prod(shape[:depth]), *shape[depth:]), "rows")
    return _scattered(ctx, [rows, places, reshaped(ctx, updates, (count, *shape[depth:]), "updates")], count)


def _scattered(ctx: NodeContext, operands: Sequence[Value], count: int) -> Value:
    """Rows of the data, which get back the shape of the node's data."""
    rows, places, updates = operands
    column = reshaped(ctx, places, (count, 1), "column")
    shape, attributes = ctx.input(0).type.shape, {"reduction": ctx.attr_string("reduction", "none")}
    part = "" if rows.type.shape == shape else "scattered"
    return reshaped(ctx, ctx.add("ScatterND", [rows, column, updates], attributes, part=part), shape)
