"""Kinds of attribute expressions, and the signatures of native functions that follow from how rules call them.

An expression is an int or a float. A call of a native function has the kind of the port that it flows into, through
arithmetic and `where` bindings, and is an int where nothing says otherwise; a parameter is a float if a float is ever
passed for it. The parser has no other source of signatures, and those of a translated Program must be what this finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inbundle.errors import CompileError
from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Binary,
    Body,
    Branch,
    Call,
    Expr,
    FloatLiteral,
    IntLiteral,
    NativeFunction,
    PortKind,
    Rule,
    Term,
    Unary,
    Variable,
    Wire,
)

COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
TRUTHS = COMPARISONS | {"and", "or", "not"}
"""Operators whose value is 1 or 0."""

Scope = dict[str, PortKind]
"""The attribute variables that an expression may use."""


def attributes(body: Body, agents: Mapping[str, Agent]) -> Iterator[tuple[PortKind, Expr]]:
    """The expressions in the attribute ports of a body, with the kinds of the ports, as they are written."""
    for left, right in body.connections:
        yield from _attributes(left, agents)
        yield from _attributes(right, agents)


def _attributes(term: Term | Expr, agents: Mapping[str, Agent]) -> Iterator[tuple[PortKind, Expr]]:
    if isinstance(term, AgentTerm):
        for kind, argument in zip(agents[term.agent].ports, term.arguments, strict=True):
            if kind is PortKind.WIRE:
                yield from _attributes(argument, agents)
            elif not isinstance(argument, (Wire, AgentTerm)):
                yield kind, argument


def head_scope(rule: Rule, agents: Mapping[str, Agent]) -> Scope:
    """The attribute variables of a rule's heads."""
    ports = [
        (name, kind)
        for head in (rule.left, rule.right)
        for name, kind in zip(head.ports, agents[head.agent].ports, strict=True)
    ]
    return {name: kind for name, kind in ports if kind is not PortKind.WIRE}


