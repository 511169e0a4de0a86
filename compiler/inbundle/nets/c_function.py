"""What the parts of an agent function in C share: c_agent.py, c_case.py, c_branch.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inbundle.nets.agent_functions import AgentFunction, Key
from inbundle.nets.c_expression import ExpressionWriter
from inbundle.nets.c_names import Names, ScriptAgentNames, plain_name
from inbundle.nets.c_rule import NO_CELL
from inbundle.nets.c_words import Values
from inbundle.nets.program import FLOAT_NUMBER, INT_NUMBER, Head, PortKind, Rule
from inbundle.nets.types import Natives, Scope

CHECKED = {PortKind.INT: ("inpla_is_int", "FAILURE_INT"), PortKind.FLOAT: ("inpla_is_number", "FAILURE_FLOAT")}
"""Whether a value is the number that a port should hold, and what is wrong when it is not."""

OF_VALUE = {PortKind.WIRE: "{}", PortKind.INT: "(inpla_int){}", PortKind.FLOAT: "number_real({})"}
"""A value that has passed that, as a C variable."""

OF_PARTNER = {INT_NUMBER: "(inpla_int)right", FLOAT_NUMBER: "number_real(right)"}
"""The number that a partner is."""


@dataclass(frozen=True)
class Context:
    """What the agent functions of a script share."""

    callable: Mapping[Key, AgentFunction]
    agents: ScriptAgentNames
    natives: Natives
    erases: bool  # Eraser has the language's rules only


@dataclass(frozen=True)
class Shape:
    """How the C function around a case is made.

    Attributes:
        loops: it goes on by itself; `rounds` counts its interactions.
        is_leaf: it calls no other agent function.
        has_ends: results go through `d0`, `d1` ... (compiled_result), each to where its hole is. Else there is one, the
            value that the function returns.
        failure: what it returns when the net is lost.
    """

    loops: bool
    is_leaf: bool
    has_ends: bool
    failure: str

    @property
    def fail(self) -> str:
        return f"return {self.failure};"


def function_name(function: AgentFunction) -> str:
    """The C name of an agent function; those of built-in agents are in compiled_rule.h."""
    return f"{'reduce' if function.rules else 'compiled'}_{plain_name(function.agent)}_{function.ports}"


def returns_value(function: AgentFunction) -> bool:
    """Whether the C function returns its one result. Else it returns 1, or 0 when the net is lost, and is given an end
    for each result."""
    return len(function.results) == 1


@dataclass(frozen=True)
class CaseFacts:
    """A rule as a case of a function.

    Attributes:
        number: of the rule, in messages.
        own: the agent's head.
        partner: the other one.
        names: C names of what the rule names.
    """

    context: Context
    function: AgentFunction
    number: int
    rule: Rule
    own: Head
    partner: Head
    names: Names

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the function's results."""
        return tuple(self.own.ports[port] for port in self.function.results)

    @property
    def own_first(self) -> bool:
        """Whether ports are counted from the agent's own on, in messages: its head is the rule's left one."""
        return self.own is self.rule.left or self.partner.agent in NO_CELL

    def expressions(self, scope: Scope) -> ExpressionWriter:
        return ExpressionWriter(Values(), self.context.natives, {name: self.names[name] for name in scope}, scope)

    def check(self, shape: Shape) -> Iterator[str]:
        """The statement behind a division."""
        yield "if (failed)"
        yield f"    return compiled_stop(worker, {self.number}), {shape.failure};"
