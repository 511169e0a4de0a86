"""Unary element-wise kinds: one instruction each, attributes under the IR's capitalised names."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


def _unary(context: Context, node: Node) -> None:
    attributes = {name.capitalize(): value for name, value in node.attributes.items()}
    context.emit(node.kind.lower(), node, [context.input(node, 0)], attributes)


for _kind in (
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Ceil",
    "Clip",
    "Cos",
    "Cosh",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Log",
    "Neg",
    "Relu",
    "Round",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Sqrt",
    "Tanh",
):
    lowers(_kind)(_unary)
