"""Softmax and batch normalisation."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


def _along_axis(context: Context, node: Node) -> None:
    context.emit(node.kind.lower(), node, context.inputs(node), {"Axis": node.attributes["axis"]})


for _kind in ("Softmax", "LogSoftmax"):
    lowers(_kind)(_along_axis)


@lowers("BatchNormalization")
def _batch_normalization(context: Context, node: Node) -> None:
    attributes = {"Epsilon": node.attributes["epsilon"]}
    context.emit("batchnormalization", node, context.inputs(node), attributes)
