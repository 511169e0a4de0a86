"""Matrix products. The IR's matmul takes matrices only, so vectors are seen as matrices."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


@lowers("Gemm")
def _gemm(context: Context, node: Node) -> None:
    attributes = {
        "Alpha": node.attributes["alpha"],
        "Beta": node.attributes["beta"],
        "TransA": node.attributes["transA"],
        "TransB": node.attributes["transB"],
    }
    context.emit("fullyconnected", node, context.inputs(node), attributes)


@lowers("MatMul")
def _matmul(context: Context, node: Node) -> None:
    """A vector is a row on the left and a column on the right; the result loses that dimension."""
    left, right = context.input(node, 0), context.input(node, 1)
    row, column = left.type.rank == 1, right.type.rank == 1
    shape = list(node.output.type.shape)
    if column:
        right = context.view(node, right, (*right.type.shape, 1))
        shape.append(1)
    if row:
        left = context.view(node, left, (1, *left.type.shape))
        shape.insert(len(shape) - 1, 1)
    context.emit("matmul", node, [left, right], type=node.output.type.with_shape(tuple(shape)))
