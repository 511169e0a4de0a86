"""Softmax, batch normalisation, and the normalisations by statistics of the operand, which are one instruction: it sees
what has a mean and a variance of its own as the last dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inbundle.graph.graph import Node
from inbundle.ir.function import IRValue
from inbundle.lowering.context import Context, lowers


def _along_axis(context: Context, node: Node) -> None:
    context.emit(node.kind.lower(), node, context.inputs(node), {"Axis": node.attributes["axis"]})


for _kind in ("Softmax", "LogSoftmax"):
    lowers(_kind)(_along_axis)


@lowers("BatchNormalization")
def _batch_normalization(context: Context, node: Node) -> None:
    attributes = {"Epsilon": node.attributes["epsilon"]}
    context.emit("batchnormalization", node, context.inputs(node), attributes)


@lowers("LayerNormalization")
def _layer_normalization(context: Context, node: Node) -> None:
    _normalize(context, node, node.integer("axis"), context.inputs(node))


@lowers("InstanceNormalization")
def _instance_normalization(context: Context, node: Node) -> None:
    """N x C x spatial; scale and bias as C x 1 x 1."""
    x, *parameters = (context.input(node, index) for index in range(3))
    shape = (x.type.shape[1], *(1 for _ in x.type.shape[2:]))
    _normalize(context, node, 2, [x, *(context.view(node, value, shape) for value in parameters)])


@lowers("GroupNormalization")
def _group_normalization(context: Context, node: Node) -> None:
    """N x groups x channels of a group x spatial; scale and bias as groups x channels of a group x 1."""
    x, *parameters = (context.input(node, index) for index in range(3))
    (images, channels, *spatial), groups = x.type.shape, node.integer("num_groups")
    shape = (groups, channels // groups, 1)
    image = context.view(node, x, (images, groups, channels // groups, math.prod(spatial)))
    _normalize(context, node, 2, [image, *(context.view(node, value, shape) for value in parameters)])


def _normalize(context: Context, node: Node, axis: int, operands: Sequence[IRValue | None]) -> None:
    assert operands[0] is not None
    attributes = {"Axis": axis, "Epsilon": node.attributes["epsilon"]}
    context.emit("layernormalization", node, operands, attributes, type=operands[0].type)
