"""Importers of what picks, joins or surrounds elements: Concat, Split, Slice, Pad, Gather."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Attribute, Value


@importer("Concat", since=1)
def concat_with_default_axis(ctx: NodeContext) -> Value:
    return _concat(ctx, ctx.attr_int("axis", 1))


@importer("Concat", since=4)
def concat(ctx: NodeContext) -> Value:
    return _concat(ctx, ctx.attr_int("axis"))


def _concat(ctx: NodeContext, axis: int) -> Value:
    inputs = [ctx.input(index) for index in range(len(ctx.inputs))]
    return ctx.add("Concat", inputs, {"axis": axis_of(ctx, axis, inputs[0].type.rank)})


@importer("Gather", since=1)
def gather(ctx: NodeContext) -> Value:
    data = ctx.input(0)
    axis = axis_of(ctx, ctx.attr_int("axis", 0), data.type.rank)
    return ctx.add("Gather", [data, ctx.input(1)], {"axis": axis})


@importer("Split", since=1)
def split_by_attribute(ctx: NodeContext) -> list[Value]:
    """The sizes are an attribute, or (version 1 only) an input."""
    sizes = ctx.constant_ints(1, "split") if ctx.has_input(1) else ctx.optional_ints("split")
    return _split(ctx, sizes)


@importer("Split", since=13)
def split_by_input(ctx: NodeContext) -> list[Value]:
    return _split(ctx, ctx.constant_ints(1, "split") if ctx.has_input(1) else None)


@importer("Split", since=18)
def split_by_input_or_count(ctx: NodeContext) -> list[Value]:
    if ctx.has_attribute("num_outputs") == ctx.has_input(1):
        raise ctx.error("needs either the input 'split' or the attribute", attribute="num_outputs")
    if ctx.has_input(1):
        return _split(ctx, ctx.constant_ints(1, "split"))
    size, count = _split_size(ctx), ctx.attr_int("num_outputs")
    if count != len(ctx.outputs):
        raise ctx.error(f"{count} outputs wanted, the node has {len(ctx.outputs)}", attribute="num_outputs")
    chunk = -(-size // count)
    return _split(ctx, [max(min(chunk, size - index * chunk), 0) for index in range(count)])


def _split_size(ctx: NodeContext) -> int:
    shape = ctx.input(0).type.shape
    return shape[axis_of(ctx, ctx.attr_int("axis", 0), len(shape))]


def _split(ctx: NodeContext, sizes: Sequence[int] | None) -> list[Value]:
    """One Slice per output; without `sizes` all are equal."""
    size, count = _split_size(ctx), len(ctx.outputs)
    if sizes is None:
        if size % count:
            raise ctx.error(f"cannot split {size} elements into {count} equal parts", attribute="split")
        sizes = [size // count] * count
    if len(sizes) != count or sum(sizes) != size or min(sizes) < 0:
        raise ctx.error(f"{list(sizes)} does not split {size} elements into {count} outputs", attribute="split")
    starts = accumulate(sizes, initial=0)
    return [
        _split_part(ctx, index, start, part) for index, (start, part) in enumerate(zip(starts, sizes, strict=False))
    ]


def _split_part(ctx: NodeContext, output: int, start: int, size: int) -> Value:
    data = ctx.input(0)
    axis = axis_of(ctx, ctx.attr_int("axis", 0), data.type.rank)
    starts, shape = [0] * data.type.rank, list(data.type.shape)
    starts[axis], shape[axis] = start, size
    attributes = {"starts": tuple(starts), "steps": (1,) * data.type.rank, "shape": tuple(shape)}
    return ctx.add("Slice", [data], attributes, output=output)


@importer("Slice", since=1)
def slice_by_attributes(ctx: NodeContext) -> Value:
    return _slice(ctx, ctx.attr_ints("starts"), ctx.attr_ints("ends"), ctx.optional_ints("axes"), None)


@importer("Slice", since=10)
def slice_by_inputs(ctx: NodeContext) -> Value:
    starts, ends = ctx.constant_ints(1, "starts"), ctx.constant_ints(2, "ends")
    axes = ctx.constant_ints(3, "axes") if ctx.has_input(3) else None
    return _slice(ctx, starts, ends, axes, ctx.constant_ints(4, "steps") if ctx.has_input(4) else None)


def _slice(
    ctx: NodeContext,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> Value:
    data = ctx.input(0)
    where = axes_of(ctx, range(len(starts)) if axes is None else axes, data.type.rank)
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(where) == len(steps):
        raise ctx.error(f"starts, ends, axes and steps differ in length: {starts}, {ends}, {where}, {steps}")
    first, by, shape = [0] * data.type.rank, [1] * data.type.rank, list(data.type.shape)
    for axis, start, end, step in zip(where, starts, ends, steps, strict=True):
        if step == 0:
            raise ctx.error(f"the step of axis {axis} is 0")
        taken = _taken(data.type.shape[axis], start, end, step)
        first[axis], by[axis], shape[axis] = (taken.start if taken else 0), step, len(taken)
    return ctx.add("Slice", [data], {"starts": tuple(first), "steps": tuple(by), "shape": tuple(shape)})


def _taken(size: int, start: int, end: int, step: int) -> range:
    """The indices of a slice along an axis. Unlike in NumPy a start before the first element is the first element,
    backwards, too."""
    if step > 0:
        return range(size)[start:end:step]
    first, last = (bound + size if bound < 0 else bound for bound in (start, end))
    return range(min(max(first, 0), size - 1), min(max(last, -1), size - 1), step)


@importer("Pad", since=1)
def pad_by_paddings(ctx: NodeContext) -> Value:
    return _pad(ctx, ctx.attr_ints("paddings"), ctx.attr_float("value", 0.0))


@importer("Pad", since=2)
def pad_by_pads(ctx: NodeContext) -> Value:
    return _pad(ctx, ctx.attr_ints("pads"), ctx.attr_float("value", 0.0))


@importer("Pad", since=11)
def pad_by_inputs(ctx: NodeContext) -> Value:
    """Input 3, the axes that `pads` speaks of, came with version 18."""
    rank = ctx.input(0).type.rank
    pads = ctx.constant_ints(1, "pads")
    if ctx.has_input(3):
        axes = axes_of(ctx, ctx.constant_ints(3, "axes"), rank)
        if len(pads) != 2 * len(axes):
            raise ctx.error(f"pads {list(pads)} need two entries for each of the axes {list(axes)}")
        pads = _spread(pads, axes, rank)
    return _pad(ctx, pads, _pad_value(ctx))


def _spread(pads: Sequence[int], axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """`pads` of `axes` as pads of all axes: the begins, then the ends."""
    full = [0] * (2 * rank)
    for at, axis in enumerate(axes):
        full[axis], full[axis + rank] = pads[at], pads[at + len(axes)]
    return tuple(full)


def _pad_value(ctx: NodeContext) -> float:
    given = ctx.optional_constant(2, "constant_value")
    if given is None or given.size == 0:
        return 0.0
    if given.size != 1:
        raise ctx.error(f"constant_value (input 2) is {ctx.input(2).type}, not one element")
    value = given.reshape(()).item()
    if isinstance(value, int) and int(float(value)) != value:
        raise ctx.unsupported(f"the fill value {value} has no exact floating-point form")
    return float(value)


def _pad(ctx: NodeContext, pads: Sequence[int], value: float) -> Value:
    attributes: dict[str, Attribute] = {
        "pads": tuple(pads),
        "mode": ctx.attr_string("mode", "constant"),
        "value": value,
    }
    return ctx.add("Pad", [ctx.input(0)], attributes)
