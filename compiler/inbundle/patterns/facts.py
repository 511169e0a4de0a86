"""What patterns ask about a graph as a whole: who reads a value, what the model shows, what stands before what."""

from __future__ import annotations

from inbundle.graph.graph import Graph, Node, Value


class Facts:
    """An index of a graph as it is now.

    Attributes:
        readers: value -> (node, operand) pairs that read it, in graph order.
        shown: the values that are model outputs.
        position: node -> its place in the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.readers: dict[Value, list[tuple[Node, int]]] = {}
        self.shown: set[Value] = set(graph.outputs.values())
        self.position: dict[Node, int] = {node: index for index, node in enumerate(graph.nodes)}
        for node in graph.nodes:
            for index, value in enumerate(node.inputs):
                if value is not None:
                    self.readers.setdefault(value, []).append((node, index))

    def readers_of(self, value: Value) -> list[tuple[Node, int]]:
        return self.readers.get(value, [])
