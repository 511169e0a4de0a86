"""One rule as a case of an agent function (c_agent.py): its guards, and what each branch computes, builds and calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from inbundle.nets.agent_functions import AgentFunction, Key
from inbundle.nets.c_cells import CellWriter, Spare
from inbundle.nets.c_expression import ExpressionWriter
from inbundle.nets.c_names import Names, ScriptAgentNames, plain_name
from inbundle.nets.c_rule import NO_CELL, used_variables, with_distinct_terms
from inbundle.nets.c_words import Values, constant
from inbundle.nets.call_plan import Call, CallPlan, Planner
from inbundle.nets.program import INT_NUMBER, AgentTerm, Argument, Body, Branch, Head, PortKind, Rule, Wire
from inbundle.nets.script_rules import untyped_scope
from inbundle.nets.types import Natives, Scope

CHECKED = {PortKind.INT: ("compiled_int", "FAILURE_INT"), PortKind.FLOAT: ("compiled_float", "FAILURE_FLOAT")}
"""The functions that take a number out of a port, and what is wrong when they return NULL."""

OF_VALUE = {PortKind.WIRE: "{}", PortKind.INT: "(inpla_int){}", PortKind.FLOAT: "inpla_float_of({})"}
"""A value that is known to be of a kind, as a C variable of that kind."""


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


class Case:
    """A rule of an agent function.

    Args:
        number: of the rule, in messages.
        own: the agent's head.
        partner: the other one.
    """

    def __init__(self, context: Context, function: AgentFunction, number: int, rule: Rule, sides: tuple[Head, Head]):
        self.context = context
        self.function = function
        self.number = number
        self.rule = rule
        self.own, self.partner = sides
        self.results = tuple(self.own.ports[port] for port in function.results)
        self.scope = untyped_scope(*sides)
        ports = frozenset(self.own.ports + self.partner.ports)
        self._planner = Planner(function, context.callable, ports, self.results)
        self._names = Names("v_", self._parameters())
        self.plans = [self._plan(branch) for branch in rule.branches]

    def _parameters(self) -> dict[str, str]:
        """The head's ports that are C parameters as they are."""
        own = self.own
        return {own.ports[i]: f"p{i}" for i, kind in self.function.parameters() if own.kinds[i] is kind}

    def _plan(self, branch: Branch) -> tuple[Body, CallPlan]:
        body = with_distinct_terms(branch.body)
        scope = self.context.natives.scope_of(branch, self.scope)
        natives = self.context.natives
        return body, self._planner.plan(body.connections, lambda expression: natives.kind_of(expression, scope))

    # --- guards ----------------------------------------------------------------------------------------------------

    def lines(self, shape: Shape) -> Iterator[str]:
        """The statements of the case; each branch leaves the function or jumps to `again`."""
        branches = [
            list(BranchWriter(self, shape, branch, *plan).lines())
            for branch, plan in zip(self.rule.branches, self.plans, strict=True)
        ]
        conditions = self.expressions(self.scope)
        guards = [conditions.condition(branch.guard) for branch in self.rule.branches if branch.guard is not None]
        text = "\n".join([*guards, *(line for branch in branches for line in branch)])
        yield from self._ports(set(re.findall(r"\w+", text)), shape)
        if "&failed" in text:
            yield "int failed = 0;"
        for index, (guard, branch) in enumerate(zip(guards, branches, strict=False)):
            condition = guard
            if "&failed" in guard:
                condition = f"is_true_{index}"
                yield f"const int {condition} = {guard};"
                yield from self.check(shape)
            yield f"if ({condition}) {{"
            yield from (f"    {line}" for line in branch)
            yield "}"
        yield from branches[-1]

    def expressions(self, scope: Scope) -> ExpressionWriter:
        return ExpressionWriter(Values(), self.context.natives, {name: self._names[name] for name in scope}, scope)

    def name(self, name: str) -> str:
        """The C name of a name of the rule."""
        return self._names[name]

    def check(self, shape: Shape) -> Iterator[str]:
        yield "if (failed)"
        yield from self._stop("FAILURE_DIVISION", 0, shape)

    def _stop(self, failure: str, what: int, shape: Shape) -> Iterator[str]:
        yield f"    return compiled_stop(worker, {failure}, {self.number}, {what}), {shape.failure};"

    # --- ports -----------------------------------------------------------------------------------------------------

    def _ports(self, used: set[str], shape: Shape) -> Iterator[str]:
        """Locals for what the case uses and is no parameter as it is."""
        own_first = self.own is self.rule.left or self.partner.agent in NO_CELL
        before = 0 if own_first else len(self.partner.ports)
        known = {*self._parameters(), *self.results}
        for index, name in enumerate(self.own.ports):
            if name not in known and self.name(name) in used:
                yield from self._read(name, f"p{index}", before + index, shape)
        before = len(self.own.ports) if own_first else 0
        for index, name in enumerate(self.partner.ports):
            if self.name(name) in used:
                content = "right" if self.partner.agent in NO_CELL else f"inpla_ports(right)[{index}].cell"
                yield from self._read(name, content, before + index, shape)

    def _read(self, name: str, content: str, place: int, shape: Shape) -> Iterator[str]:
        variable, kind = self.name(name), self.scope.get(name, PortKind.WIRE)
        if kind is PortKind.WIRE:
            yield f"inpla_cell *const {variable} = {content};"
            return
        if self.partner.agent != INT_NUMBER or content != "right":
            function, failure = CHECKED[kind]
            yield f"inpla_cell *const {variable}_value = {function}(worker, {content});"
            yield f"if ({variable}_value == NULL)"
            yield from self._stop(failure, place, shape)
            content = f"{variable}_value"
        yield f"{constant(kind)} {variable} = {OF_VALUE[kind].format(content)};"


