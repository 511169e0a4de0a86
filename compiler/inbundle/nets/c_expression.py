"""Attribute expressions as C, in either word model.

Ints wrap around. Their division calls a helper that notes a zero divisor in the local variable `failed`
(`Words.helpers`). Floats are single precision throughout; an int that meets a float becomes one.
"""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.nets.c_words import Words, float_literal
from inbundle.nets.program import Binary, Call, Expr, FloatLiteral, IntLiteral, PortKind, Unary, Variable
from inbundle.nets.types import COMPARISONS, TRUTHS, Natives, Scope


class ExpressionWriter:
    """Writes expressions of one rule.

    Args:
        names: script name of a variable -> C name.
        scope: kinds of the variables.
    """

    def __init__(self, words: Words, natives: Natives, names: Mapping[str, str], scope: Scope) -> None:
        self.words = words
        self.natives = natives
        self.names = names
        self.scope = scope

    def kind_of(self, expression: Expr) -> PortKind:
        """The kind that an expression has by itself."""
        return self.natives.kind_of(expression, self.scope)

    def value(self, expression: Expr, kind: PortKind) -> str:
        """The value as a C expression of the kind's type, without parentheses around it."""
        own = self.kind_of(expression)
        if isinstance(expression, (IntLiteral, FloatLiteral)):
            return self._literal(expression.value, kind)
        if self._is_truth(expression):
            return self._of_truth(self.condition(expression), kind)
        text = self._plain(expression, own)
        return self.words.float_of_int(f"({text})") if kind is PortKind.FLOAT and own is PortKind.INT else text

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
        kind = self.kind_of(expression)
        return f"{self._operand(expression, kind)} != {self._literal(0, kind)}"

    def _literal(self, value: float, kind: PortKind) -> str:
        return self.words.int_literal(int(value)) if kind is PortKind.INT else float_literal(value)

    def _of_truth(self, condition: str, kind: PortKind) -> str:
        return self.words.int_of_truth(condition) if kind is PortKind.INT else f"(float)({condition})"

    def _is_truth(self, expression: Expr) -> bool:
        return isinstance(expression, (Unary, Binary)) and expression.operator in TRUTHS

    def _joint_kind(self, expression: Binary) -> PortKind:
        kinds = [self.kind_of(side) for side in (expression.left, expression.right)]
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
            return self._unary(expression, kind)
        assert isinstance(expression, Binary)
        left, right = self._operand(expression.left, kind), self._operand(expression.right, kind)
        if kind is PortKind.INT:
            return self.words.int_arithmetic(expression.operator, left, right)
        return f"fmodf({left}, {right})" if expression.operator == "%" else f"{left} {expression.operator} {right}"

    def _unary(self, expression: Unary, kind: PortKind) -> str:
        operand = self._operand(expression.operand, kind)
        if expression.operator == "rand":
            return f"{'float' if kind is PortKind.FLOAT else 'int'}_random({operand}, &failed)"
        return f"-{operand}" if kind is PortKind.FLOAT else self.words.negated_int(operand)

    def _call(self, call: Call) -> str:
        parameters = self.natives.parameters[call.native]
        arguments = [self.value(argument, kind) for argument, kind in zip(call.arguments, parameters, strict=True)]
        return f"native_{call.native}({', '.join(['inpla_user(worker)', *arguments])})"
