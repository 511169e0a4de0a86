"""Attribute expressions as C.

Ints are `inpla_int` and wrap around. Their division calls a helper that notes a zero divisor in the local variable
`failed` (`HELPERS`). Floats are single precision throughout; an int that meets a float becomes one.
"""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.nets.literals import float_text
from inbundle.nets.program import Binary, Call, Expr, FloatLiteral, IntLiteral, PortKind, Unary, Variable
from inbundle.nets.types import COMPARISONS, TRUTHS, Natives, Scope

C_TYPE = {PortKind.INT: "inpla_int", PortKind.FLOAT: "float"}

HELPERS = {
    "int_quotient": """\
static inpla_int int_quotient(inpla_int a, inpla_int b, int *failed)
{
    if (b == 0 || b == -1) {
        *failed |= b == 0;
        return (inpla_int)(0u - (uintptr_t)a);
    }
    return a / b;
}
""",
    "int_remainder": """\
static inpla_int int_remainder(inpla_int a, inpla_int b, int *failed)
{
    if (b == 0 || b == -1) {
        *failed |= b == 0;
        return 0;
    }
    return a % b;
}
""",
}
"""Functions that expressions use, by name: `/` and `%` of ints. A zero divisor sets `failed`."""

_INT_HELPER = {"/": "int_quotient", "%": "int_remainder"}


class ExpressionWriter:
    """Writes expressions of one rule.

    Args:
        names: script name of a variable -> C name.
        scope: kinds of the variables.
    """

    def __init__(self, natives: Natives, names: Mapping[str, str], scope: Scope) -> None:
        self.natives = natives
        self.names = names
        self.scope = scope

    def value(self, expression: Expr, kind: PortKind) -> str:
        """The value as a C expression of the kind's type, without parentheses around it."""
        own = self.natives.kind_of(expression, self.scope)
        if isinstance(expression, (IntLiteral, FloatLiteral)):
            return _literal(expression.value, kind)
        if self._is_truth(expression):
            return f"({C_TYPE[kind]})({self.condition(expression)})"
        text = self._plain(expression, own)
        return text if own is kind else f"({C_TYPE[kind]})({text})"

    def condition(self, expression: Expr) -> str:
        """Whether the value is true, as a C condition."""
        if isinstance(expression, Unary) and expression.operator == "not":
            return f"!({self.condition(expression.operand)})"
        if isinstance(expression, Binary) and expression.operator in COMPARISONS:
            kind = self._joint_kind(expression)
            left, right = self._operand(expression.left, kind), self._operand(expression.right, kind)
            return f"{left} {expression.operator} {right}"
        if isinstance(expression, Binary) and expression.operator in TRUTHS:
            operator = {"and": "&&", "or": "||"}[expression.operator]
            return f"({self.condition(expression.left)}) {operator} ({self.condition(expression.right)})"
        kind = self.natives.kind_of(expression, self.scope)
        return f"{self._operand(expression, kind)} != {_literal(0, kind)}"

    def _is_truth(self, expression: Expr) -> bool:
        return isinstance(expression, (Unary, Binary)) and expression.operator in TRUTHS

    def _joint_kind(self, expression: Binary) -> PortKind:
        kinds = [self.natives.kind_of(side, self.scope) for side in (expression.left, expression.right)]
        return PortKind.FLOAT if PortKind.FLOAT in kinds else PortKind.INT

    def _operand(self, expression: Expr, kind: PortKind) -> str:
        text = self.value(expression, kind)
        is_simple = text.replace("_", "").replace(".", "").isalnum() or isinstance(expression, Call)
        return text if is_simple else f"({text})"

    def _plain(self, expression: Expr, kind: PortKind) -> str:
        """The value of a variable, a call or arithmetic, in its own kind."""
        if isinstance(expression, Variable):
            return self.names[expression.name]
        if isinstance(expression, Call):
            return self._call(expression)
        if isinstance(expression, Unary):
            operand = self._operand(expression.operand, kind)
            return f"-{operand}" if kind is PortKind.FLOAT else f"(inpla_int)(0u - (uintptr_t){operand})"
        assert isinstance(expression, Binary)
        left, right = self._operand(expression.left, kind), self._operand(expression.right, kind)
        return (
            _float_arithmetic(expression.operator, left, right)
            if kind is PortKind.FLOAT
            else _int_arithmetic(expression.operator, left, right)
        )

    def _call(self, call: Call) -> str:
        parameters = self.natives.parameters[call.native]
        arguments = [self.value(argument, kind) for argument, kind in zip(call.arguments, parameters, strict=True)]
        return f"native_{call.native}({', '.join(['inpla_user(worker)', *arguments])})"


def _float_arithmetic(operator: str, left: str, right: str) -> str:
    return f"fmodf({left}, {right})" if operator == "%" else f"{left} {operator} {right}"


def _int_arithmetic(operator: str, left: str, right: str) -> str:
    if operator in _INT_HELPER:
        return f"{_INT_HELPER[operator]}({left}, {right}, &failed)"
    return f"(inpla_int)((uintptr_t){left} {operator} (uintptr_t){right})"


def _literal(value: float, kind: PortKind) -> str:
    if kind is PortKind.INT:
        if value == -(2**63):
            return "(-9223372036854775807LL - 1)"
        return str(value) if abs(value) < 2**31 else f"{value}LL"
    text = float_text(value)
    return text.replace("1e39", "INFINITY") if "1e39" in text else f"{text}f"
