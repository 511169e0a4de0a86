"""One rule as a case of an agent function (c_agent.py): its guards, and what each branch computes, builds and calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inbundle.nets.agent_functions import AgentFunction, Key
from inbundle.nets.c_cells import CellWriter, Spare
from inbundle.nets.c_expression import ExpressionWriter
from inbundle.nets.c_names import Names, ScriptAgentNames, plain_name
from inbundle.nets.c_rule import NO_CELL, used_variables, with_distinct_terms
from inbundle.nets.c_words import C_TYPE, Values, constant
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


@dataclass
class Shape:
    """How the function around a case is made.

    Attributes:
        loops: it goes on by itself; `rounds` counts its interactions.
        has_holes: `hole` is where the result goes, `result` if the hole is all of it.
    """

    loops: bool = False
    has_holes: bool = False


def function_name(function: AgentFunction) -> str:
    """The C name of an agent function; those of built-in agents are in compiled_rule.h."""
    return f"{'reduce' if function.rules else 'compiled'}_{plain_name(function.agent)}_{function.ports}"


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
        self.result = self.own.ports[0] if function.has_result else ""
        self.scope = untyped_scope(*sides)
        ports = frozenset(self.own.ports + self.partner.ports)
        self._planner = Planner(function, context.callable, ports, self.result)
        self._names = Names("v_", self._parameters())
        self.plans = [self._plan(branch) for branch in rule.branches]

    def _parameters(self) -> dict[str, str]:
        """The head's ports that are C parameters as they are."""
        ports = zip(self.own.ports, self.own.kinds, self.function.kinds, strict=True)
        return {name: f"p{index}" for index, (name, kind, joint) in enumerate(ports) if kind is joint}

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
        yield from self._ports(set(re.findall(r"\w+", text)))
        if "&failed" in text:
            yield "int failed = 0;"
        for index, (guard, branch) in enumerate(zip(guards, branches, strict=False)):
            condition = guard
            if "&failed" in guard:
                condition = f"is_true_{index}"
                yield f"const int {condition} = {guard};"
                yield from self.check()
            yield f"if ({condition}) {{"
            yield from (f"    {line}" for line in branch)
            yield "}"
        yield from branches[-1]

    def expressions(self, scope: Scope) -> ExpressionWriter:
        return ExpressionWriter(Values(), self.context.natives, {name: self._names[name] for name in scope}, scope)

    def name(self, name: str) -> str:
        """The C name of a name of the rule."""
        return self._names[name]

    def check(self) -> Iterator[str]:
        yield "if (failed)"
        yield f"    return compiled_stop(worker, FAILURE_DIVISION, {self.number}, 0);"

    # --- ports -----------------------------------------------------------------------------------------------------

    def _ports(self, used: set[str]) -> Iterator[str]:
        """Locals for what the case uses and is no parameter as it is."""
        own_first = self.own is self.rule.left or self.partner.agent in NO_CELL
        before = 0 if own_first else len(self.partner.ports)
        parameters = self._parameters()
        for index, name in enumerate(self.own.ports):
            if name not in parameters and self.name(name) in used:
                yield from self._read(name, f"p{index}", before + index)
        before = len(self.own.ports) if own_first else 0
        for index, name in enumerate(self.partner.ports):
            if self.name(name) in used:
                content = "right" if self.partner.agent in NO_CELL else f"inpla_ports(right)[{index}].cell"
                yield from self._read(name, content, before + index)

    def _read(self, name: str, content: str, place: int) -> Iterator[str]:
        variable, kind = self.name(name), self.scope.get(name, PortKind.WIRE)
        if kind is PortKind.WIRE:
            yield f"inpla_cell *const {variable} = {content};"
            return
        if self.partner.agent != INT_NUMBER or content != "right":
            function, failure = CHECKED[kind]
            yield f"inpla_cell *const {variable}_value = {function}(worker, {content});"
            yield f"if ({variable}_value == NULL)"
            yield f"    return compiled_stop(worker, {failure}, {self.number}, {place});"
            content = f"{variable}_value"
        yield f"const {C_TYPE[kind]} {variable} = {OF_VALUE[kind].format(content)};"


