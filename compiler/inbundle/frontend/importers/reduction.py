"""Importers of the reductions: ReduceSum, ReduceMean, ReduceMax, ReduceMin, ArgMax, ArgMin.

Until opset 12 (ReduceSum) or 17 (the others) the axes are an attribute, after that an optional input.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Value


def _reduce(ctx: NodeContext, axes: Sequence[int]) -> Value:
    data = ctx.input(0)
    if not axes and ctx.attr_bool("noop_with_empty_axes", False):
        return data
    rank = data.type.rank
    resolved = tuple(sorted(axes_of(ctx, axes, rank))) if axes else tuple(range(rank))
    return ctx.add(ctx.operator, [data], {"axes": resolved, "keepdims": ctx.attr_bool("keepdims", True)})


@importer("ReduceSum", since=1)
@importer("ReduceMean", since=1)
@importer("ReduceMax", since=1)
@importer("ReduceMin", since=1)
def reduce_by_attribute(ctx: NodeContext) -> Value:
    return _reduce(ctx, ctx.attr_ints("axes", ()))


@importer("ReduceSum", since=13)
@importer("ReduceMean", since=18)
@importer("ReduceMax", since=18)
@importer("ReduceMin", since=18)
def reduce_by_input(ctx: NodeContext) -> Value:
    return _reduce(ctx, ctx.constant_ints(1, "axes") if ctx.has_input(1) else ())


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
