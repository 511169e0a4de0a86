"""Comparisons, logic, bit operations and choices: one instruction each. Bits of booleans and of integers are alike."""

from __future__ import annotations

from inbundle.graph.graph import Node
from inbundle.lowering.context import Context, lowers


def _elementwise(context: Context, node: Node) -> None:
    context.emit(node.kind.removeprefix("Bitwise").lower(), node, context.inputs(node))


for _kind in ("Equal", "Less", "LessOrEqual", "And", "Or", "Xor", "Not", "IsNaN"):
    lowers(_kind)(_elementwise)
for _kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"):
    lowers(_kind)(_elementwise)


@lowers("IsInf")
def _is_infinite(context: Context, node: Node) -> None:
    attributes = {"Negative": node.attributes["detect_negative"], "Positive": node.attributes["detect_positive"]}
    context.emit("isinf", node, context.inputs(node), attributes)


@lowers("BitShift")
def _bit_shift(context: Context, node: Node) -> None:
    context.emit("bitshift", node, context.inputs(node), {"Left": node.attributes["direction"] == "LEFT"})


@lowers("Where")
def _where(context: Context, node: Node) -> None:
    context.emit("select", node, context.inputs(node))