class BranchWriter:
    """Writes one branch of a case, following its plan."""

    def __init__(self, case: Case, shape: Shape, branch: Branch, body: Body, plan: CallPlan) -> None:
        self.case = case
        self.shape = shape
        self.body = body
        self.plan = plan
        self.values = case.expressions(case.context.natives.scope_of(branch, case.scope))
        self.cells = CellWriter(
            case.context.agents, self.values, None, self._spares(), plan.routes.far_end, "return NULL;"
        )
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
        steps = [self.cells.add(*call.arguments(), call.partner) for call in plan.calls]
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
            yield from self.case.check()
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
        terms += [] if plan.last is None else [*plan.last.arguments(), plan.last.partner]
        terms += [] if plan.result is None else [plan.result]
        called = [call.term for call in (*plan.calls, plan.last) if call]
        return [term for term in (*terms, *plan.routes.terms()) if id(term) not in {*self._erased, *map(id, called)}]

    def end(self, argument: Argument) -> str:
        """What an argument leads to, as a value; empty for the hole."""
        reached = self.plan.routes.far_end(argument)
        if not isinstance(reached, Wire):
            return self.cells.value(reached)
        return "" if reached.name == self.plan.hole else self.case.name(reached.name)

    # --- numbers, wires --------------------------------------------------------------------------------------------

    def _bindings(self) -> Iterator[str]:
        used = set(used_variables(Branch(None, self.body)))
        for name, value in self.body.bindings:
            kind = self.values.scope[name]
            text = self.values.value(value, kind)
            yield f"const {C_TYPE[kind]} {self.case.name(name)} = {text};"
            if name not in used:
                yield f"(void){self.case.name(name)};"
            if "&failed" in text:
                yield from self.case.check()

    def _wires(self) -> Iterator[str]:
        names = [self.case.name(name) for name in self.plan.routes.inner_wires()]
        for name in names:
            yield f"inpla_cell *const {name} = inpla_wire(worker);"
        if self.plan.is_open:
            names.append(self.case.name(self.case.result))
            yield f"inpla_cell *const {names[-1]} = {self._into()} != NULL ? into : inpla_wire(worker);"
        if names:
            yield f"if ({' || '.join(f'{name} == NULL' for name in names)})"
            yield "    return NULL;"

    def _into(self) -> str:
        """What the result leads to, NULL if nothing does yet."""
        return "(hole == &result ? into : NULL)" if self.shape.has_holes else "into"

    # --- calls -----------------------------------------------------------------------------------------------------

    def _call_text(self, call: Call, into: str) -> str:
        function = call.function
        arguments = ["worker", *(["depth - 1"] if function.rules else []), *([into] if function.has_result else [])]
        return f"{function_name(function)}({', '.join([*arguments, *self._arguments(call), self.end(call.partner)])})"

    def _arguments(self, call: Call) -> list[str]:
        texts = []
        for kind, argument in zip(call.function.parameters(), call.arguments(), strict=True):
            if kind is PortKind.WIRE:
                texts.append(self.end(argument))
            else:
                assert not isinstance(argument, (Wire, AgentTerm))
                texts.append(self.cells.number(argument, kind))
        return texts

    def _call(self, call: Call) -> Iterator[str]:
        result = call.result
        if not result:
            yield f"if ({self._call_text(call, 'NULL')} == NULL)"
        elif result in self.plan.values - self._named:
            self._named.add(result)
            yield f"inpla_cell *const {self.case.name(result)} = {self._call_text(call, 'NULL')};"
            yield f"if ({self.case.name(result)} == NULL)"
        else:
            into = self.case.name(result)
            yield f"if (compiled_give(worker, {into}, {self._call_text(call, into)}) != INPLA_OK)"
        yield "    return NULL;"

    def _connections(self) -> Iterator[str]:
        for a, b in self.plan.connections:
            if id(a) in self._erased or id(b) in self._erased:
                status = f"compiled_erase(worker, {self.end(b if id(a) in self._erased else a)})"
            else:
                status = f"inpla_connect(worker, {self.end(a)}, {self.end(b)})"
            yield f"if ({status} != INPLA_OK)"
            yield "    return NULL;"

    # --- what ends the branch --------------------------------------------------------------------------------------

    def _end(self) -> Iterator[str]:
        plan = self.plan
        if plan.last is not None and plan.last.function is self.case.function:
            yield from self._loop(plan.last)
        elif plan.last is not None:
            yield from self._tail_call(plan.last)
        elif not self.case.function.has_result:
            yield from (self._count(), "return COMPILED_DONE;")
        elif plan.is_open:
            yield from self._return(self.case.name(self.case.result), is_into_possible=True)
        else:
            assert plan.result is not None
            yield from self._return(self.end(plan.result))

    def _count(self) -> str:
        return "worker->interactions += rounds;" if self.shape.loops else "worker->interactions++;"

    def _return(self, value: str, *, is_into_possible: bool = False) -> Iterator[str]:
        yield self._count()
        if is_into_possible:
            yield f"if ({value} == into)"
            yield "    return COMPILED_DONE;"
        yield from ((f"*hole = {value};", "return result;") if self.shape.has_holes else (f"return {value};",))

    def _tail_call(self, call: Call) -> Iterator[str]:
        if not self.shape.has_holes:
            yield self._count()
            yield f"return {self._call_text(call, 'into')};"
            return
        yield f"inpla_cell *const last = {self._call_text(call, self._into())};"
        yield "if (last == NULL || last == COMPILED_DONE) {"
        yield f"    {self._count()}"
        yield "    return last;"
        yield "}"
        yield from self._return("last")

    def _loop(self, call: Call) -> Iterator[str]:
        if self.plan.hole:
            assert self.plan.result is not None
            yield f"*hole = {self.end(self.plan.result)};"
            yield f"hole = &{self._hole()}.cell;"
        first = 1 if call.function.has_result else 0
        targets = [f"p{index + first}" for index in range(len(call.arguments()))]
        changes = [(t, text) for t, text in zip(targets, self._arguments(call), strict=True) if t != text]
        changes.append(("right", self.end(call.partner)))
        types = dict(zip(targets, call.function.parameters(), strict=True))
        for target, text in changes:
            yield f"{constant(types.get(target, PortKind.WIRE))} next_{target} = {text};"
        yield from (f"{target} = next_{target};" for target, _ in changes)
        yield "if (inpla_unlikely(rounds % COMPILED_PATIENCE == 0 && inpla_is_wanted(worker)))"
        yield "    goto suspended;"
        yield "goto again;"

    def _hole(self) -> str:
        """The port where the hole is."""
        assert self.plan.result is not None
        far_end = self.plan.routes.far_end
        waiting = [far_end(self.plan.result)]
        while waiting:
            term = waiting.pop()
            ends = list(map(far_end, term.arguments)) if isinstance(term, AgentTerm) else []
            if isinstance(term, AgentTerm) and Wire(self.plan.hole) in ends:
                return f"inpla_ports({self.cells.variable(term)})[{ends.index(Wire(self.plan.hole))}]"
            waiting += ends
        raise AssertionError(f"no hole {self.plan.hole}")


ERASER = AgentTerm("Eraser")
