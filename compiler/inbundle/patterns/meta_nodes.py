"""Sub-graphs as MetaNodes and back: wrapping a match, unfolding a MetaNode."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops.meta import META, body_of
from inbundle.patterns.matcher import Boundary, Match
from inbundle.patterns.rewriter import Rewriter


def wrap(rewriter: Rewriter, match: Match, function: str) -> dict[Value, Value]:
    """The match as one MetaNode; returns what replaces each of its results."""
    boundary = Boundary(rewriter.facts, match)
    body = Graph(function)
    inside: dict[Value, Value] = {value: body.add_input(value.name, value.type) for value in boundary.inputs}
    _copy(match.nodes, body, inside)
    body.outputs = {value.name: inside[value] for value in boundary.results}
    names = [f"{value.name}_{function}" for value in boundary.results]
    node = rewriter.add(META, boundary.inputs, {"function": function, "body": body}, outputs=names)
    return dict(zip(boundary.results, node.outputs, strict=True))


def unfold(rewriter: Rewriter, node: Node) -> dict[Value, Value]:
    """The body of a MetaNode as nodes of the graph; returns what replaces each of its results."""
    body = body_of(node)
    outside: dict[Value, Value] = {}
    for placeholder, value in zip(body.inputs, node.inputs, strict=True):
        assert value is not None
        outside[placeholder] = value
    for constant in body.constants:
        outside[constant] = rewriter.constant(constant.name, constant.data)
    _copy(body.nodes, rewriter.graph, outside)
    shown = list(body.outputs.values())
    return {result: outside[shown[result.index]] for result in node.outputs}


def _copy(nodes: Sequence[Node], graph: Graph, values: dict[Value, Value]) -> None:
    """Adds copies of `nodes` to `graph`; `values` says what operands are there, and gets the results."""
    for node in nodes:
        inputs = [None if value is None else values[value] for value in node.inputs]
        copy = graph.add(
            node.kind, inputs, node.attributes, name=node.name, outputs=[value.name for value in node.outputs]
        )
        values.update(zip(node.outputs, copy.outputs, strict=False))
