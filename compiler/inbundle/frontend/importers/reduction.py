"""Importers of the reductions: ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, those that are a ReduceSum of
something, ArgMax, ArgMin, CumSum, TopK.

Until opset 12 (ReduceSum) or 17 (the others) the axes are an attribute, after that an optional input.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.types import ElemKind

_AXES_BY_ATTRIBUTE = ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
_OF_SUMS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare")


def _resolved(ctx: NodeContext, axes: Sequence[int]) -> tuple[int, ...]:
    """No axes are all of them, or none if the node says so."""
    rank = ctx.input(0).type.rank
    if not axes:
        return () if ctx.attr_bool("noop_with_empty_axes", False) else tuple(range(rank))
    return tuple(sorted(axes_of(ctx, axes, rank)))


def _axes_attribute(ctx: NodeContext) -> tuple[int, ...]:
    return _resolved(ctx, ctx.attr_ints("axes", ()))


def _axes_input(ctx: NodeContext) -> tuple[int, ...]:
    return _resolved(ctx, ctx.constant_ints(1, "axes") if ctx.has_input(1) else ())


def _reduce(ctx: NodeContext, axes: tuple[int, ...]) -> Value:
    data = ctx.input(0)
    if not axes and ctx.attr_bool("noop_with_empty_axes", False):
        return data
    return ctx.add(ctx.operator, [data], {"axes": axes, "keepdims": ctx.attr_bool("keepdims", True)})


def reduce_by_attribute(ctx: NodeContext) -> Value:
    return _reduce(ctx, _axes_attribute(ctx))


def reduce_by_input(ctx: NodeContext) -> Value:
    return _reduce(ctx, _axes_input(ctx))


importer("ReduceSum", since=1)(reduce_by_attribute)
importer("ReduceSum", since=13)(reduce_by_input)
for _operator in _AXES_BY_ATTRIBUTE:
    importer(_operator, since=1)(reduce_by_attribute)
    importer(_operator, since=18)(reduce_by_input)


# Sums of something


def _of_sum(ctx: NodeContext, axes: tuple[int, ...]) -> Value:
    x = ctx.input(0)
    attributes: dict[str, Attribute] = {"axes": axes, "keepdims": ctx.attr_bool("keepdims", True)}
    match ctx.operator:
        case "ReduceL1":
            return ctx.add("ReduceSum", [ctx.add("Abs", [x], part="sizes")], attributes)
        case "ReduceSumSquare":
            return ctx.add("ReduceSum", [ctx.add("Mul", [x, x], part="squares")], attributes)
        case "ReduceLogSumExp":
            return _log_sum_exp(ctx, x, attributes)
    inner = ctx.add("Mul", [x, x], part="squares") if ctx.operator == "ReduceL2" else x
    return _of_float(ctx, "Sqrt" if ctx.operator == "ReduceL2" else "Log", inner, attributes)


def _of_float(ctx: NodeContext, kind: str, x: Value, attributes: dict[str, Attribute]) -> Value:
    """A function of floats of the sum, which integers become for a while."""
    total = ctx.add("ReduceSum", [x], attributes, part="sum")
    if x.type.elem.is_float:
        return ctx.add(kind, [total])
    wide = ctx.add("Cast", [total], {"to": ElemKind.FLOAT64.name}, part="double")
    return ctx.add("Cast", [ctx.add(kind, [wide], part="function")], {"to": x.type.elem.name})


def _log_sum_exp(ctx: NodeContext, x: Value, attributes: dict[str, Attribute]) -> Value:
    """The largest element is taken out of the sum, so that no power overflows; where it is infinite, nothing is."""
    wide = x if x.type.elem.is_float else ctx.add("Cast", [x], {"to": ElemKind.FLOAT64.name}, part="double")
    largest = ctx.add("ReduceMax", [wide], {**attributes, "keepdims": True}, part="largest")
    is_infinite = ctx.add("IsInf", [largest], part="is_infinite")
    taken = ctx.add("Where", [is_infinite, number(ctx, 0, wide, "zero"), largest], part="taken")
    powers = ctx.add("Exp", [ctx.add("Sub", [wide, taken], part="rest")], part="powers")
    total = ctx.add("Log", [ctx.add("ReduceSum", [powers], attributes, part="sum")], part="logarithm")
    back = reshaped(ctx, taken, total.type.shape, "back")
    result = ctx.add("Add", [total, back], part="" if wide is x else "result")
    return result if wide is x else ctx.add("Cast", [result], {"to": x.type.elem.name})


def of_sum_by_attribute(ctx: NodeContext) -> Value:
    return _of_sum(ctx, _axes_attribute(ctx))


def of_sum_by_input(ctx: NodeContext) -> Value:
    return _of_sum(ctx, _axes_input(ctx))


for _operator in _OF_SUMS:
    importer(_operator, since=1)(of_sum_by_attribute)
    importer(_operator, since=18)(of_sum_by_input)


@importer("CumSum", since=11)
def cumulate(ctx: NodeContext) -> Value:
    data, axes = ctx.input(0), ctx.constant_ints(1, "axis")
    if len(axes) != 1:
        raise ctx.error(f"axis (input 1) is {ctx.input(1).type}, a single number is needed")
    flags: dict[str, Attribute] = {name: ctx.attr_bool(name, False) for name in ("exclusive", "reverse")}
    return ctx.add("CumSum", [data], {"axis": axis_of(ctx, axes[0], data.type.rank), **flags})


@importer("ArgMax", since=1)
@importer("ArgMin", since=1)
def arg_extreme(ctx: NodeContext) -> Value:
    data = ctx.input(0)
    attributes = {
        "axis": axis_of(ctx, ctx.attr_int("axis", 0), data.type.rank),
        "keepdims": ctx.attr_bool("keepdims", True),
        "select_last_index": ctx.attr_bool("select_last_index", False),
    }
    return ctx.add(ctx.operator, [data], attributes)


@importer("TopK", since=1)
def top_by_attribute(ctx: NodeContext) -> list[Value]:
    return _top(ctx, ctx.attr_int("k"))


@importer("TopK", since=10)
def top_by_input(ctx: NodeContext) -> list[Value]:
    """The results are sorted whether the node asks for that or not."""
    return _top(ctx, ctx.constant_ints(1, "K")[0])


def _top(ctx: NodeContext, k: int) -> list[Value]:
    axis = axis_of(ctx, ctx.attr_int("axis", -1), ctx.input(0).type.rank)
    return ctx.add_all("TopK", [ctx.input(0)], {"axis": axis, "k": k, "largest": ctx.attr_bool("largest", True)})
