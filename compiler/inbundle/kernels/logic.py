"""Formulas of comparisons, logic, bit operations and choices. A boolean is a byte that is 0 or 1."""

from __future__ import annotations

from inbundle.graph.types import ElemKind
from inbundle.kernels.elements import compute_type, extremes, is_signed, widened
from inbundle.kernels.formulas import Computation, Step
from inbundle.kernels.maps import formula


@formula("equal", "less", "lessorequal")
def _comparison(step: Step) -> Computation:
    operator = {"equal": "==", "less": "<", "lessorequal": "<="}[step.instruction.kind]
    left, right = step.pair
    return [], f"{left} {operator} {right}"


@formula("and", "or", "xor")
def _bits(step: Step) -> Computation:
    operator = {"and": "&", "or": "|", "xor": "^"}[step.instruction.kind]
    left, right = step.pair
    return [], f"{left} {operator} {right}"


@formula("not")
def _not(step: Step) -> Computation:
    return [], f"!{step.x}" if step.kind is ElemKind.BOOL else f"~{widened(step.kind, step.x)}"


@formula("bitshift")
def _bit_shift(step: Step) -> Computation:
    """C knows no shift by all bits or more, nor a negative one: nothing is left then but copies of the sign."""
    left, right = step.pair
    fits, gone = f"{right} < {8 * step.kind.size}", "0"
    if is_signed(step.kind):
        fits = f"{right} >= 0 && {fits}"
        gone = gone if step.integer("Left") else f"{left} < 0 ? -1 : 0"
    moved = f"{widened(step.kind, left)} << {right}" if step.integer("Left") else f"{left} >> {right}"
    return [], f"{fits} ? ({compute_type(step.kind)})({moved}) : {gone}"


@formula("isnan")
def _is_nan(step: Step) -> Computation:
    return [], f"{step.x} != {step.x}"


@formula("isinf")
def _is_infinite(step: Step) -> Computation:
    least, largest = extremes(step.type("Src").elem)
    tests = [f"{step.x} == {end}" for end, name in ((least, "Negative"), (largest, "Positive")) if step.integer(name)]
    return [], " || ".join(tests) or "0"


@formula("select")
def _select(step: Step) -> Computation:
    left, right = step.pair
    return [], f"{step.variables['Cond']} ? {left} : {right}"
