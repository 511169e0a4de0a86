"""Pools. A global pool is a pool whose window is the image."""

from __future__ import annotations

from inbundle.graph.graph import Attribute, Node
from inbundle.lowering.context import Context, lowers
from inbundle.lowering.windows import window


def _whole_image(node: Node) -> dict[str, Attribute]:
    kernel = node.input(0).type.shape[2:]
    ones = (1,) * len(kernel)
    return {"Kernels": kernel, "Strides": ones, "Pads": (0,) * (2 * len(kernel)), "Dilations": ones}


@lowers("MaxPool")
def _max_pool(context: Context, node: Node) -> None:
    argmax = None
    if len(node.outputs) > 1:
        argmax = context.function.alloc(f"{node.name}_argmax", node.outputs[1].type)
        context.bind(node.outputs[1], argmax)
    attributes = window(node) | {"StorageOrder": node.attributes["storage_order"]}
    context.emit("maxpool", node, [context.input(node, 0), argmax], attributes)


@lowers("AveragePool")
def _average_pool(context: Context, node: Node) -> None:
    attributes = window(node) | {"CountIncludePads": node.attributes["count_include_pad"]}
    context.emit("avgpool", node, [context.input(node, 0)], attributes)


@lowers("GlobalMaxPool")
def _global_max_pool(context: Context, node: Node) -> None:
    context.emit("maxpool", node, [context.input(node, 0)], _whole_image(node) | {"StorageOrder": 0})


@lowers("GlobalAveragePool")
def _global_average_pool(context: Context, node: Node) -> None:
    context.emit("avgpool", node, [context.input(node, 0)], _whole_image(node) | {"CountIncludePads": False})
