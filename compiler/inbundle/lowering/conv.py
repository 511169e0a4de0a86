"""Convolutions."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers
from inbundle.lowering.windows import window


@lowers("Conv")
def _conv(context: Context, node: Node) -> None:
    attributes = window(node) | {"Group": node.attributes["group"]}
    context.emit("convolution", node, context.inputs(node), attributes)
