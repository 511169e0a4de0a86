"""Formulas of unary element-wise kinds."""

from __future__ import annotations

from inbundle.graph.types import ElemKind
from inbundle.kernels.elements import (
    compute_type,
    computed_as_double,
    extremes,
    is_signed,
    literal,
    narrowed,
    widened,
)
from inbundle.kernels.formulas import Computation, Step
from inbundle.kernels.maps import formula


def _of_double(step: Step, function: str, *arguments: str) -> Computation:
    """A C function of doubles, narrowed."""
    values = ", ".join([computed_as_double(step.kind, step.x), *arguments])
    return [], narrowed(step.kind, f"{function}({values})")


@formula("exp", "log", "sqrt", "erf", "tanh", "sigmoid", "softplus")
@formula("sin", "cos", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh")
@formula("floor", "ceil", "round")
def _mathematics(step: Step) -> Computation:
    return _of_double(step, f"math_{step.instruction.kind}")


@formula("gelu")
def _gelu(step: Step) -> Computation:
    return _of_double(step, "math_gelu_tanh" if step.text("Approximate") == "tanh" else "math_gelu")


@formula("elu")
def _elu(step: Step) -> Computation:
    return _of_double(step, "math_elu", literal(ElemKind.FLOAT64, step.number("Alpha")))


@formula("abs")
def _abs(step: Step) -> Computation:
    """Subtracting from 0 clears the sign of -0; the least integer wraps to itself."""
    kind, x = step.kind, step.x
    if kind.is_float:
        return [], f"{x} <= 0 ? 0 - {x} : {x}"
    if not is_signed(kind):
        return [], x
    return [], f"{x} < 0 ? ({compute_type(kind)})(0 - {widened(kind, x)}) : {x}"


@formula("sign")
def _sign(step: Step) -> Computation:
    below = f"{step.x} < 0 ? -1 : " if is_signed(step.kind) else ""
    return [], f"{below}{step.x} > 0 ? 1 : {step.x}"


@formula("neg")
def _neg(step: Step) -> Computation:
    return [], f"-{step.x}" if step.kind.is_float else f"0 - {widened(step.kind, step.x)}"


@formula("relu")
def _relu(step: Step) -> Computation:
    return [], f"{step.x} < 0 ? 0 : {step.x}" if is_signed(step.kind) else step.x


@formula("leakyrelu")
def _leakyrelu(step: Step) -> Computation:
    return [], f"{step.x} < 0 ? {literal(_wide_float(step), step.number('Alpha'))} * {step.x} : {step.x}"


def _wide_float(step: Step) -> ElemKind:
    """The float kind whose C type is the compute type: attributes are not rounded to half precision."""
    return ElemKind.FLOAT64 if step.kind is ElemKind.FLOAT64 else ElemKind.FLOAT


def _between_0_and_1(step: Step, slope: float, offset: float) -> Computation:
    kind, line = _wide_float(step), step.local("line")
    statement = f"const {compute_type(kind)} {line} = {literal(kind, slope)} * {step.x} + {literal(kind, offset)};"
    return [statement], f"{line} < 0 ? 0 : {line} > 1 ? 1 : {line}"


@formula("hardsigmoid")
def _hardsigmoid(step: Step) -> Computation:
    return _between_0_and_1(step, step.number("Alpha"), step.number("Beta"))


@formula("hardswish")
def _hardswish(step: Step) -> Computation:
    statements, gate = _between_0_and_1(step, 1 / 6, 0.5)
    return statements, f"{step.x} * ({gate})"


@formula("clip")
def _clip(step: Step) -> Computation:
    """A bound that no value passes is left out: comparing an unsigned number with 0 would be a warning."""
    kind, value = step.kind, step.x
    low, high = (literal(kind, step.number(name)) for name in ("Min", "Max"))
    least, largest = extremes(kind)
    statements = []
    if low != least:
        raised = step.local("raised")
        statements = [f"const {compute_type(kind)} {raised} = {value} < {low} ? {low} : {value};"]
        value = raised
    return statements, value if high == largest else f"{value} > {high} ? {high} : {value}"
