"""Rules and commands as they are written: lark's trees as a few classes, before names have a meaning.

`at` is the offset in the script. What is an agent, a native function, a wire or an attribute variable is decided by
resolve.py, when all rule heads are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, cast

from lark import Lark, Token, Transformer, UnexpectedInput, UnexpectedToken, v_args

from inbundle.nets.program import PortKind
from inbundle.nets.source import Source, Statement


@dataclass(frozen=True)
class NameSyntax:
    text: str
    at: int


@dataclass(frozen=True)
class NumberSyntax:
    text: str
    at: int


@dataclass(frozen=True)
class Application:
    """An agent, or a call of a native function."""

    head: str
    arguments: tuple[ExprSyntax, ...]
    at: int


@dataclass(frozen=True)
class Operation:
    operator: str
    operands: tuple[ExprSyntax, ...]
    at: int


ExprSyntax = NameSyntax | NumberSyntax | Application | Operation


@dataclass(frozen=True)
class BodySyntax:
    connections: tuple[tuple[ExprSyntax, ExprSyntax], ...] = ()
    bindings: tuple[tuple[NameSyntax, ExprSyntax], ...] = ()


@dataclass(frozen=True)
class HeadSyntax:
    """`agent` is empty for the wildcard, a name alone."""

    agent: str
    ports: tuple[tuple[PortKind, str], ...]
    at: int


Choices = list[tuple[ExprSyntax | None, BodySyntax]]
"""Guards and bodies in the order in which they are tried; the last guard is None."""


@dataclass(frozen=True)
class RuleSyntax:
    left: HeadSyntax
    right: HeadSyntax
    choices: Choices


GRAMMAR = Lark(
    files("inbundle.nets").joinpath("grammar.lark").read_text(encoding="utf-8"),
    parser="lalr",
    start=["rule", "command", "net"],
    maybe_placeholders=True,
)


def terminals(*names: str) -> str:
    """A regular expression for any of these terminals of the grammar."""
    return "|".join(GRAMMAR.get_terminal(name).pattern.to_regexp() for name in names)


NAME = re.compile(terminals("NAME"))
AGENT = re.compile(terminals("AGENT", "NAME"))
"""What an agent may be called; a name in small letters is an agent where parentheses follow."""


def parse_rule(source: Source, statement: Statement) -> RuleSyntax:
    return cast(RuleSyntax, _parse(source, statement, "rule"))


def parse_command(source: Source, statement: Statement) -> tuple[NameSyntax, ...]:
    """The names that a command prints."""
    return cast(tuple[NameSyntax, ...], _parse(source, statement, "command"))


def _parse(source: Source, statement: Statement, start: str) -> object:
    try:
        tree = GRAMMAR.parse(statement.text, start=start)
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        raise source.unexpected(statement.at + (len(statement.text) if ended else error.pos_in_stream or 0)) from None
    return _Syntax(statement.at).transform(tree)


_SPELLING = {"!": "not", "&&": "and", "||": "or"}


@v_args(inline=True)
class _Syntax(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base

    def _at(self, token: Token) -> int:
        return self.base + (token.start_pos or 0)

    def name(self, token: Token) -> NameSyntax:
        return NameSyntax(str(token), self._at(token))

    def number(self, token: Token) -> NumberSyntax:
        return NumberSyntax(str(token), self._at(token))

    def constant(self, token: Token) -> Application:
        return Application(str(token), (), self._at(token))

    def application(self, token: Token, *arguments: ExprSyntax | None) -> Application:
        return Application(str(token), tuple(a for a in arguments if a is not None), self._at(token))

    def unary(self, operator: Token, operand: ExprSyntax) -> Operation:
        return Operation(_SPELLING.get(operator, str(operator)), (operand,), self._at(operator))

    def binary(self, left: ExprSyntax, operator: Token, right: ExprSyntax) -> Operation:
        return Operation(_SPELLING.get(operator, str(operator)), (left, right), self._at(operator))

    def connection(self, left: ExprSyntax, right: ExprSyntax) -> tuple[ExprSyntax, ExprSyntax]:
        return left, right

    def binding(self, name: Token, value: ExprSyntax) -> tuple[NameSyntax, ExprSyntax]:
        return self.name(name), value

    def bindings(self, *bindings: tuple[NameSyntax, ExprSyntax]) -> tuple[tuple[NameSyntax, ExprSyntax], ...]:
        return bindings

    def some_body(self, *parts: Any) -> Choices:
        return [(None, BodySyntax(parts[:-1], parts[-1] or ()))]

    def body(self, some_body: Choices | None) -> Choices:
        return some_body or [(None, BodySyntax())]

    def guarded(self, guard: ExprSyntax, branch: Choices) -> Choices:
        return [(_both(guard, inner), body) for inner, body in branch]

    def guards(self, *branches: Choices) -> Choices:
        return [choice for branch in branches for choice in branch]

    def choice(self, condition: ExprSyntax, then: Choices, otherwise: Choices) -> Choices:
        return [*self.guarded(condition, then), *otherwise]

    def port(self, modifier: Token | None, name: Token) -> tuple[PortKind, str]:
        kind = {None: PortKind.WIRE, "int": PortKind.INT, "float": PortKind.FLOAT}[modifier]
        return kind, str(name)

    def head(self, agent: Token, *ports: tuple[PortKind, str] | None) -> HeadSyntax:
        return HeadSyntax(str(agent), tuple(p for p in ports if p is not None), self._at(agent))

    def wildcard(self, name: Token) -> HeadSyntax:
        return HeadSyntax("", (), self._at(name))

    def rule(self, left: HeadSyntax, right: HeadSyntax, choices: Choices) -> RuleSyntax:
        return RuleSyntax(left, right, choices)

    def command(self, *names: Token) -> tuple[NameSyntax, ...]:
        return tuple(self.name(name) for name in names)


def _both(outer: ExprSyntax, inner: ExprSyntax | None) -> ExprSyntax:
    return outer if inner is None else Operation("and", (outer, inner), outer.at)
