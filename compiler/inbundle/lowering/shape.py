"""Data movement. A Reshape moves nothing: it is a view, of a buffer, an input or a constant alike."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


@lowers("Reshape")
def _reshape(context: Context, node: Node) -> None:
    context.bind(node.output, context.view(node, context.input(node, 0), node.output.type.shape))


@lowers("Transpose")
def _transpose(context: Context, node: Node) -> None:
    context.emit("transpose", node, context.inputs(node), {"Shuffle": node.attributes["perm"]})


@lowers("Concat")
def _concat(context: Context, node: Node) -> None:
    """One `inserttensor` per operand that has elements; together they write the whole result."""
    axis = node.integer("axis")
    dest = context.function.alloc(f"{node.name}_res", node.output.type)
    start = 0
    for operand in context.inputs(node):
        assert operand is not None
        if operand.type.elements:
            offsets = tuple(start if index == axis else 0 for index in range(dest.type.rank))
            context.function.emit("inserttensor", node.name, [dest, operand], {"Offsets": offsets})
        start += operand.type.shape[axis]
    context.bind(node.output, dest)


@lowers("Slice")
def _slice(context: Context, node: Node) -> None:
    attributes = {"Offsets": node.attributes["starts"], "Steps": node.attributes["steps"]}
    context.emit("extracttensor", node, context.inputs(node), attributes)


@lowers("Pad")
def _pad(context: Context, node: Node) -> None:
    attributes = {
        "Pads": node.attributes["pads"],
        "Mode": node.attributes["mode"],
        "Value": node.attributes["value"],
    }
    context.emit("pad", node, context.inputs(node), attributes)


@lowers("Gather")
def _gather(context: Context, node: Node) -> None:
    context.emit("gather", node, context.inputs(node), {"Axis": node.attributes["axis"]})


@lowers("Expand")
def _expand(context: Context, node: Node) -> None:
    context.emit("broadcast", node, context.inputs(node))


@lowers("ScatterND")
def _scatter(context: Context, node: Node) -> None:
    context.emit("scatter", node, context.inputs(node), {"Reduction": node.attributes["reduction"]})
