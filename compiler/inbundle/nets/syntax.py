"""Statements as they are written, before names have a meaning.

`at` is the offset in the script. What is an agent, a native function, a wire or an attribute variable is decided by
resolve.py (typed Programs) and script_rules.py (any script), when all that they must know is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inbundle.nets.program import FLOAT_NUMBER, INT_NUMBER, WILDCARD, PortKind
from inbundle.nets.source import Source


@dataclass(frozen=True)
class NameSyntax:
    text: str
    at: int


@dataclass(frozen=True)
class NumberSyntax:
    text: str
    at: int


@dataclass(frozen=True)
class TypedSyntax:
    """`int x` or `float x`."""

    kind: PortKind
    name: str
    at: int


@dataclass(frozen=True)
class FunctionSyntax:
    """`%agent`."""

    agent: str
    at: int


@dataclass(frozen=True)
class Application:
    """An agent, or a call of a native function. Lists and tuples have the agents of program.py.

    Attributes:
        is_bare: written without parentheses, and so a constant perhaps.
        reuse: `L` or `R` for a reuse mark in front.
    """

    head: str
    arguments: tuple[ExprSyntax, ...]
    at: int
    is_bare: bool = False
    reuse: str = ""


@dataclass(frozen=True)
class Operation:
    operator: str
    operands: tuple[ExprSyntax, ...]
    at: int


ExprSyntax = NameSyntax | NumberSyntax | TypedSyntax | FunctionSyntax | Application | Operation
Bindings = tuple[tuple[NameSyntax, ExprSyntax], ...]
Connections = tuple[tuple[ExprSyntax, ExprSyntax], ...]


@dataclass(frozen=True)
class BodySyntax:
    connections: Connections = ()
    bindings: Bindings = ()


Choices = list[tuple[ExprSyntax | None, BodySyntax]]
"""Guards and bodies in the order in which they are tried; the last guard is None."""


@dataclass(frozen=True)
class RuleSyntax:
    """`refusal`: why `choices` are not what the script says, so that the rule cannot be compiled; else empty."""

    left: ExprSyntax
    right: ExprSyntax
    choices: Choices
    refusal: str = ""


@dataclass(frozen=True)
class NetSyntax:
    body: BodySyntax


@dataclass(frozen=True)
class PrintSyntax:
    names: tuple[NameSyntax, ...]


@dataclass(frozen=True)
class ConstSyntax:
    """`const agent = number`, with the sign in `number`."""

    agent: str
    number: str


@dataclass(frozen=True)
class UseSyntax:
    path: str


@dataclass(frozen=True)
class ExitSyntax:
    pass


@dataclass(frozen=True)
class CommandSyntax:
    """Any other command."""


StatementSyntax = RuleSyntax | NetSyntax | PrintSyntax | ConstSyntax | UseSyntax | ExitSyntax | CommandSyntax


@dataclass(frozen=True)
class HeadSyntax:
    """A side of a rule; lists, tuples, numbers and the wildcard have the agents of program.py."""

    agent: str
    ports: tuple[tuple[PortKind, str], ...]
    at: int


def head_of(source: Source, term: ExprSyntax) -> HeadSyntax:
    """The head that a term is. Raises CompileError if it is none."""
    if isinstance(term, TypedSyntax):
        agent = INT_NUMBER if term.kind is PortKind.INT else FLOAT_NUMBER
        return HeadSyntax(agent, ((term.kind, term.name),), term.at)
    if isinstance(term, NameSyntax):
        return HeadSyntax(WILDCARD, ((PortKind.WIRE, term.text),), term.at)
    if not isinstance(term, Application) or term.reuse:
        raise source.error(term.at, "this cannot be one side of a rule")
    return HeadSyntax(term.head, tuple(_port(source, argument) for argument in term.arguments), term.at)


def _port(source: Source, term: ExprSyntax) -> tuple[PortKind, str]:
    if isinstance(term, TypedSyntax):
        return term.kind, term.name
    if isinstance(term, NameSyntax):
        return PortKind.WIRE, term.text
    raise source.error(term.at, "a port of a rule's head must be a name")


def parts_of(term: ExprSyntax) -> Iterator[ExprSyntax]:
    """The arguments or operands of a term."""
    if isinstance(term, Application):
        yield from term.arguments
    elif isinstance(term, Operation):
        yield from term.operands
