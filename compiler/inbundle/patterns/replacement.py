"""What takes the place of a match, written in the pattern language: statements that make nodes.

    %t = Transpose(%x) {perm: Transpose#1.perm}
    Transpose#2 = Relu(%t)

A statement with a value key names a new value, one with a node key says what replaces the result of that node.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Node, Value
from inbundle.graph.ops import OPS
from inbundle.graph.types import ElemKind
from inbundle.patterns.expressions import Evaluate, Scope, compile_expression
from inbundle.patterns.functions import tensor
from inbundle.patterns.matcher import Match
from inbundle.patterns.pattern import Pattern
from inbundle.patterns.rewriter import Rewrite, Rewriter
from inbundle.patterns.syntax import Call, Statement, parse_replacement
from inbundle.patterns.text import PatternText


def compile_replacement(source: PatternText, pattern: Pattern) -> Rewrite:
    """The rewrite that a text stands for.

    Raises:
        CompileError: the text is wrong; the rewrite raises it where a match does not allow what the text says.
    """
    statements = parse_replacement(source)
    compiler = _Compiler(source, pattern)
    steps = [compiler.statement(statement) for statement in statements]
    if not any(step.replaces for step in steps):
        raise source.error(0, "nothing is replaced", f"begin a statement with {_listed(pattern.node_keys)} = ...")

    def rewrite(rewriter: Rewriter, match: Match) -> dict[Value, Value]:
        scope = pattern.scope(rewriter.facts, match)
        subjects = dict(scope.subjects)
        replaced: dict[Value, Value] = {}
        for step in steps:
            value = step.build(rewriter, Scope(scope.facts, subjects))
            if step.replaces:
                replaced[match[step.target].output] = value
            else:
                subjects[step.target] = value
        return replaced

    return rewrite


@dataclass(frozen=True)
class _Step:
    target: str
    replaces: bool
    build: Callable[[Rewriter, Scope], Value]


class _Compiler:
    def __init__(self, source: PatternText, pattern: Pattern) -> None:
        self.source = source
        self.pattern = pattern
        self.known = set(pattern.subject_keys)
        self.replaced: set[str] = set()

    def statement(self, statement: Statement) -> _Step:
        call = statement.expression
        if isinstance(call, Call) and call.name in OPS:
            build = self._node(call, statement)
        elif statement.attributes:
            raise self.source.error(statement.at, "only a new node has attributes")
        else:
            build = self._value(statement)
        replaces = not statement.target.startswith("%")
        self._check_target(statement, replaces)
        return _Step(statement.target, replaces, build)

    def _check_target(self, statement: Statement, replaces: bool) -> None:
        target = statement.target
        if replaces and target not in self.pattern.node_keys:
            known = f"there are {_listed(self.pattern.node_keys)}"
            raise self.source.error(statement.at, f"`{target}' is no single node of the pattern", known)
        if target in (self.replaced if replaces else self.known):
            raise self.source.error(statement.at, f"`{target}' has a value already")
        (self.replaced if replaces else self.known).add(target)

    def _evaluate(self, expression: Any) -> Evaluate:
        return compile_expression(self.source, expression, self.known, self.pattern.functions)

    def _value(self, statement: Statement) -> Callable[[Rewriter, Scope], Value]:
        call = statement.expression
        if isinstance(call, Call) and call.name not in self.pattern.functions:
            close = difflib.get_close_matches(call.name, [*OPS, *self.pattern.functions], 1, 0.5)
            hint = f"did you mean {close[0]}?" if close else ""
            raise self.source.error(call.at, f"`{call.name}' is neither a kind of node nor a function", hint)
        evaluate = self._evaluate(statement.expression)

        def build(rewriter: Rewriter, scope: Scope) -> Value:
            value = tensor(evaluate(scope))
            if value is None:
                raise self.source.error(statement.expression.at, "this is neither a node nor a value")
            return value

        return build

    def _node(self, call: Call, statement: Statement) -> Callable[[Rewriter, Scope], Value]:
        operands = [self._evaluate(argument) for argument in call.arguments]
        attributes = {name: self._evaluate(expression) for name, expression in statement.attributes.items()}
        wanted = statement.target.lstrip("%").replace("#", "_")

        def build(rewriter: Rewriter, scope: Scope) -> Value:
            given = {name: evaluate(scope) for name, evaluate in attributes.items()}
            present = {name: value for name, value in given.items() if value is not None}
            try:
                inputs = _operands(rewriter, [operand(scope) for operand in operands], wanted)
                return rewriter.add(call.name, inputs, present, outputs=[wanted]).output
            except CompileError as error:
                named = error.message.startswith(call.name)
                message = error.message if named else f"{call.name}: {error.message}"
                raise self.source.error(call.at, message, error.hint) from None

        return build


def _operands(rewriter: Rewriter, given: Sequence[Any], name: str) -> list[Value | None]:
    """Numbers and lists of numbers become constants of the element type of the first tensor."""
    tensors = [tensor(operand) for operand in given]
    first = next((value for value in tensors if value is not None), None)
    inputs: list[Value | None] = []
    for operand, value in zip(given, tensors, strict=True):
        if operand is None or value is not None:
            inputs.append(value)
        elif first is None or not _is_numeric(operand):
            raise CompileError("an operand is neither a value nor a number beside one")
        else:
            inputs.append(rewriter.constant(f"{name}_constant", _as_elements(operand, first.type.elem)))
    return inputs


def _as_elements(operand: object, elem: ElemKind) -> np.ndarray:
    """Numbers as elements of a tensor; only rounding to floats may change them."""
    try:
        exact = np.array(operand, np.float64 if elem.is_float else None)
    except ValueError:
        raise CompileError("the lists in a list of numbers have several lengths") from None
    except OverflowError:
        raise CompileError("a number is too large") from None
    if exact.dtype == np.object_:
        raise CompileError("a number is too large")
    with np.errstate(all="ignore"):
        data = exact.astype(elem.dtype)
        is_lost = np.isfinite(exact) & ~np.isfinite(data) if elem.is_float else data != exact
    if is_lost.any():
        raise CompileError(f"{exact[is_lost].flat[0]} is no element of type {elem.glow_name}")
    return data


def _is_numeric(operand: object) -> bool:
    if isinstance(operand, tuple):
        return all(map(_is_numeric, operand))
    return isinstance(operand, int | float) and not isinstance(operand, Node)


def _listed(keys: frozenset[str]) -> str:
    return ", ".join(sorted(keys))
