"""Importers of comparisons, logic, bit operations and Where.

Below opset 7 those of two operands broadcast as arithmetic does there, see `elementwise`.
"""

from __future__ import annotations

from inbundle.frontend.importers.elementwise import operands_at_axis
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Value

_EXCHANGED = {"Greater": "Less", "GreaterOrEqual": "LessOrEqual"}


def _binary(ctx: NodeContext, a: Value, b: Value) -> Value:
    if ctx.operator in _EXCHANGED:
        return ctx.add(_EXCHANGED[ctx.operator], [b, a])
    return ctx.add(ctx.operator, [a, b])


@importer("Equal", since=7)
@importer("Less", since=7)
@importer("Greater", since=7)
@importer("LessOrEqual", since=12)
@importer("GreaterOrEqual", since=12)
@importer("And", since=7)
@importer("Or", since=7)
@importer("Xor", since=7)
@importer("BitwiseAnd", since=18)
@importer("BitwiseOr", since=18)
@importer("BitwiseXor", since=18)
def binary(ctx: NodeContext) -> Value:
    return _binary(ctx, ctx.input(0), ctx.input(1))


@importer("Equal", since=1)
@importer("Less", since=1)
@importer("Greater", since=1)
@importer("And", since=1)
@importer("Or", since=1)
@importer("Xor", since=1)
def binary_at_axis(ctx: NodeContext) -> Value:
    return _binary(ctx, *operands_at_axis(ctx))


@importer("Not", since=1)
@importer("BitwiseNot", since=18)
@importer("IsNaN", since=9)
def unary(ctx: NodeContext) -> Value:
    return ctx.add(ctx.operator, [ctx.input(0)])


@importer("IsInf", since=10)
def is_infinite(ctx: NodeContext) -> Value:
    attributes = {name: ctx.attr_bool(name, True) for name in ("detect_negative", "detect_positive")}
    return ctx.add("IsInf", [ctx.input(0)], attributes)


@importer("BitShift", since=11)
def bit_shift(ctx: NodeContext) -> Value:
    return ctx.add("BitShift", [ctx.input(0), ctx.input(1)], {"direction": ctx.attr_string("direction")})


@importer("Where", since=9)
def where(ctx: NodeContext) -> Value:
    return ctx.add("Where", [ctx.input(0), ctx.input(1), ctx.input(2)])