class BranchWriter:
    """Writes one branch of a case, following its plan."""

    def __init__(self, case: Case, shape: Shape, branch: Branch, body: Body, plan: CallPlan) -> None:
        self.case = case
        self.shape = shape
        self.body = body
        self.plan = plan
        self.values = case.expressions(case.context.natives.scope_of(branch, case.scope))
        self.cells = CellWriter(case.context.agents, self.values, None, self._spares(), plan.routes.far_end, shape.fail)
        self._named: set[str] = set()  # wires that have got their values
        self._erased = dict(self._erasures())

    def _spares(self) -> list[Spare]:
        head = self.case.partner
        if head.agent in NO_CELL:
            return []
        return [Spare("right", head.agent, len(head.ports), head.ports, "L" if head is self.case.rule.left else "R")]

    def _erasures(self) -> Iterator[tuple[int, Argument]]:
        """The Eraser agents that need no cell, with what they erase."""
        if not self.case.context.erases:
            return
        for a, b in self.plan.connections:
            if a == ERASER:
                yield id(a), b
            elif b == ERASER:
                yield id(b), a

    def lines(self) -> Iterator[str]:
        plan = self.plan
        steps = [self.cells.add(*call.inputs()) for call in plan.calls]
        final = self.cells.add(*self._final_terms())
        free = list(self.cells.give_back())
        calls = [
            line
            for step, call in zip(steps, plan.calls, strict=True)
            for line in (*self.cells.take(step), *self.cells.fill(step, self.end), *self._call(call))
        ]
        fill = list(self.cells.fill(final, self.end))
        end = [*self._connections(), *self._end()]
        yield from self._bindings()
        if self.cells.hoisted:
            yield from self.cells.hoisted
            yield from self.case.check(self.shape)
        yield from free
        yield from self._wires()
        yield from calls
        yield from self.cells.take(final)
        yield from fill
        yield from end

    def _final_terms(self) -> list[Argument]:
        """What is built behind the calls: all that no call needs."""
        plan = self.plan
        terms = [side for sides in plan.connections for side in sides]
        terms += [] if plan.last is None else plan.last.inputs()
        terms += plan.fills.values()
        return [term for term in (*terms, *plan.routes.terms()) if id(term) not in self._erased]

    def end(self, argument: Argument) -> str:
        """What an argument leads to, as a value; empty for a hole."""
        reached = self.plan.routes.far_end(argument)
        if not isinstance(reached, Wire):
            return self.cells.value(reached)
        return "" if reached.name in self.plan.holes else self.case.name(reached.name)

    def _destination(self, result: str) -> str:
        """The end that a result of the function goes to."""
        return f"d{self.case.results.index(result)}"

    # --- numbers, wires --------------------------------------------------------------------------------------------

    def _bindings(self) -> Iterator[str]:
        used = set(used_variables(Branch(None, self.body)))
        for name, value in self.body.bindings:
            kind = self.values.scope[name]
            text = self.values.value(value, kind)
            yield f"{constant(kind)} {self.case.name(name)} = {text};"
            if name not in used:
                yield f"(void){self.case.name(name)};"
            if "&failed" in text:
                yield from self.case.check(self.shape)

    def _wires(self) -> Iterator[str]:
        names = [self.case.name(name) for name in self.plan.routes.inner_wires()]
        for name in names:
            yield f"inpla_cell *const {name} = inpla_wire(worker);"
        for result in self.plan.opens:
            names.append(self.case.name(result))
            opened = f"compiled_open_result(worker, {self._destination(result)})"
            made = opened if self.shape.has_ends else "into != NULL ? into : inpla_wire(worker)"
            yield f"inpla_cell *const {names[-1]} = {made};"
        if names:
            yield f"if ({' || '.join(f'{name} == NULL' for name in names)})"
            yield f"    {self.shape.fail}"

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call_text(self, call: Call, ends: Sequence[str]) -> str:
        arguments = ["worker", "floor", *ends, *self._arguments(call), self.end(call.partner)]
        return f"{function_name(call.function)}({', '.join(arguments)})"

    def _arguments(self, call: Call) -> list[str]:
        texts = []
        for (_, kind), argument in zip(call.function.parameters(), call.arguments(), strict=True):
            if kind is PortKind.WIRE:
                texts.append(self.end(argument))
            else:
                assert not isinstance(argument, (Wire, AgentTerm))
                texts.append(self.cells.number(argument, kind))
        return texts

    def _call(self, call: Call) -> Iterator[str]:
        if not returns_value(call.function):
            yield from self._call_with_ends(call)
            return
        (result,) = call.results
        if self._is_new_value(result):
            yield f"inpla_cell *const {self.case.name(result)} = {self._call_text(call, ['NULL'])};"
            yield f"if ({self.case.name(result)} == NULL)"
        else:
            into = self.case.name(result)
            yield f"if (compiled_give(worker, {into}, {self._call_text(call, [into])}) != INPLA_OK)"
        yield f"    {self.shape.fail}"

    def _is_new_value(self, wire: str) -> bool:
        """Whether a call's result is the first to give the wire a value; otherwise it is connected to it."""
        is_new = wire in self.plan.values - self._named
        self._named.add(wire)
        return is_new

    def _call_with_ends(self, call: Call) -> Iterator[str]:
        names = [self.case.name(result) for result in call.results]
        is_new = [self._is_new_value(result) for result in call.results]
        ends = []
        for name, new in zip(names, is_new, strict=True):
            ends.append(f"{name}_end" if new else f"{name}_other_end")
            yield f"COMPILED_RESULT({ends[-1]}, {'NULL' if new else name});"
        yield f"if (!{self._call_text(call, [f'&{end}' for end in ends])})"
        yield f"    {self.shape.fail}"
        for name, end, new in zip(names, ends, is_new, strict=True):
            if new:
                yield f"inpla_cell *const {name} = {end}.first;"
            else:
                yield f"if (compiled_give_result(worker, &{end}) != INPLA_OK)"
                yield f"    {self.shape.fail}"

    def _connections(self) -> Iterator[str]:
        for a, b in self.plan.connections:
            if id(a) in self._erased or id(b) in self._erased:
                status = f"compiled_erase(worker, {self.end(b if id(a) in self._erased else a)})"
            else:
                status = f"inpla_connect(worker, {self.end(a)}, {self.end(b)})"
            yield f"if ({status} != INPLA_OK)"
            yield f"    {self.shape.fail}"

    # --- what ends the branch --------------------------------------------------------------------------------------

    def _end(self) -> Iterator[str]:
        last = self.plan.last
        count = "worker->interactions += rounds;" if self.shape.loops else "worker->interactions++;"
        if last is not None and last.function is self.case.function:
            yield from self._fills()
            yield from self._loop(last)
        elif last is not None:
            yield count
            yield from self._tail_call(last)
        elif self.shape.has_ends:
            yield from self._fills()
            yield count
            yield "return compiled_value(d0);" if returns_value(self.case.function) else "return 1;"
        else:
            yield count
            yield from self._return()

    def _fills(self) -> Iterator[str]:
        for result, term in self.plan.fills.items():
            end = self._destination(result)
            yield f"*{end}->hole = {self.end(term)};"
            for wire, place in self.plan.holes.items():
                if place == result:
                    yield f"{end}->hole = &{self._port_of(wire, term)}.cell;"

    def _return(self) -> Iterator[str]:
        for result in self.plan.opens:
            name = self.case.name(result)
            yield f"return {name} == into ? COMPILED_DONE : {name};"
        for term in self.plan.fills.values():
            yield f"return {self.end(term)};"

    def _tail_call(self, call: Call) -> Iterator[str]:
        ends = [self._destination(result) for result in call.results]
        if not self.shape.has_ends:
            yield f"return {self._call_text(call, ['into'])};"
        elif not returns_value(call.function):
            yield f"return {self._call_text(call, ends)};"
        else:
            yield f"return compiled_pass_on(d0, {self._call_text(call, ['compiled_into(d0)'])});"

    def _loop(self, call: Call) -> Iterator[str]:
        changes = [
            (f"p{i}", kind, text)
            for (i, kind), text in zip(call.function.parameters(), self._arguments(call), strict=True)
        ]
        changes.append(("right", PortKind.WIRE, self.end(call.partner)))
        changes = [change for change in changes if change[0] != change[2]]
        for target, kind, text in changes:
            yield f"{constant(kind)} next_{target} = {text};"
        ends = [self._destination(self.plan.holes.get(result, result)) for result in call.results]
        moved = [(f"d{index}", end) for index, end in enumerate(ends) if end != f"d{index}"]
        for target, end in moved:
            yield f"compiled_result *const next_{target} = {end};"
        for target in [*(target for target, _, _ in changes), *(target for target, _ in moved)]:
            yield f"{target} = next_{target};"
        leaf_stop = "inpla_unlikely(rounds % COMPILED_PATIENCE == 0 && inpla_is_wanted(worker))"
        yield f"if ({leaf_stop if self.shape.is_leaf else 'COMPILED_MUST_STOP(worker, floor)'})"
        yield "    goto suspended;"
        yield "goto again;"

    def _port_of(self, wire: str, term: Argument) -> str:
        """The port in a term where a wire ends."""
        far_end = self.plan.routes.far_end
        waiting = [far_end(term)]
        while waiting:
            reached = waiting.pop()
            ends = list(map(far_end, reached.arguments)) if isinstance(reached, AgentTerm) else []
            if isinstance(reached, AgentTerm) and Wire(wire) in ends:
                return f"inpla_ports({self.cells.variable(reached)})[{ends.index(Wire(wire))}]"
            waiting += ends
        raise AssertionError(f"{wire} is not in {term}")


ERASER = AgentTerm("Eraser")
