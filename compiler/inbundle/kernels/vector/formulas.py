"""What element-wise kinds compute of a vector of floats, in C: `kernels/formulas.py` lane by lane.

The texts are for any vector unit; `functions.for_machine` says for which. A comparison gives a mask.
"""

from __future__ import annotations

from collections.abc import Callable

from inbundle.graph.types import ElemKind
from inbundle.ir.stacks import INSERT
from inbundle.kernels.elements import literal
from inbundle.kernels.formulas import Computation, Formula, Step

VECTOR_FORMULAS: dict[str, Formula] = {INSERT: lambda step: ([], step.x)}
"""Kind -> formula. Steps of other kinds have no place in vector kernels."""


def _formula(*kinds: str) -> Callable[[Formula], Formula]:
    def register(compute: Formula) -> Formula:
        VECTOR_FORMULAS.update(dict.fromkeys(kinds, compute))
        return compute

    return register


def _select(mask: str, yes: str, no: str) -> str:
    return f"vector_select({mask}, {yes}, {no})"


def _number(step: Step, attribute: str) -> str:
    return literal(ElemKind.FLOAT, step.number(attribute))


@_formula("add", "sub", "mul", "div")
def _arithmetic(step: Step) -> Computation:
    operator = {"add": "+", "sub": "-", "mul": "*", "div": "/"}[step.instruction.kind]
    left, right = step.pair
    return [], f"{left} {operator} {right}"


@_formula("min", "max")
def _extremum(step: Step) -> Computation:
    """NaN wins, as in the formula of one element."""
    operator = "<" if step.instruction.kind == "min" else ">"
    left, right = step.pair
    return [], _select(f"({left} {operator} {right}) | ({left} != {left})", left, right)


@_formula("prelu")
def _prelu(step: Step) -> Computation:
    left, right = step.pair
    return [], _select(f"{left} < 0.0f", f"{left} * {right}", left)


@_formula("abs")
def _abs(step: Step) -> Computation:
    return [], f"(floats)((words){step.x} & 0x7fffffffu)"


@_formula("neg")
def _neg(step: Step) -> Computation:
    return [], f"-{step.x}"


@_formula("relu")
def _relu(step: Step) -> Computation:
    return [], _select(f"{step.x} < 0.0f", "vector_splat(0.0f)", step.x)


@_formula("leakyrelu")
def _leakyrelu(step: Step) -> Computation:
    return [], _select(f"{step.x} < 0.0f", f"{_number(step, 'Alpha')} * {step.x}", step.x)


@_formula("exp", "log", "erf", "tanh", "sigmoid")
def _function(step: Step) -> Computation:
    return [], f"vector_{step.instruction.kind}({step.x})"


@_formula("gelu")
def _gelu(step: Step) -> Computation:
    return [], f"vector_gelu{'_tanh' if step.text('Approximate') == 'tanh' else ''}({step.x})"


@_formula("elu")
def _elu(step: Step) -> Computation:
    return [], f"vector_elu({step.x}, {_number(step, 'Alpha')})"


def _bounded(step: Step, value: str, low: str, high: str) -> Computation:
    """A bound that no value passes is left out."""
    statements = []
    for name, operator, bound in (("raised", "<", low), ("lowered", ">", high)):
        if "inf" not in bound:
            variable = step.local(name)
            chosen = _select(f"{value} {operator} {bound}", f"vector_splat({bound})", value)
            statements.append(f"const floats {variable} = {chosen};")
            value = variable
    return statements, value


@_formula("clip")
def _clip(step: Step) -> Computation:
    return _bounded(step, step.x, _number(step, "Min"), _number(step, "Max"))


def _between_0_and_1(step: Step, slope: float, offset: float) -> Computation:
    line = step.local("line")
    statement = (
        f"const floats {line} = {literal(ElemKind.FLOAT, slope)} * {step.x} + {literal(ElemKind.FLOAT, offset)};"
    )
    statements, value = _bounded(step, line, "0.0f", "1.0f")
    return [statement, *statements], value


@_formula("hardsigmoid")
def _hardsigmoid(step: Step) -> Computation:
    return _between_0_and_1(step, step.number("Alpha"), step.number("Beta"))


@_formula("hardswish")
def _hardswish(step: Step) -> Computation:
    statements, gate = _between_0_and_1(step, 1 / 6, 0.5)
    return statements, f"{step.x} * {gate}"
