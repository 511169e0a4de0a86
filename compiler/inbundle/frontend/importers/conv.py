"""Importer of Conv (1, 11, 22: one form)."""

from __future__ import annotations

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.windows import window_attributes
from inbundle.graph.graph import Value


@importer("Conv", since=1)
def conv(ctx: NodeContext) -> Value:
    x, w = ctx.input(0), ctx.input(1)
    kernel = ctx.attr_ints("kernel_shape", w.type.shape[2:])
    attributes = window_attributes(ctx, x, kernel)
    return ctx.add("Conv", [x, w, ctx.optional_input(2)], {**attributes, "group": ctx.attr_int("group", 1)})
