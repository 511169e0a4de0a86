"""A rule as a C function of its pair, against inpla_rule.h, in either word model.

The function reads the ports of both cells, then per branch: gives back or reuses the two cells, takes new ones for what
is left, fills their ports and makes the connections. A wire that is one side of a connection needs no cell: what is on
the other side goes straight to the wire's other end.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from inbundle.nets.c_cells import CellWriter, Spare
from inbundle.nets.c_expression import ExpressionWriter
from inbundle.nets.c_names import AgentNames, Names
from inbundle.nets.c_words import C_TYPE, TypedWords, Words, constant
from inbundle.nets.program import (
    FLOAT_NUMBER,
    INT_NUMBER,
    WILDCARD,
    Agent,
    AgentTerm,
    Argument,
    Body,
    Branch,
    Call,
    Head,
    PortKind,
    Program,
    Rule,
    Wire,
)
from inbundle.nets.routes import Routes
from inbundle.nets.rule_text import rule_text
from inbundle.nets.types import Natives, Scope, head_scope, variables

NO_CELL = (INT_NUMBER, FLOAT_NUMBER, WILDCARD)
"""Heads whose partner is a value to hand on, no cell to take apart."""


class RuleWriter(ABC):
    """Writes the rules of a program. Subclasses say what differs between bundles and scripts.

    Attributes:
        signatures: of agents; None in an untyped Program.
        functions: the C name of each rule's function, in order.
    """

    words: Words
    signatures: Mapping[str, Agent] | None

    def __init__(self, agents: AgentNames, natives: Natives) -> None:
        self.agents = agents
        self.natives = natives
        self.functions: list[str] = []

    def write(self, rule: Rule, index: int = 0) -> str:
        """The function, with the rule above it as a comment. `index` is the rule's number in messages."""
        comment = rule_text(rule, self.signatures or {}).replace("\n", "\n * ").replace("*/", "* /")
        body = "".join(f"    {line}\n" if line else "\n" for line in PairFunction(self, rule, index).lines())
        unused = "" if "worker" in body else "    (void)worker;\n"
        unused += "" if "right" in body else "    (void)right;\n"
        name = self.name(rule, index)
        self.functions.append(name)
        signature = f"static inpla_status {name}(inpla_worker *worker, inpla_cell *left, inpla_cell *right)"
        return f"/* {comment} */\n{signature}\n{{\n{unused}{body}}}\n"

    @abstractmethod
    def name(self, rule: Rule, index: int) -> str:
        """The C name of the rule's function."""

    @abstractmethod
    def scope(self, rule: Rule) -> Scope:
        """The attribute variables of the heads."""

    @abstractmethod
    def sides(self, rule: Rule) -> tuple[Head, Head]:
        """The heads of the function's arguments `left` and `right`."""

    @abstractmethod
    def read(self, cell: str, head: Head, port: int, variable: str, place: str, used: set[str]) -> Iterator[str]:
        """Makes a port's content a C variable, if that is among `used`. `place` is what messages about it need."""

    def placement(self, body: Body, values: ExpressionWriter) -> Iterator[str]:
        """Statements that hand the pair to another worker if that had better reduce it."""
        return iter(())

    @abstractmethod
    def failure(self, rule: int) -> str:
        """The statement after a division by zero."""

    @abstractmethod
    def last(self, left: str, right: str) -> str:
        """The statement that makes the last connection of a branch."""

    end: str
    """The statement after a branch without connections."""


class BundleRules(RuleWriter):
    """The rules of a typed Program."""

    words = TypedWords()
    end = "return INPLA_OK;"

    def __init__(self, program: Program) -> None:
        super().__init__(AgentNames(), Natives.declared(program.natives, program.dialect))
        self.signatures = {agent.name: agent for agent in program.agents}
        self._function_names = Names("rule_")
        self._pieces = {native.name: native.pieces for native in program.natives}

    def name(self, rule: Rule, index: int) -> str:
        return self._function_names[f"{rule.left.agent}_{rule.right.agent}"]

    def scope(self, rule: Rule) -> Scope:
        assert self.signatures is not None
        return head_scope(rule, self.signatures)

    def sides(self, rule: Rule) -> tuple[Head, Head]:
        return rule.left, rule.right

    def read(self, cell: str, head: Head, port: int, variable: str, place: str, used: set[str]) -> Iterator[str]:
        assert self.signatures is not None
        if variable not in used:
            return
        kind = self.signatures[head.agent].ports[port]
        member = "cell" if kind is PortKind.WIRE else kind.value
        yield f"{constant(kind)} {variable} = inpla_ports({cell})[{port}].{member};"

    def placement(self, body: Body, values: ExpressionWriter) -> Iterator[str]:
        calls = (value for _, value in body.bindings if isinstance(value, Call))
        for call in (call for call in calls if self._pieces.get(call.native, 1) != 1):
            piece = values.value(call.arguments[0], PortKind.INT)
            yield f"if (inpla_passes_on(worker, {piece}, {self._pieces[call.native]}, left, right))"
            yield "    return INPLA_OK;"

    def failure(self, rule: int) -> str:
        return "return INPLA_ERROR_NATIVE;"

    def last(self, left: str, right: str) -> str:
        return f"return inpla_connect(worker, {left}, {right});"


