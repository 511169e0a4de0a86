"""The window of a convolution or pool: the same four attributes in Graph and IR."""

from __future__ import annotations

from inbundle.graph.graph import Attribute, Node


def window(node: Node) -> dict[str, Attribute]:
    """The attributes of an instruction with the node's window."""
    return {
        "Kernels": node.attributes["kernel_shape"],
        "Strides": node.attributes["strides"],
        "Pads": node.attributes["pads"],
        "Dilations": node.attributes["dilations"],
    }
