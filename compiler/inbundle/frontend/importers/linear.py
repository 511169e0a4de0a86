"""Importers of Gemm and MatMul.

Until opset 6 Gemm's C has the result's shape unless the attribute `broadcast` is set; from 7 on it always broadcasts,
from 11 on it is optional.
"""

from __future__ import annotations

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import shape_text


@importer("Gemm", since=7)
def gemm(ctx: NodeContext) -> Value:
    attributes = {
        "alpha": ctx.attr_float("alpha", 1.0),
        "beta": ctx.attr_float("beta", 1.0),
        "transA": ctx.attr_bool("transA", False),
        "transB": ctx.attr_bool("transB", False),
    }
    return ctx.add("Gemm", [ctx.input(0), ctx.input(1), ctx.optional_input(2)], attributes)


@importer("Gemm", since=1)
def gemm_with_broadcast(ctx: NodeContext) -> Value:
    result = gemm(ctx)
    c = ctx.input(2).type
    if c.shape != result.type.shape and not ctx.attr_bool("broadcast", False):
        raise ctx.error(
            f"input C is {c}, the result is {shape_text(result.type.shape)}",
            attribute="broadcast",
            hint="below opset 7 it must be 1 to let C broadcast",
        )
    return result


@importer("MatMul", since=1)
def matmul(ctx: NodeContext) -> Value:
    return ctx.add("MatMul", [ctx.input(0), ctx.input(1)])
