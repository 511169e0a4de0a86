"""Formulas of binary element-wise kinds, and of conversions between element kinds."""

from __future__ import annotations

from inbundle.graph.types import ElemKind
from inbundle.kernels.elements import compute_type, computed_as_double, is_signed, narrowed, saturated, widened
from inbundle.kernels.formulas import Computation, Step
from inbundle.kernels.maps import formula


@formula("add", "sub", "mul")
def _arithmetic(step: Step) -> Computation:
    operator = {"add": "+", "sub": "-", "mul": "*"}[step.instruction.kind]
    left, right = (widened(step.kind, variable) for variable in step.pair)
    return [], f"{left} {operator} {right}"


@formula("div")
def _division(step: Step) -> Computation:
    """Integer division by zero gives 0, and the least integer by -1 wraps: neither may trap."""
    kind, (left, right) = step.kind, step.pair
    quotient = f"{left} / {right}"
    if kind.is_float:
        return [], quotient
    if not is_signed(kind):
        return [], f"{right} == 0 ? 0 : {quotient}"
    negative = f"({compute_type(kind)})(0 - {widened(kind, left)})"
    return [], f"{right} == 0 ? 0 : {right} == -1 ? {negative} : {quotient}"


@formula("fmod", "mod")
def _remainder(step: Step) -> Computation:
    """Of integers that of a division by zero is 0; the least one divided by -1 would trap."""
    kind, (left, right) = step.kind, step.pair
    if kind.is_float:
        value = narrowed(kind, f"math_fmod({computed_as_double(kind, left)}, {computed_as_double(kind, right)})")
    elif is_signed(kind):
        value = f"{right} == 0 || {right} == -1 ? 0 : {left} % {right}"
    else:
        return [], f"{right} == 0 ? 0 : {left} % {right}"
    rest = step.local("rest")
    statement = f"const {compute_type(kind)} {rest} = {value};"
    if step.instruction.kind == "fmod":
        return [statement], rest
    return [statement], f"{rest} != 0 && ({rest} < 0) != ({right} < 0) ? {rest} + {right} : {rest}"


@formula("min", "max")
def _extremum(step: Step) -> Computation:
    """A NaN on the left wins by the second test, one on the right because the first fails."""
    operator = "<" if step.instruction.kind == "min" else ">"
    left, right = step.pair
    is_nan = f" || {left} != {left}" if step.kind.is_float else ""
    return [], f"{left} {operator} {right}{is_nan} ? {left} : {right}"


@formula("prelu")
def _prelu(step: Step) -> Computation:
    kind, (left, right) = step.kind, step.pair
    if kind.is_float:
        return [], f"{left} < 0 ? {left} * {right} : {left}"
    product = f"({compute_type(kind)})({widened(kind, left)} * {widened(kind, right)})"
    return [], f"{left} < 0 ? {product} : {left}" if is_signed(kind) else left


@formula("pow")
def _pow(step: Step) -> Computation:
    base, exponent = step.type("LHS").elem, step.type("RHS").elem
    left, right = step.pair
    if not base.is_float and not exponent.is_float:
        return [], f"integer_power((uint64_t){left}, (int64_t){right})"
    value = f"math_pow({computed_as_double(base, left)}, {computed_as_double(exponent, right)})"
    if base.is_float:
        return [], narrowed(base, value)
    power = step.local("power")
    return [f"const double {power} = {value};"], saturated(base, power)


@formula("convertto")
def _convertto(step: Step) -> Computation:
    source, dest, x = step.type("Src").elem, step.kind, step.x
    if dest is ElemKind.BOOL:
        return [], f"{x} != 0"
    if not dest.is_float:
        return _to_integer(step, source)
    if source is ElemKind.FLOAT64 and dest in (ElemKind.FLOAT16, ElemKind.BFLOAT16):
        return [], f"float_odd_of_double({x})"
    return [], x if compute_type(source) == compute_type(dest) else f"({compute_type(dest)}){x}"


def _to_integer(step: Step, source: ElemKind) -> Computation:
    if not source.is_float:
        return [], step.x
    wide = step.local("wide")
    return [f"const double {wide} = {computed_as_double(source, step.x)};"], saturated(step.kind, wide)
