"""MetaNodes are unfolded: the nodes of the body are lowered as if they stood in the graph."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.graph.ops.meta import META, body_of
from inbundle.lowering.context import Context, lowers


@lowers(META)
def _meta_node(context: Context, node: Node) -> None:
    body = body_of(node)
    for placeholder, value in zip(body.inputs, node.inputs, strict=True):
        assert value is not None
        context.bind(placeholder, context.value(value))
    for inner in body.nodes:
        context.lower(inner)
    for output, value in zip(node.outputs, body.outputs.values(), strict=True):
        context.bind(output, context.value(value))
