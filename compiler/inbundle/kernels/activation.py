"""Kernels of unary element-wise kinds. In place is right: element i of Dest depends on element i of Src only."""

from __future__ import annotations

from collections.abc import Callable

from inbundle.graph.types import ElemKind
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import (
    compute_type,
    computed_as_double,
    extremes,
    is_signed,
    literal,
    narrowed,
    widened,
)
from inbundle.kernels.nests import Nest

# Statements that follow the load of x, and the value, an expression of them.
Computation = tuple[list[str], str]


def _kind(context: KernelContext) -> ElemKind:
    return context.type("Dest").elem


def _unary(compute: Callable[[KernelContext], Computation]) -> Callable[[KernelContext], str]:
    """The kernel that stores what `compute` says for the variable x."""

    def write(context: KernelContext) -> str:
        statements, value = compute(context)
        src, dest = context.buffer("Src"), context.buffer("Dest")
        nest = Nest.over((context.type("Dest").elements,), {"dest": (1,), "src": (1,)})
        load = f"const {src.type} x = {src.at(nest.index('src'))};"
        lines = [load, *statements, "", dest.put(nest.index("dest"), value)]
        return templates.render("map.c.j2", nest=nest, lines=lines)

    return write


@kernel("exp", "log", "sqrt", "erf", "tanh", "sigmoid")
@_unary
def _mathematics(context: KernelContext) -> Computation:
    function = f"math_{context.instruction.kind}"
    return [], narrowed(_kind(context), f"{function}({computed_as_double(_kind(context), 'x')})")


@kernel("gelu")
@_unary
def _gelu(context: KernelContext) -> Computation:
    function = "math_gelu_tanh" if context.text("Approximate") == "tanh" else "math_gelu"
    return [], narrowed(_kind(context), f"{function}({computed_as_double(_kind(context), 'x')})")


@kernel("elu")
@_unary
def _elu(context: KernelContext) -> Computation:
    alpha = literal(ElemKind.FLOAT64, context.number("Alpha"))
    return [], narrowed(_kind(context), f"math_elu({computed_as_double(_kind(context), 'x')}, {alpha})")


@kernel("abs")
@_unary
def _abs(context: KernelContext) -> Computation:
    """Subtracting from 0 clears the sign of -0; the least integer wraps to itself."""
    kind = _kind(context)
    if kind.is_float:
        return [], "x <= 0 ? 0 - x : x"
    if not is_signed(kind):
        return [], "x"
    return [], f"x < 0 ? ({compute_type(kind)})(0 - {widened(kind, 'x')}) : x"


@kernel("neg")
@_unary
def _neg(context: KernelContext) -> Computation:
    kind = _kind(context)
    return [], "-x" if kind.is_float else f"0 - {widened(kind, 'x')}"


@kernel("relu")
@_unary
def _relu(context: KernelContext) -> Computation:
    return [], "x < 0 ? 0 : x" if is_signed(_kind(context)) else "x"


@kernel("leakyrelu")
@_unary
def _leakyrelu(context: KernelContext) -> Computation:
    return [], f"x < 0 ? {literal(_wide_float(context), context.number('Alpha'))} * x : x"


def _wide_float(context: KernelContext) -> ElemKind:
    """The float kind whose C type is the compute type: attributes are not rounded to half precision."""
    return ElemKind.FLOAT64 if _kind(context) is ElemKind.FLOAT64 else ElemKind.FLOAT


def _between_0_and_1(context: KernelContext, slope: float, offset: float) -> Computation:
    kind = _wide_float(context)
    line = f"const {compute_type(kind)} line = {literal(kind, slope)} * x + {literal(kind, offset)};"
    return [line], "line < 0 ? 0 : line > 1 ? 1 : line"


@kernel("hardsigmoid")
@_unary
def _hardsigmoid(context: KernelContext) -> Computation:
    return _between_0_and_1(context, context.number("Alpha"), context.number("Beta"))


@kernel("hardswish")
@_unary
def _hardswish(context: KernelContext) -> Computation:
    statements, gate = _between_0_and_1(context, 1 / 6, 0.5)
    return statements, f"x * ({gate})"


@kernel("clip")
@_unary
def _clip(context: KernelContext) -> Computation:
    """A bound that no value passes is left out: comparing an unsigned number with 0 would be a warning."""
    kind = _kind(context)
    low, high = (literal(kind, context.number(name)) for name in ("Min", "Max"))
    least, largest = extremes(kind)
    statements, value = [], "x"
    if low != least:
        statements = [f"const {compute_type(kind)} raised = x < {low} ? {low} : x;"]
        value = "raised"
    return statements, value if high == largest else f"{value} > {high} ? {high} : {value}"
