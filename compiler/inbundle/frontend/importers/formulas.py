"""Importers of the element-wise operators that are formulas of other kinds: the rarer activations."""

from __future__ import annotations

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.graph.graph import Value


@importer("Softsign", since=1)
def softsign(ctx: NodeContext) -> Value:
    """x / (1 + |x|)."""
    x = ctx.input(0)
    size = ctx.add("Abs", [x], part="abs")
    return ctx.add("Div", [x, ctx.add("Add", [size, number(ctx, 1, x, "one")], part="sum")])


@importer("Mish", since=18)
def mish(ctx: NodeContext) -> Value:
    """x * tanh(log(1 + e^x))."""
    x = ctx.input(0)
    return ctx.add("Mul", [x, ctx.add("Tanh", [ctx.add("Softplus", [x], part="softplus")], part="tanh")])


@importer("Swish", since=24)
def swish(ctx: NodeContext) -> Value:
    """x * sigmoid(alpha * x)."""
    x = ctx.input(0)
    scaled = _scaled(ctx, x, ctx.attr_float("alpha", 1.0), "scaled")
    return ctx.add("Mul", [x, ctx.add("Sigmoid", [scaled], part="sigmoid")])


def _scaled(ctx: NodeContext, x: Value, factor: float, part: str = "") -> Value:
    return x if factor == 1 else ctx.add("Mul", [x, number(ctx, factor, x, f"{part}_factor")], part=part)


@importer("Selu", since=1)
def selu(ctx: NodeContext) -> Value:
    """gamma * elu(x). The defaults had fewer digits below opset 6."""
    alpha, gamma = (1.6732, 1.0507) if ctx.opset < 6 else (1.67326319217681884765625, 1.05070102214813232421875)
    x = ctx.input(0)
    elu = ctx.add("Elu", [x], {"alpha": ctx.attr_float("alpha", alpha)}, part="elu")
    return ctx.add("Mul", [elu, number(ctx, ctx.attr_float("gamma", gamma), x, "gamma")])


@importer("Celu", since=12)
def celu(ctx: NodeContext) -> Value:
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1))."""
    x, alpha = ctx.input(0), ctx.attr_float("alpha", 1.0)
    if alpha == 1:
        return ctx.add("Elu", [x], {"alpha": 1.0})
    zero = number(ctx, 0, x, "zero")
    power = ctx.add("Exp", [ctx.add("Div", [x, number(ctx, alpha, x, "alpha")], part="ratio")], part="power")
    above = ctx.add("Sub", [power, number(ctx, 1, x, "one")], part="above")
    low = ctx.add("Min", [_scaled(ctx, above, alpha, "scaled"), zero], part="low")
    return ctx.add("Add", [ctx.add("Max", [x, zero], part="high"), low])


@importer("ThresholdedRelu", since=10)
def thresholded_relu(ctx: NodeContext) -> Value:
    """x where it is above alpha, else 0."""
    x = ctx.input(0)
    above = ctx.add("Less", [number(ctx, ctx.attr_float("alpha", 1.0), x, "alpha"), x], part="above")
    return ctx.add("Where", [above, x, number(ctx, 0, x, "zero")])


@importer("Shrink", since=9)
def shrink(ctx: NodeContext) -> Value:
    """x + bias below -lambd, x - bias above lambd, 0 in between."""
    x, limit = ctx.input(0), ctx.attr_float("lambd", 0.5)
    bias, low, high = (
        number(ctx, value, x, part)
        for value, part in ((ctx.attr_float("bias", 0.0), "bias"), (-limit, "low"), (limit, "high"))
    )
    above, below = ctx.add("Less", [high, x], part="above"), ctx.add("Less", [x, low], part="below")
    lowered, raised = ctx.add("Sub", [x, bias], part="lowered"), ctx.add("Add", [x, bias], part="raised")
    inner = ctx.add("Where", [above, lowered, number(ctx, 0, x, "zero")], part="inner")
    return ctx.add("Where", [below, raised, inner])


@importer("Tan", since=7)
def tan(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    return ctx.add("Div", [ctx.add("Sin", [x], part="sin"), ctx.add("Cos", [x], part="cos")])