@dataclass
class Natives:
    """What is known of native functions so far.

    Attributes:
        dialect: that of the program; in the float dialect truth values are floats.
        results: kinds of results, without those that nothing has decided.
        parameters: kinds of parameters, of every function that has been called.
    """

    dialect: str = "int"
    results: dict[str, PortKind] = field(default_factory=dict)
    parameters: dict[str, list[PortKind]] = field(default_factory=dict)

    @classmethod
    def declared(cls, natives: Sequence[NativeFunction], dialect: str) -> Natives:
        """Those of a finished Program."""
        results = {native.name: native.result for native in natives}
        return cls(dialect, results, {native.name: list(native.parameters) for native in natives})

    def functions(self) -> list[NativeFunction]:
        """The signatures, in the order of the calls."""
        return [
            NativeFunction(name, tuple(kinds), self.results.get(name, PortKind.INT))
            for name, kinds in self.parameters.items()
        ]

    def kind_of(self, expression: Expr, scope: Mapping[str, PortKind]) -> PortKind:
        """The kind that an expression has by itself."""
        if isinstance(expression, (IntLiteral, FloatLiteral)):
            return PortKind.INT if isinstance(expression, IntLiteral) else PortKind.FLOAT
        if isinstance(expression, Variable):
            return scope[expression.name]
        if isinstance(expression, Call):
            return self.results.get(expression.native, PortKind.INT)
        if expression.operator in TRUTHS:
            return PortKind.FLOAT if self.dialect == "float" else PortKind.INT
        operands = (expression.operand,) if isinstance(expression, Unary) else (expression.left, expression.right)
        return _wider([self.kind_of(operand, scope) for operand in operands])

    def scope_of(self, branch: Branch, scope: Scope) -> Scope:
        """`scope` and the variables that a branch binds."""
        scope = dict(scope)
        for name, value in branch.body.bindings:
            scope[name] = self.kind_of(value, scope)
        return scope

    def observe(self, rules: Sequence[Rule], agents: Mapping[str, Agent]) -> None:
        """Learns from the calls in rules: results first, as arguments may be calls themselves."""
        for learn in (self._observe_results, self._observe_arguments):
            for rule in rules:
                try:
                    for branch in rule.branches:
                        learn(rule, branch, agents)
                except CompileError as error:
                    raise error.at(f"rule {rule.left.agent} >< {rule.right.agent}") from None

    def observe_result(self, name: str, kind: PortKind) -> None:
        """A call flows into a port of this kind."""
        if self.results.setdefault(name, kind) is not kind:
            raise CompileError(f"the result of native function `{name}' is used as an int and as a float")

    def observe_call(self, name: str, arguments: Sequence[PortKind]) -> None:
        """A call with arguments of these kinds."""
        parameters = self.parameters.setdefault(name, list(arguments))
        if len(parameters) != len(arguments):
            raise CompileError(
                f"native function `{name}' is called with {len(arguments)} and with {len(parameters)} arguments"
            )
        parameters[:] = [_wider(pair) for pair in zip(parameters, arguments, strict=True)]

    def _observe_results(self, rule: Rule, branch: Branch, agents: Mapping[str, Agent]) -> None:
        """Backwards: a binding's value flows where its variable flows."""
        wanted = head_scope(rule, agents)
        for kind, expression in attributes(branch.body, agents):
            self._flow(expression, kind, wanted)
        for name, value in reversed(branch.body.bindings):
            self._flow(value, wanted.get(name), wanted)
        if branch.guard is not None:
            self._flow(branch.guard, None, wanted)

    def _flow(self, expression: Expr, kind: PortKind | None, wanted: Scope) -> None:
        if isinstance(expression, Call):
            if kind is not None:
                self.observe_result(expression.native, kind)
            for argument in expression.arguments:
                self._flow(argument, None, wanted)
        elif isinstance(expression, Variable) and kind is not None:
            wanted.setdefault(expression.name, kind)
        elif isinstance(expression, Unary):
            self._flow(expression.operand, None if expression.operator == "not" else kind, wanted)
        elif isinstance(expression, Binary):
            inner = None if expression.operator in TRUTHS else kind
            self._flow(expression.left, inner, wanted)
            self._flow(expression.right, inner, wanted)

    def _observe_arguments(self, rule: Rule, branch: Branch, agents: Mapping[str, Agent]) -> None:
        heads = head_scope(rule, agents)
        if branch.guard is not None:
            self._arguments(branch.guard, heads)
        scope = self.scope_of(branch, heads)
        for _, value in branch.body.bindings:
            self._arguments(value, scope)
        for _, expression in attributes(branch.body, agents):
            self._arguments(expression, scope)

    def _arguments(self, expression: Expr, scope: Scope) -> None:
        if isinstance(expression, Call):
            self.observe_call(expression.native, [self.kind_of(argument, scope) for argument in expression.arguments])
        for part in parts(expression):
            self._arguments(part, scope)


def parts(expression: Expr) -> tuple[Expr, ...]:
    """The operands or arguments of an expression."""
    if isinstance(expression, Call):
        return expression.arguments
    if isinstance(expression, Unary):
        return (expression.operand,)
    return (expression.left, expression.right) if isinstance(expression, Binary) else ()


def calls(expression: Expr) -> Iterator[Call]:
    """All calls in an expression, outermost and leftmost first."""
    if isinstance(expression, Call):
        yield expression
    for part in parts(expression):
        yield from calls(part)


def variables(expression: Expr) -> Iterator[str]:
    """The names of the variables in an expression."""
    if isinstance(expression, Variable):
        yield expression.name
    for part in parts(expression):
        yield from variables(part)


def _wider(kinds: Sequence[PortKind]) -> PortKind:
    return PortKind.FLOAT if PortKind.FLOAT in kinds else PortKind.INT
