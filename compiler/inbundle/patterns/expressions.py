"""Expressions of the pattern language, checked and made into Python functions.

`none` is what is not there: an attribute the node does not have, an absent operand. It equals only itself, is not less
or greater than anything, counts as false, and arithmetic with it gives it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inbundle.graph.graph import Node, Value
from inbundle.patterns.facts import Facts
from inbundle.patterns.functions import Functions, Type
from inbundle.patterns.syntax import (
    SELF,
    AttributeOf,
    Call,
    Expression,
    Listing,
    Literal,
    Operation,
    Part,
    Subject,
)
from inbundle.patterns.text import PatternText


@dataclass(frozen=True)
class Scope:
    """What an expression is evaluated in: the graph, and what `$` and the keys stand for."""

    facts: Facts
    subjects: Mapping[str, Node | Value | None] = field(default_factory=dict)


Evaluate = Callable[[Scope], Any]
_Typed = tuple[Evaluate, Type]

_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def compile_expression(
    source: PatternText, expression: Expression, subjects: Collection[str], functions: Functions
) -> Evaluate:
    """The expression as a function of a scope.

    Args:
        subjects: names that it may use: `$`, node keys, value keys.

    Raises:
        CompileError: an unknown name, a wrong number of arguments, or operands that cannot be meant; with the place.
            The function raises it for what shows only in a graph.
    """
    return _Compiler(source, subjects, functions).compile(expression)[0]


def compile_condition(
    source: PatternText, expression: Expression, subjects: Collection[str], functions: Functions
) -> Callable[[Scope], bool]:
    """As `compile_expression`, for an expression that must be true or false."""
    compiler = _Compiler(source, subjects, functions)
    return compiler.truth(expression)


class _Compiler:
    def __init__(self, source: PatternText, subjects: Collection[str], functions: Functions) -> None:
        self.source = source
        self.subjects = subjects
        self.functions = functions

    def compile(self, expression: Expression) -> _Typed:
        match expression:
            case Literal(value):
                return lambda scope: value, _type_of(value)
            case Subject():
                return self._subject(expression), Type.SUBJECT
            case AttributeOf():
                return self._attribute(expression), Type.ANY
            case Part():
                return self._part(expression), Type.ANY
            case Call():
                return self._call(expression)
            case Listing(elements):
                parts = [self.compile(element)[0] for element in elements]
                return lambda scope: tuple(part(scope) for part in parts), Type.LIST
            case Operation():
                return self._operation(expression)

    # --- names -------------------------------------------------------------------------------------------------------

    def _subject(self, subject: Subject) -> Evaluate:
        name = subject.name
        if name not in self.subjects:
            known = ", ".join(sorted(self.subjects))
            what = "`$' stands for nothing here" if name == SELF else f"there is no key `{name}' here"
            raise self.source.error(subject.at, what, f"the keys are {known}" if known else "")
        return lambda scope: scope.subjects.get(name)

    def _attribute(self, expression: AttributeOf) -> Evaluate:
        owner, name = self._of_type(expression.owner, Type.SUBJECT), expression.name

        def evaluate(scope: Scope) -> Any:
            node = owner(scope)
            return node.attributes.get(name) if isinstance(node, Node) else None

        return evaluate

    def _part(self, expression: Part) -> Evaluate:
        owner, index = self.compile(expression.owner)[0], self._of_type(expression.index, Type.NUMBER)

        def evaluate(scope: Scope) -> Any:
            whole, number = owner(scope), index(scope)
            parts = whole.inputs if isinstance(whole, Node) else whole
            if isinstance(parts, list | tuple) and isinstance(number, int) and -len(parts) <= number < len(parts):
                return parts[number]
            return None

        return evaluate

    def _call(self, call: Call) -> _Typed:
        function = self.functions.get(call.name)
        if function is None:
            raise self.source.error(
                call.at, f"there is no function `{call.name}'", f"there are {', '.join(sorted(self.functions))}"
            )
        wanted, given = len(function.parameters), len(call.arguments)
        if given != wanted:
            raise self.source.error(call.at, f"`{call.name}' takes {wanted} argument(s), not {given}")
        arguments = [
            self._of_type(argument, type) for argument, type in zip(call.arguments, function.parameters, strict=True)
        ]
        run = function.run
        return lambda scope: run(scope.facts, *(argument(scope) for argument in arguments)), function.result

    # --- operations --------------------------------------------------------------------------------------------------

    def _operation(self, operation: Operation) -> _Typed:
        sign, operands = operation.operator, operation.operands
        if sign == "!":
            truth = self.truth(operands[0])
            return lambda scope: not truth(scope), Type.TRUTH
        if sign in ("&&", "||"):
            return self._logic(sign, [self.truth(operand) for operand in operands]), Type.TRUTH
        if sign in ("==", "!="):
            return self._equality(operation), Type.TRUTH
        if sign in _ORDER:
            return self._order(operation), Type.TRUTH
        return self._arithmetic(operation), Type.NUMBER

    def truth(self, expression: Expression) -> Callable[[Scope], bool]:
        evaluate = self._of_type(expression, Type.TRUTH)

        def is_true(scope: Scope) -> bool:
            value = evaluate(scope)
            if value is None or isinstance(value, bool):
                return bool(value)
            raise self.source.error(expression.at, f"{_shown(value)} is no truth value")

        return is_true

    def _of_type(self, expression: Expression, wanted: Type) -> Evaluate:
        evaluate, type = self.compile(expression)
        if Type.ANY not in (type, wanted) and type is not wanted:
            raise self.source.error(expression.at, f"{wanted.value} is needed here, not {type.value}")
        return evaluate

    @staticmethod
    def _logic(sign: str, operands: Sequence[Callable[[Scope], bool]]) -> Evaluate:
        left, right = operands
        if sign == "&&":
            return lambda scope: left(scope) and right(scope)
        return lambda scope: left(scope) or right(scope)

    def _equality(self, operation: Operation) -> Evaluate:
        (left, left_type), (right, right_type) = (self.compile(operand) for operand in operation.operands)
        if Type.ANY not in (left_type, right_type) and left_type is not right_type and not _is_none(operation):
            raise self.source.error(operation.at, f"{left_type.value} never equals {right_type.value}")
        equal = operation.operator == "=="
        return lambda scope: (left(scope) == right(scope)) is equal

    def _order(self, operation: Operation) -> Evaluate:
        left, right = (self._of_type(operand, Type.NUMBER) for operand in operation.operands)
        compare = _ORDER[operation.operator]

        def evaluate(scope: Scope) -> bool:
            pair = self._numbers(operation, left(scope), right(scope))
            return pair is not None and bool(compare(*pair))

        return evaluate

    def _arithmetic(self, operation: Operation) -> Evaluate:
        operands = [self._of_type(operand, Type.NUMBER) for operand in operation.operands]
        compute = operator.neg if len(operands) == 1 else _ARITHMETIC[operation.operator]

        def evaluate(scope: Scope) -> Any:
            numbers = self._numbers(operation, *(operand(scope) for operand in operands))
            if numbers is None:
                return None
            if operation.operator == "/" and numbers[1] == 0:
                raise self.source.error(operation.at, "division by zero")
            try:
                return compute(*numbers)
            except OverflowError:
                raise self.source.error(operation.at, f"the result of `{operation.operator}' is too large") from None

        return evaluate

    def _numbers(self, operation: Operation, *values: Any) -> tuple[Any, ...] | None:
        """The values if all are there."""
        if None in values:
            return None
        for value in values:
            if not isinstance(value, int | float):
                raise self.source.error(operation.at, f"`{operation.operator}' of {_shown(value)}, which is no number")
        return values


def _is_none(operation: Operation) -> bool:
    return any(isinstance(operand, Literal) and operand.value is None for operand in operation.operands)


def _type_of(value: object) -> Type:
    if value is None:
        return Type.ANY
    if isinstance(value, bool):
        return Type.TRUTH
    return Type.TEXT if isinstance(value, str) else Type.NUMBER


def _shown(value: object) -> str:
    """A value as messages spell it."""
    if isinstance(value, Node | Value):
        return f"'{value.name}'"
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, tuple) else repr(value)
