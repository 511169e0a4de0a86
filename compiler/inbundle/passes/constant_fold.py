"""ConstantFold: nodes that depend on constants only become constants.

Before:
    %a = Transpose(%c) {perm: [1, 0]}
    %b = Mul(%a, %d)
    %y = MatMul(%x, %b)

After:
    %y = MatMul(%x, %b)                   with %b a constant

Shape arithmetic is gone by then: shapes are static, so it is constant, and the importers need its values.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.onnx.folding import fold_node
from inbundle.passes.rewiring import replace_nodes


def fold_constants(graph: Graph) -> None:
    def constants(node: Node) -> Sequence[Value] | None:
        results = fold_node(node)
        if results is None:
            return None
        names = (value.name or f"{node.name}_unused" for value in node.outputs)
        return [graph.add_constant(name, data) for name, data in zip(names, results, strict=True)]

    replace_nodes(graph, constants)
