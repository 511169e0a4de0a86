"""Importers of the arithmetic operators: Add, Sub, Mul, Div, Reciprocal, Pow, PRelu, Min, Max, Sum, Mean.

Until opset 6 the binary ones broadcast only with `broadcast=1`: B's shape is a run of A's dimensions that starts at
`axis`, or ends where A's ends. Sum, Mean, Min and Max do not broadcast until opset 7. From then on all broadcast as
in NumPy.
"""

from __future__ import annotations

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import shape_text


@importer("Add", since=7)
@importer("Sub", since=7)
@importer("Mul", since=7)
@importer("Div", since=7)
@importer("Pow", since=7)
@importer("PRelu", since=7)
def binary(ctx: NodeContext) -> Value:
    return ctx.add(ctx.operator, [ctx.input(0), ctx.input(1)])


@importer("Reciprocal", since=1)
def reciprocal(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    return ctx.add("Div", [number(ctx, 1, x, "one"), x])


@importer("Mod", since=10)
def mod(ctx: NodeContext) -> Value:
    return ctx.add("Mod", [ctx.input(0), ctx.input(1)], {"fmod": ctx.attr_bool("fmod", False)})


# Forms of opsets 1 to 6


@importer("Add", since=1)
@importer("Sub", since=1)
@importer("Mul", since=1)
@importer("Div", since=1)
@importer("Pow", since=1)
def binary_at_axis(ctx: NodeContext) -> Value:
    return ctx.add(ctx.operator, operands_at_axis(ctx))


def operands_at_axis(ctx: NodeContext) -> tuple[Value, Value]:
    """The operands A and B, which broadcast as in NumPy."""
    a, b = ctx.input(0), ctx.input(1)
    if ctx.attr_bool("broadcast", False):
        b = reshaped(ctx, b, _shape_at_axis(ctx, a.type.shape, b.type.shape), "broadcast")
    elif a.type.shape != b.type.shape:
        raise ctx.error(
            f"inputs are {a.type} and {b.type}",
            attribute="broadcast",
            hint="below opset 7 it must be 1 for inputs of different shapes",
        )
    return a, b


def _shape_at_axis(ctx: NodeContext, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that puts B's dimensions under A's from `axis` on, ones behind it; () for a single element."""
    if all(size == 1 for size in b):
        return ()
    start = ctx.attr_int("axis", len(a) - len(b))
    if start < 0:
        start += len(a)
    under = a[start : start + len(b)] if start >= 0 else ()
    if len(under) != len(b) or any(size not in (1, own) for size, own in zip(b, under, strict=True)):
        raise ctx.error(
            f"input B of {shape_text(b)} is no run of the dimensions of A, {shape_text(a)}, that starts at {start}",
            attribute="axis",
        )
    return b + (1,) * (len(a) - start - len(b))


@importer("PRelu", since=1)
def prelu_per_channel(ctx: NodeContext) -> Value:
    """A slope of rank 1 counts channels, dimension 1 of X."""
    x, slope = ctx.input(0), ctx.input(1)
    if slope.type.elements == 1:
        slope = reshaped(ctx, slope, (), "slope")
    elif slope.type.rank == 1 and x.type.rank > 1 and slope.type.shape == x.type.shape[1:2]:
        slope = reshaped(ctx, slope, (slope.type.shape[0], *(1 for _ in x.type.shape[2:])), "slope")
    return ctx.add("PRelu", [x, slope])


# Any number of operands


def _chain(ctx: NodeContext, kind: str, *, last: str = "") -> Value:
    """The inputs joined from left to right by the binary `kind`; the final node is part `last`."""
    result = ctx.input(0)
    for index in range(1, len(ctx.inputs)):
        final = index == len(ctx.inputs) - 1
        result = ctx.add(kind, [result, ctx.input(index)], part=last if final else f"{kind.lower()}{index}")
    return result


def _check_equal_shapes(ctx: NodeContext) -> None:
    first = ctx.input(0).type
    for index in range(1, len(ctx.inputs)):
        type = ctx.input(index).type
        if type.shape != first.shape:
            raise ctx.error(f"inputs are {first} and {type}", hint="below opset 8 all must have one shape")


@importer("Min", since=8)
@importer("Max", since=8)
def extreme(ctx: NodeContext) -> Value:
    return _chain(ctx, ctx.operator)


@importer("Sum", since=8)
def total(ctx: NodeContext) -> Value:
    return _chain(ctx, "Add")


@importer("Mean", since=8)
def mean(ctx: NodeContext) -> Value:
    if len(ctx.inputs) == 1:
        return ctx.input(0)
    sum_of_all = _chain(ctx, "Add", last="sum")
    return ctx.add("Div", [sum_of_all, number(ctx, len(ctx.inputs), sum_of_all, "count")])


@importer("Min", since=1)
@importer("Max", since=1)
def extreme_of_equal_shapes(ctx: NodeContext) -> Value:
    _check_equal_shapes(ctx)
    return extreme(ctx)


@importer("Sum", since=1)
def total_of_equal_shapes(ctx: NodeContext) -> Value:
    _check_equal_shapes(ctx)
    return total(ctx)


@importer("Mean", since=1)
def mean_of_equal_shapes(ctx: NodeContext) -> Value:
    _check_equal_shapes(ctx)
    return mean(ctx)
