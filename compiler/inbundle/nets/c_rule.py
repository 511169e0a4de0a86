"""A rule as a C function against inpla_rule.h.

The function reads the ports of both cells, then per branch: gives back or reuses the two cells, takes new ones for what
is left, fills their ports and makes the connections. A wire that is one side of a connection needs no cell: what is on
the other side goes straight to the wire's other end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inbundle.nets.c_expression import C_TYPE, ExpressionWriter
from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Argument,
    Body,
    Branch,
    Expr,
    PortKind,
    Program,
    Rule,
    Variable,
    Wire,
)
from inbundle.nets.routes import Routes
from inbundle.nets.rule_text import rule_text
from inbundle.nets.types import Natives, attributes, head_scope, parts


class Names:
    """C names of what a script names: unique, and legal although Inpla allows `'` and `.` in names."""

    def __init__(self, prefix: str, given: Mapping[str, str] | None = None) -> None:
        self.prefix = prefix
        self._names = dict(given or {})

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            plain = self.prefix + re.sub(r"[^A-Za-z0-9_]", "_", name)
            while plain in self._names.values():
                plain += "_"
            self._names[name] = plain
        return self._names[name]


_BUILTIN = {"Eraser": "INPLA_ERASER", "Dup": "INPLA_DUP"}


@dataclass
class RuleWriter:
    """Writes the rules of a program; `functions` has the C name of each rule's function, in order."""

    program: Program
    agent_names: Names = field(default_factory=lambda: Names("AGENT_", _BUILTIN))
    functions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.agents = {agent.name: agent for agent in self.program.agents}
        self.natives = Natives.declared(self.program.natives, self.program.dialect)
        self._function_names = Names("rule_")

    def write(self, rule: Rule) -> str:
        """The function, with the rule above it as a comment."""
        name = self._function_names[f"{rule.left.agent}_{rule.right.agent}"]
        self.functions.append(name)
        comment = rule_text(rule, self.agents).replace("\n", "\n * ")
        body = "".join(f"    {line}\n" if line else "\n" for line in _Function(self, rule).lines())
        unused = "" if "worker" in body else "    (void)worker;\n"
        signature = f"static inpla_status {name}(inpla_worker *worker, inpla_cell *left, inpla_cell *right)"
        return f"/* {comment} */\n{signature}\n{{\n{unused}{body}}}\n"


class _Function:
    """The body of a rule's function."""

    def __init__(self, writer: RuleWriter, rule: Rule) -> None:
        self.writer = writer
        self.rule = rule
        self.names = Names("v_")
        self.scope = head_scope(rule, writer.agents)
        self.guards = ExpressionWriter(writer.natives, _as_mapping(self.names, self.scope), self.scope)

    def lines(self) -> Iterator[str]:
        branches = [list(self._branch(branch)) for branch in self.rule.branches]
        yield from self._ports(self.rule.left.agent, "left", self.rule.left.ports)
        yield from self._ports(self.rule.right.agent, "right", self.rule.right.ports)
        guards = [self.guards.condition(branch.guard) for branch in self.rule.branches if branch.guard is not None]
        if "&failed" in "".join([*guards, *(line for branch in branches for line in branch)]):
            yield "int failed = 0;"
        for index, (guard, branch) in enumerate(zip(guards, branches, strict=False)):
            condition = guard
            if "&failed" in guard:
                condition = f"is_true_{index}"
                yield f"const int {condition} = {guard};"
                yield from _FAILED
            yield f"if ({condition}) {{"
            yield from (f"    {line}" for line in branch)
            yield "}"
        yield from branches[-1]

    def _ports(self, agent: str, cell: str, ports: Sequence[str]) -> Iterator[str]:
        """Locals for the ports that some branch uses; a wire is always used."""
        for index, (name, kind) in enumerate(zip(ports, self.writer.agents[agent].ports, strict=True)):
            if kind is PortKind.WIRE:
                yield f"inpla_cell *const {self.names[name]} = inpla_ports({cell})[{index}].cell;"
            elif name in self._used_attributes():
                yield f"const {C_TYPE[kind]} {self.names[name]} = inpla_ports({cell})[{index}].{kind.value};"

    def _used_attributes(self) -> set[str]:
        used: set[str] = set()
        for branch in self.rule.branches:
            expressions = [value for _, value in branch.body.bindings]
            expressions += [expression for _, expression in attributes(branch.body, self.writer.agents)]
            expressions += [] if branch.guard is None else [branch.guard]
            for expression in expressions:
                used.update(_variables(expression))
        return used

    def _branch(self, branch: Branch) -> Iterator[str]:
        scope = self.writer.natives.scope_of(branch, self.scope)
        values = ExpressionWriter(self.writer.natives, _as_mapping(self.names, scope), scope)
        yield from _BranchWriter(self, values).lines(branch.body)


_FAILED = ("if (failed)", "    return INPLA_ERROR_NATIVE;")


