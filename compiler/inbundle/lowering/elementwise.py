"""Binary element-wise kinds, whose kernels broadcast, and conversions between element kinds."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


def _binary(context: Context, node: Node) -> None:
    context.emit(node.kind.lower(), node, context.inputs(node))


for _kind in ("Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "PRelu"):
    lowers(_kind)(_binary)


@lowers("Mod")
def _mod(context: Context, node: Node) -> None:
    context.emit("fmod" if node.attributes["fmod"] else "mod", node, context.inputs(node))


@lowers("Cast")
def _cast(context: Context, node: Node) -> None:
    context.emit("convertto", node, context.inputs(node))