def alternatives(
    guards: Sequence[str],
    branches: Sequence[Sequence[str]],
    ports: Callable[[set[str]], Iterable[str]],
    check: Callable[[], Iterable[str]],
) -> Iterator[str]:
    """The branch of the first guard that holds, or the last branch, which has none.

    Args:
        ports: locals for those ports of the pair that are among the words.
        check: leaves the function where computing a guard has failed.
    """
    text = "\n".join([*guards, *(line for branch in branches for line in branch)])
    yield from ports(set(re.findall(r"\w+", text)))
    if "&failed" in text:
        yield "int failed = 0;"
    for index, (guard, branch) in enumerate(zip(guards, branches, strict=False)):
        condition = guard
        if "&failed" in guard:
            condition = f"is_true_{index}"
            yield f"const int {condition} = {guard};"
            yield from check()
        yield f"if ({condition}) {{"
        yield from (f"    {line}" for line in branch)
        yield "}"
    yield from branches[-1]


class PairFunction:
    """The body of a rule's function."""

    def __init__(self, writer: RuleWriter, rule: Rule, index: int) -> None:
        self.writer = writer
        self.rule = rule
        self.index = index
        self.names = Names("v_")
        self.scope = writer.scope(rule)
        self.guards = self._expressions(self.scope)

    def lines(self) -> Iterator[str]:
        branches = [list(self._branch(branch)) for branch in self.rule.branches]
        guards = [self.guards.condition(branch.guard) for branch in self.rule.branches if branch.guard is not None]
        yield from alternatives(guards, branches, self._ports, self._check)

    def _ports(self, used: set[str]) -> Iterator[str]:
        """Locals for the ports that some branch uses."""
        before = 0
        for cell, head in zip(("left", "right"), self.writer.sides(self.rule), strict=True):
            for index, name in enumerate(head.ports):
                place = f"{self.index}, {before + index}"
                yield from self.writer.read(cell, head, index, self.names[name], place, used)
            before = len(head.ports)

    def _expressions(self, scope: Scope) -> ExpressionWriter:
        names = {name: self.names[name] for name in scope}
        return ExpressionWriter(self.writer.words, self.writer.natives, names, scope)

    def _check(self) -> Iterator[str]:
        yield "if (failed)"
        yield f"    {self.writer.failure(self.index)}"

    # --- what becomes of the pair ----------------------------------------------------------------------------------

    def _branch(self, branch: Branch) -> Iterator[str]:
        body = with_distinct_terms(branch.body)
        values = self._expressions(self.writer.natives.scope_of(branch, self.scope))
        yield from self.writer.placement(body, values)
        yield from self._bindings(body, values)
        routes = Routes(self.rule.left.ports + self.rule.right.ports, body.connections)
        cells = CellWriter(self.writer.agents, values, self.writer.signatures, self._spares(), routes.far_end)
        step = cells.add(*routes.terms())
        free = list(cells.give_back())

        def end(argument: Argument) -> str:
            reached = routes.far_end(argument)
            return self.names[reached.name] if isinstance(reached, Wire) else cells.value(reached)

        fill = list(cells.fill(step, end))
        connections = [(end(a), end(b)) for a, b in routes.connections]
        if cells.hoisted:
            yield from cells.hoisted
            yield from self._check()
        yield from free
        yield from cells.take(step, [self.names[wire] for wire in routes.inner_wires()])
        yield from fill
        yield from self._connect(connections)

    def _spares(self) -> list[Spare]:
        return [
            Spare(cell, head.agent, len(head.ports), head.ports, "L" if head is self.rule.left else "R")
            for cell, head in zip(("left", "right"), self.writer.sides(self.rule), strict=True)
            if head.agent not in NO_CELL
        ]

    def _bindings(self, body: Body, values: ExpressionWriter) -> Iterator[str]:
        used = set(used_variables(Branch(None, body)))
        for name, value in body.bindings:
            kind = values.scope[name]
            text = values.value(value, kind)
            yield f"const {C_TYPE[kind]} {self.names[name]} = {text};"
            if name not in used:
                yield f"(void){self.names[name]};"
            if "&failed" in text:
                yield from self._check()

    def _connect(self, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
        if not pairs:
            yield self.writer.end
            return
        if len(pairs) > 1:
            yield "inpla_status status;"
        for left, right in pairs[:-1]:
            yield f"if ((status = inpla_connect(worker, {left}, {right})) != INPLA_OK)"
            yield "    return status;"
        yield self.writer.last(*pairs[-1])


def with_distinct_terms(body: Body) -> Body:
    """The same body, with an object of its own for every agent: a Body may use one object twice."""
    return replace(body, connections=tuple((_distinct(a), _distinct(b)) for a, b in body.connections))


def _distinct(term: Argument) -> Argument:
    return replace(term, arguments=tuple(map(_distinct, term.arguments))) if isinstance(term, AgentTerm) else term


def used_variables(branch: Branch) -> Iterator[str]:
    """The attribute variables in a branch's guard, bindings and terms."""
    if branch.guard is not None:
        yield from variables(branch.guard)
    for _, value in branch.body.bindings:
        yield from variables(value)
    for connection in branch.body.connections:
        for side in connection:
            yield from _variables_of_term(side)


def _variables_of_term(term: Argument) -> Iterator[str]:
    if isinstance(term, AgentTerm):
        for argument in term.arguments:
            yield from _variables_of_term(argument)
    elif not isinstance(term, Wire):
        yield from variables(term)
