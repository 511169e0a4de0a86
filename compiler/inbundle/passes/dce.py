"""DCE: nodes, optional results and constants without effect on a model output are deleted.

Before:
    %y, %indices = MaxPool(%x)
    %z = Relu(%c)
    outputs: %y

After:
    %y = MaxPool(%x)
    outputs: %y

Placeholders stay: they are the model's interface.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops import OPS


def delete_unused(graph: Graph) -> None:
    used: set[Value] = set(graph.outputs.values())
    kept = []
    for node in reversed(graph.nodes):
        if used.isdisjoint(node.outputs):
            continue
        used.update(value for value in node.inputs if value is not None)
        _drop_optional_results(node, used)
        kept.append(node)
    graph.nodes[:] = reversed(kept)
    graph.constants[:] = [constant for constant in graph.constants if constant in used]


def _drop_optional_results(node: Node, used: set[Value]) -> None:
    """Only at the end: results are told apart by their position."""
    names = OPS[node.kind].outputs
    while node.outputs[-1] not in used and names[min(len(node.outputs), len(names)) - 1].endswith("?"):
        node.outputs.pop()
