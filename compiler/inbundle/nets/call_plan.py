"""What a branch of an agent function does, and in which order: calls, connections, the result.

    fib(r) >< (int n) | ... | _ => Add(r, b) ~ a, fib(a) ~ n - 1, fib(b) ~ n - 2;

Here `fib(a) ~ n - 1` is a call whose value is the wire a, so is `fib(b) ~ n - 2`, and `Add(r, b) ~ a` is the call that
gives the result. A wire that has a value needs no cell. In

    insert(r, x) >< y : ys => r ~ y : w, insert(w, x) ~ ys;

the result is known but for the wire w, which the function itself will give a value: it goes on as a loop, and the place
of w in the result stays open meanwhile, as a *hole*.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inbundle.nets.agent_functions import AgentFunction, Key
from inbundle.nets.program import AgentTerm, Argument, Expr, PortKind, Wire
from inbundle.nets.routes import Routes

KindOf = Callable[[Expr], PortKind]
Connection = tuple[Argument, Argument]


@dataclass(frozen=True)
class Call:
    """An agent function called for `term ~ partner`.

    Attributes:
        result: the wire in the agent's first port; empty if the function has no result.
    """

    function: AgentFunction
    term: AgentTerm
    partner: Argument
    result: str

    def arguments(self) -> tuple[Argument, ...]:
        """What the C function is given, but for the partner."""
        return self.term.arguments[1:] if self.function.has_result else self.term.arguments


@dataclass
class CallPlan:
    """A branch in order: `calls`, then `connections`, then what ends it.

    Attributes:
        values: the wires that calls give values to.
        last: the call that ends the branch: its value is that of the function.
        hole: the wire in `result` that `last` gives its value to; empty if there is none.
        result: what the function returns, where no call does.
        is_open: the function's result is in a port of something, so that a wire has to be returned.
    """

    routes: Routes
    calls: list[Call]
    connections: list[Connection]
    values: set[str]
    last: Call | None = None
    hole: str = ""
    result: Argument | None = None
    is_open: bool = False

    def reached_wires(self, term: Argument) -> set[str]:
        """The wires in a term and in what they are connected to."""
        reached: set[str] = set()
        waiting = [term]
        while waiting:
            end = self.routes.far_end(waiting.pop())
            if isinstance(end, AgentTerm):
                waiting += end.arguments
            elif isinstance(end, Wire):
                reached.add(end.name)
        return reached


@dataclass(frozen=True)
class Planner:
    """Plans the branches of one rule.

    Attributes:
        own: the function that the rule is a case of.
        callable: the agent functions that the rule may call.
        ports: names in the rule's heads.
        result: the one of them that is the function's result; empty if there is none.
    """

    own: AgentFunction
    callable: Mapping[Key, AgentFunction]
    ports: frozenset[str]
    result: str

    def plan(self, connections: Sequence[Connection], kind_of: KindOf) -> CallPlan:
        """Args: connections: of the branch, with an object of its own for every agent."""
        connections = self._without_aliases(self._lifted(connections, itertools.count()))
        calls = [self._call(connection, kind_of) for connection in connections]
        while True:
            plan = self._with_calls(connections, calls)
            ordered = _in_order(plan)
            if ordered is not None:
                plan.calls = ordered
                self._end(plan)
                return plan
            calls[calls.index(plan.calls[0])] = None

    # --- which connections are calls -------------------------------------------------------------------------------

    def _function(self, term: Argument) -> AgentFunction | None:
        if not isinstance(term, AgentTerm):
            return None
        return self.callable.get((term.agent, len(term.arguments)))

    def _result_of(self, term: Argument) -> Argument | None:
        """What stands in the result port of a term that could be called."""
        function = self._function(term)
        assert function is None or isinstance(term, AgentTerm)
        return term.arguments[0] if isinstance(term, AgentTerm) and function and function.has_result else None

    def _lifted(self, connections: Sequence[Connection], numbers: Iterator[int]) -> list[Connection]:
        """`f(A(x)) ~ y` is `f(w) ~ y, A(x) ~ w`."""
        lifted: list[Connection] = []
        for sides in connections:
            new = list(sides)
            for index, side in enumerate(sides):
                result = self._result_of(side)
                if isinstance(side, AgentTerm) and isinstance(result, AgentTerm):
                    wire = Wire(f"result {next(numbers)}")
                    new[index] = replace(side, arguments=(wire, *side.arguments[1:]))
                    lifted += self._lifted([(result, wire)], numbers)
            lifted.append((new[0], new[1]))
        return lifted

    def _without_aliases(self, connections: list[Connection]) -> list[Connection]:
        """`f(w) ~ x, w ~ y` is `f(y) ~ x`."""
        results = {end.name for sides in connections for s in sides if isinstance(end := self._result_of(s), Wire)}
        for sides in connections:
            for one, other in (sides, sides[::-1]):
                is_alias = isinstance(one, Wire) and one.name in results - self.ports and one != other
                if is_alias and isinstance(other, Wire) and isinstance(one, Wire):
                    rest = [connection for connection in connections if connection is not sides]
                    return self._without_aliases([(_put(a, one, other), _put(b, one, other)) for a, b in rest])
        return connections

    def _call(self, sides: Connection, kind_of: KindOf) -> Call | None:
        """The call that a connection may be."""
        for term, partner in (sides, sides[::-1]):
            function = self._function(term)
            if function is None or not isinstance(term, AgentTerm):
                continue
            result = self._result_of(term)
            if function.has_result and not isinstance(result, Wire):
                continue
            call = Call(function, term, partner, result.name if isinstance(result, Wire) else "")
            if self._takes(function, partner, kind_of) and _fit(call, kind_of):
                return call
        return None

    def _takes(self, function: AgentFunction, partner: Argument, kind_of: KindOf) -> bool:
        if isinstance(partner, Wire):
            return partner.name != self.result
        if isinstance(partner, AgentTerm):
            return (partner.agent, len(partner.arguments)) in function.partners
        return function.takes_number(kind_of(partner))

    def _with_calls(self, connections: Sequence[Connection], calls: list[Call | None]) -> CallPlan:
        """The plan with those of `calls` whose partners are there; the others become None."""
        while True:
            values = {call.result for call in calls if call is not None} - self.ports
            lacking = [
                index
                for index, call in enumerate(calls)
                if call and isinstance(call.partner, Wire) and call.partner.name not in self.ports | values
            ]
            if not lacking:
                break
            for index in lacking:
                calls[index] = None
        made = [call for call in calls if call is not None]
        rest = [sides for sides, call in zip(connections, calls, strict=True) if call is None]
        inputs = [argument for call in made for argument in (*call.arguments(), call.partner)]
        routes = Routes(self.ports | values, rest, inputs)
        return CallPlan(routes, made, list(routes.connections), values)

    # --- what ends the branch --------------------------------------------------------------------------------------

    def _end(self, plan: CallPlan) -> None:
        if not self.own.has_result:
            own = [call for call in plan.calls if call.function is self.own]
            self._make_last(plan, own)
            return
        self._make_last(plan, [call for call in plan.calls if call.result == self.result])
        for sides in plan.connections:
            if plan.last is None and Wire(self.result) in sides:
                plan.result = sides[1] if sides[0] == Wire(self.result) else sides[0]
                plan.connections.remove(sides)
                self._find_hole(plan, plan.result)
                return
        plan.is_open = plan.last is None

    def _make_last(self, plan: CallPlan, calls: Sequence[Call]) -> None:
        for call in calls[-1:]:
            plan.calls = [other for other in plan.calls if other is not call]
            plan.last = call

    def _find_hole(self, plan: CallPlan, result: Argument) -> None:
        if not isinstance(result, AgentTerm):
            return
        reached = plan.reached_wires(result)
        own = [call for call in plan.calls if call.function is self.own and call.result in reached & plan.values]
        self._make_last(plan, own)
        if plan.last is not None:
            plan.hole = plan.last.result
            plan.values.discard(plan.hole)


def _put(term: Argument, wire: Wire, other: Wire) -> Argument:
    """The term with another wire in place of `wire`."""
    if isinstance(term, AgentTerm):
        return replace(term, arguments=tuple(_put(argument, wire, other) for argument in term.arguments))
    return other if term == wire else term


def _fit(call: Call, kind_of: KindOf) -> bool:
    """Whether ports that are declared as numbers in every rule get such numbers."""
    return all(
        kind is PortKind.WIRE or (not isinstance(argument, (Wire, AgentTerm)) and kind_of(argument) is kind)
        for kind, argument in zip(call.function.parameters(), call.arguments(), strict=True)
    )


def _in_order(plan: CallPlan) -> list[Call] | None:
    """The calls, each behind those whose values it needs. None: some wait for each other."""
    needs = {
        id(call): set().union(*(plan.reached_wires(a) for a in (*call.arguments(), call.partner))) & plan.values
        for call in plan.calls
    }
    ordered: list[Call] = []
    waiting = list(plan.calls)
    known: set[str] = set()
    while waiting:
        ready = [call for call in waiting if needs[id(call)] <= known]
        if not ready:
            plan.calls = waiting
            return None
        ordered += ready
        waiting = [call for call in waiting if not needs[id(call)] <= known]
        known |= {call.result for call in ready}
    return ordered
