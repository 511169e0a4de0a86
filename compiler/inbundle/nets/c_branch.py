"""One branch of a case in C: what it computes, builds and calls, and how it ends, following its plan (call_plan.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inbundle.nets.c_cells import CellWriter, Spare
from inbundle.nets.c_function import CaseFacts, Shape, function_name, returns_value
from inbundle.nets.c_rule import NO_CELL, used_variables
from inbundle.nets.c_words import constant
from inbundle.nets.call_plan import Call, CallPlan
from inbundle.nets.program import AgentTerm, Argument, Body, Branch, PortKind, Wire
from inbundle.nets.types import Scope

ERASER = AgentTerm("Eraser")


class BranchWriter:
    """Writes one branch of a case.

    Args:
        scope: the attribute variables of the rule's heads.
    """

    def __init__(self, case: CaseFacts, scope: Scope, shape: Shape, branch: Branch, body: Body, plan: CallPlan) -> None:
        self.case = case
        self.shape = shape
        self.body = body
        self.plan = plan
        self.values = case.expressions(case.context.natives.scope_of(branch, scope))
        agents, far_end = case.context.agents, plan.routes.far_end
        self.cells = CellWriter(agents, self.values, None, self._spares(), far_end, shape.fail, plan.values)
        self._named: set[str] = set()  # wires that have got their values
        self._kept: dict[int, str] = {}  # id of an argument of a call -> C name of the wire that is given for it
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
        return "" if reached.name in self.plan.holes else self.case.names[reached.name]

    def _destination(self, result: str) -> str:
        """The end that a result of the function goes to."""
        return f"d{self.case.results.index(result)}"

    # --- numbers, wires --------------------------------------------------------------------------------------------

    def _bindings(self) -> Iterator[str]:
        used = set(used_variables(Branch(None, self.body)))
        for name, value in self.body.bindings:
            kind = self.values.scope[name]
            text = self.values.value(value, kind)
            yield f"{constant(kind)} {self.case.names[name]} = {text};"
            if name not in used:
                yield f"(void){self.case.names[name]};"
            if "&failed" in text:
                yield from self.case.check(self.shape)

    def _wires(self) -> Iterator[str]:
        names = [self.case.names[name] for name in self.plan.routes.inner_wires()]
        for name in names:
            yield f"inpla_cell *const {name} = inpla_wire(worker);"
        for result in self.plan.opens:
            names.append(self.case.names[result])
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
                texts.append(self._kept.get(id(argument)) or self.end(argument))
            else:
                assert not isinstance(argument, (Wire, AgentTerm))
                texts.append(self.cells.number(argument, kind))
        return texts

    def _keep(self, call: Call) -> Iterator[str]:
        """Numbers that names lead to go behind wires where the function puts them into ports."""
        for (port, kind), argument in zip(call.function.parameters(), call.arguments(), strict=True):
            if kind is PortKind.WIRE and port in call.function.keeps and self.cells.may_be_number(argument):
                name = f"kept_{len(self._kept)}"
                yield f"inpla_cell *const {name} = compiled_behind_wire(worker, {self.end(argument)});"
                yield f"if ({name} == NULL)"
                yield f"    {self.shape.fail}"
                self._kept[id(argument)] = name

    def _call(self, call: Call) -> Iterator[str]:
        yield from self._keep(call)
        if not returns_value(call.function):
            yield from self._call_with_ends(call)
            return
        (result,) = call.results
        if self._is_new_value(result):
            yield f"inpla_cell *const {self.case.names[result]} = {self._call_text(call, ['NULL'])};"
            yield f"if ({self.case.names[result]} == NULL)"
        else:
            into = self.case.names[result]
            yield f"if (compiled_give(worker, {into}, {self._call_text(call, [into])}) != INPLA_OK)"
        yield f"    {self.shape.fail}"

    def _is_new_value(self, wire: str) -> bool:
        """Whether a call's result is the first to give the wire a value; otherwise it is connected to it."""
        is_new = wire in self.plan.values - self._named
        self._named.add(wire)
        return is_new

    def _call_with_ends(self, call: Call) -> Iterator[str]:
        names = [self.case.names[result] for result in call.results]
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
            yield from self._fill(end, term)
            for wire, place in self.plan.holes.items():
                if place == result:
                    yield f"{end}->hole = &{self._port_of(wire, term)}.cell;"

    def _fill(self, end: str, term: Argument) -> Iterator[str]:
        """Where a list goes on in its own cells, the hole has what belongs there already."""
        if isinstance(term, AgentTerm) and self.cells.is_built_in(term, "right"):
            yield f"if (*{end}->hole != {self.end(term)})"
            yield f"    *{end}->hole = {self.end(term)};"
        elif isinstance(term, AgentTerm):
            yield f"*{end}->hole = {self.end(term)};"
        else:
            yield f"if (!compiled_fill(worker, {end}, {self.end(term)}))"
            yield f"    {self.shape.fail}"

    def _return(self) -> Iterator[str]:
        for result in self.plan.opens:
            name = self.case.names[result]
            yield f"return {name} == into ? COMPILED_DONE : {name};"
        for term in self.plan.fills.values():
            yield f"return {self.end(term)};"

    def _tail_call(self, call: Call) -> Iterator[str]:
        yield from self._keep(call)
        ends = [self._destination(result) for result in call.results]
        if not self.shape.has_ends:
            yield f"return {self._call_text(call, ['into'])};"
        elif not returns_value(call.function):
            yield f"return {self._call_text(call, ends)};"
        else:
            yield f"return compiled_pass_on(worker, d0, {self._call_text(call, ['compiled_into(d0)'])});"

    def _loop(self, call: Call) -> Iterator[str]:
        yield from self._keep(call)
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
        leaf_stop, stop = "COMPILED_LEAF_MUST_STOP(worker, rounds)", "COMPILED_MUST_STOP(worker, floor, rounds)"
        yield f"if ({leaf_stop if self.shape.is_leaf else stop})"
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
