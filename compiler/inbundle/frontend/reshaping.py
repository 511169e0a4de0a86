"""The same elements in another shape, at no cost where they are known; shared by importers of several families."""

from __future__ import annotations

from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Constant, Value


def reshaped(ctx: NodeContext, value: Value, shape: tuple[int, ...], part: str = "") -> Value:
    """`value` with `shape`, which holds as many elements: itself, a constant, or a Reshape.

    Args:
        part: names the Reshape when it only prepares the node's result, see `NodeContext.add`.
    """
    if value.type.shape == shape:
        return value
    if isinstance(value, Constant):
        return ctx.new_constant(value.data.reshape(shape), part)
    return ctx.add("Reshape", [value], {"shape": shape}, part=part)
