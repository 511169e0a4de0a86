"""Importers of MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool.

Later opsets only add attributes (storage_order at 8, ceil_mode and MaxPool's dilations at 10, AveragePool's at 19,
count_include_pad at 7), whose defaults are the older meaning, so one form serves all versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.windows import auto_pad, window_attributes
from inbundle.graph.graph import Attribute, Value


def _pool_attributes(ctx: NodeContext) -> dict[str, Attribute]:
    """ONNX gives the output of VALID and SAME_* a size of its own, which is that of the resolved pads without
    ceil_mode."""
    attributes = window_attributes(ctx, ctx.input(0), ctx.attr_ints("kernel_shape"))
    attributes["ceil_mode"] = ctx.attr_bool("ceil_mode", False) and auto_pad(ctx) == "NOTSET"
    return attributes


@importer("MaxPool", since=1)
def max_pool(ctx: NodeContext) -> Sequence[Value]:
    attributes = {**_pool_attributes(ctx), "storage_order": ctx.attr_int("storage_order", 0)}
    return ctx.add_all("MaxPool", [ctx.input(0)], attributes)


@importer("AveragePool", since=1)
def average_pool(ctx: NodeContext) -> Value:
    attributes = {**_pool_attributes(ctx), "count_include_pad": ctx.attr_bool("count_include_pad", False)}
    return ctx.add("AveragePool", [ctx.input(0)], attributes)


@importer("GlobalMaxPool", since=1)
@importer("GlobalAveragePool", since=1)
def global_pool(ctx: NodeContext) -> Value:
    return ctx.add(ctx.operator, [ctx.input(0)])
