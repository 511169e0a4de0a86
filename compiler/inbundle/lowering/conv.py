"""Convolutions."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


@lowers("Conv")
def _conv(context: Context, node: Node) -> None:
    attributes = {
        "Kernels": node.attributes["kernel_shape"],
        "Strides": node.attributes["strides"],
        "Pads": node.attributes["pads"],
        "Dilations": node.attributes["dilations"],
        "Group": node.attributes["group"],
    }
    context.emit("convolution", node, context.inputs(node), attributes)