class _BranchWriter:
    """Writes what becomes of the pair."""

    def __init__(self, function: _Function, values: ExpressionWriter) -> None:
        self.rule = function.rule
        self.writer = function.writer
        self.names = function.names
        self.values = values
        self.cells: list[tuple[str, AgentTerm]] = []  # C name and agent of each cell, in the order of the rule's text
        self.cell_of: dict[int, str] = {}  # id of an agent term -> C name of its cell

    def lines(self, body: Body) -> Iterator[str]:
        body = replace(body, connections=tuple((_distinct(a), _distinct(b)) for a, b in body.connections))
        yield from self._bindings(body)
        routes = Routes(self.rule, body)
        for connection in body.connections:
            for term in connection:
                self._name_cells(term)
        fills = [line for cell, term in self.cells for line in self._fill(cell, term, routes)]
        checked = any("&failed" in line for line in fills)
        yield from self._take_cells(routes.inner_wires())
        yield from fills
        yield from _FAILED if checked else ()
        yield from self._connect([(self._end(a), self._end(b)) for a, b in routes.connections])

    def _bindings(self, body: Body) -> Iterator[str]:
        used = {name for _, e in attributes(body, self.writer.agents) for name in _variables(e)}
        used |= {name for _, value in body.bindings for name in _variables(value)}
        for name, value in body.bindings:
            kind = self.values.scope[name]
            text = self.values.value(value, kind)
            yield f"const {C_TYPE[kind]} {self.names[name]} = {text};"
            if name not in used:
                yield f"(void){self.names[name]};"
            if "&failed" in text:
                yield from _FAILED

    def _name_cells(self, term: Argument) -> None:
        if not isinstance(term, AgentTerm):
            return
        plain = "new_" + re.sub(r"[^A-Za-z0-9_]", "_", term.agent)
        taken = set(self.cell_of.values())
        name = next(n for n in (plain, *(f"{plain}_{i}" for i in range(2, len(taken) + 3))) if n not in taken)
        self.cells.append((name, term))
        self.cell_of[id(term)] = name
        for argument in term.arguments:
            self._name_cells(argument)

    def _take_cells(self, wires: Sequence[str]) -> Iterator[str]:
        """Cells of the pair that are not needed go back first, so that they can be taken again."""
        reused = self._reuse()
        for cell, head in (("left", self.rule.left), ("right", self.rule.right)):
            if cell not in reused.values():
                yield f"inpla_free(worker, {cell}, {len(head.ports)});"
        for name, term in self.cells:
            if name in reused:
                yield f"inpla_cell *const {name} = inpla_reuse({reused[name]}, {self._header(term)});"
        new = [(name, f"inpla_new(worker, {self._header(term)})") for name, term in self.cells if name not in reused]
        new += [(self.names[wire], "inpla_wire(worker)") for wire in wires]
        for name, taken in new:
            yield f"inpla_cell *const {name} = {taken};"
        if new:
            yield f"if ({' || '.join(f'{name} == NULL' for name, _ in new)})"
            yield "    return INPLA_ERROR_HEAP;"

    def _reuse(self) -> dict[str, str]:
        """Name of a cell -> the cell of the pair that becomes it: the same agent if possible, else one of its size."""
        pair = {"left": self.writer.agents[self.rule.left.agent], "right": self.writer.agents[self.rule.right.agent]}
        reused: dict[str, str] = {}
        for same_agent in (True, False):
            for name, term in self.cells:
                agent = self.writer.agents[term.agent]
                for cell, old in pair.items():
                    fits = old == agent if same_agent else _size_class(old) == _size_class(agent)
                    if fits and name not in reused and cell not in reused.values():
                        reused[name] = cell
        return reused

    def _header(self, term: AgentTerm) -> str:
        return f"{self.writer.agent_names[term.agent]}, {len(term.arguments)}"

    def _fill(self, cell: str, term: AgentTerm, routes: Routes) -> Iterator[str]:
        kinds = self.writer.agents[term.agent].ports
        for index, (kind, argument) in enumerate(zip(kinds, term.arguments, strict=True)):
            port = f"inpla_ports({cell})[{index}]"
            if isinstance(argument, (Wire, AgentTerm)):
                yield f"{port}.cell = {self._end(routes.far_end(argument))};"
            else:
                yield f"{port}.{kind.value} = {self.values.value(argument, kind)};"

    def _end(self, term: Argument) -> str:
        return self.names[term.name] if isinstance(term, Wire) else self.cell_of[id(term)]

    def _connect(self, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
        if not pairs:
            yield "return INPLA_OK;"
            return
        if len(pairs) > 1:
            yield "inpla_status status;"
        for left, right in pairs[:-1]:
            yield f"if ((status = inpla_connect(worker, {left}, {right})) != INPLA_OK)"
            yield "    return status;"
        yield f"return inpla_connect(worker, {pairs[-1][0]}, {pairs[-1][1]});"


def _distinct(term: Argument) -> Argument:
    """The same term, with an object of its own for every agent: a Body may use one object twice."""
    return replace(term, arguments=tuple(map(_distinct, term.arguments))) if isinstance(term, AgentTerm) else term


def _variables(expression: Expr) -> Iterator[str]:
    if isinstance(expression, Variable):
        yield expression.name
    for part in parts(expression):
        yield from _variables(part)


def _size_class(agent: Agent) -> int:
    """INPLA_CLASS of inpla_rule.h."""
    return max(0, len(agent.ports) - 2)


def _as_mapping(names: Names, scope: Mapping[str, PortKind]) -> dict[str, str]:
    return {name: names[name] for name in scope}
