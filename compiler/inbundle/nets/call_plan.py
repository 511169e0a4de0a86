"""What a branch of an agent function does, and in which order: calls, connections, results.

    fib(r) >< (int n) | ... | _ => Add(r, b) ~ a, fib(a) ~ n - 1, fib(b) ~ n - 2;

Here `fib(a) ~ n - 1` is a call whose value is the wire a, so is `fib(b) ~ n - 2`, and `Add(r, b) ~ a` is the call that
gives the result. A wire that has a value needs no cell, but for a number in a port (compiled_behind_wire). In

    insert(r, x) >< y : ys => r ~ y : w, insert(w, x) ~ ys;

the result is known but for the wire w, which the function itself will give a value: it goes on as a loop, and the place
of w in the result stays open meanwhile, as a *hole*.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inbundle.nets.agent_functions import DUP, AgentFunction, Key
from inbundle.nets.program import AgentTerm, Argument, Expr, PortKind, Wire
from inbundle.nets.routes import Routes

KindOf = Callable[[Expr], PortKind]
Connection = tuple[Argument, Argument]


@dataclass(frozen=True)
class Call:
    """An agent function called for `term ~ partner`.

    Attributes:
        results: the wires in the function's result ports.
    """

    function: AgentFunction
    term: AgentTerm
    partner: Argument
    results: tuple[str, ...]

    def arguments(self) -> list[Argument]:
        """What the C function is given, but for the partner."""
        return [self.term.arguments[port] for port, _ in self.function.parameters()]

    def inputs(self) -> list[Argument]:
        """All that has to be there before the call."""
        return [*self.arguments(), self.partner]


@dataclass
class CallPlan:
    """A branch in order: `calls`, then `connections`, then `fills`, then `last`.

    Attributes:
        values: the wires that calls give values to.
        last: the call that ends the branch: its results are those of the function.
        fills: what the function's results are, as far as `last` does not give them.
        holes: wires in `fills` that `last` gives values to, with the results that they are in.
        opens: the function's results that stand in a port of something, so that they must be wires.
    """

    routes: Routes
    calls: list[Call]
    connections: list[Connection]
    values: set[str]
    last: Call | None = None
    fills: dict[str, Argument] = field(default_factory=dict)
    holes: dict[str, str] = field(default_factory=dict)
    opens: list[str] = field(default_factory=list)

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
        results: those that are the function's results.
    """

    own: AgentFunction
    callable: Mapping[Key, AgentFunction]
    ports: frozenset[str]
    results: tuple[str, ...]

    def plan(self, connections: Sequence[Connection], kind_of: KindOf) -> CallPlan:
        """Args: connections: of the branch, with an object of its own for every agent."""
        names = (f"value {number}" for number in itertools.count())
        connections = self._without_aliases(self._lifted(connections, names))
        calls = [self._call(connection, kind_of) for connection in connections]
        while True:
            plan = self._with_calls(connections, calls)
            ordered = _in_order(plan)
            if ordered is not None:
                plan.calls = ordered
                _Ending(self, plan, names).find()
                return plan
            calls[calls.index(plan.calls[0])] = None

    # --- which connections are calls -------------------------------------------------------------------------------

    def _result_arguments(self, term: Argument) -> dict[int, Argument]:
        """What stands in the result ports of a term that could be called."""
        if not isinstance(term, AgentTerm):
            return {}
        function = self.callable.get((term.agent, len(term.arguments)))
        return {port: term.arguments[port] for port in function.results} if function else {}

    def _lifted(self, connections: Sequence[Connection], names: Iterator[str]) -> list[Connection]:
        """`f(A(x)) ~ y` is `f(w) ~ y, A(x) ~ w`."""
        lifted: list[Connection] = []
        for sides in connections:
            new = list(sides)
            for index, side in enumerate(sides):
                for port, result in self._result_arguments(side).items():
                    if isinstance(result, Wire):
                        continue
                    wire = Wire(next(names))
                    new[index] = _with_argument(new[index], port, wire)
                    lifted += self._lifted([(result, wire)], names)
            lifted.append((new[0], new[1]))
        return lifted

    def _without_aliases(self, connections: list[Connection]) -> list[Connection]:
        """`f(w) ~ x, w ~ y` is `f(y) ~ x`."""
        results = {
            end.name
            for sides in connections
            for side in sides
            for end in self._result_arguments(side).values()
            if isinstance(end, Wire)
        }
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
            if not isinstance(term, AgentTerm):
                continue
            function = self.callable.get((term.agent, len(term.arguments)))
            if function is None:
                continue
            results = tuple(end.name for end in self._result_arguments(term).values() if isinstance(end, Wire))
            call = Call(function, term, partner, results)
            if self._takes(function, partner, kind_of) and _fits(call, kind_of):
                return call
        return None

    def _takes(self, function: AgentFunction, partner: Argument, kind_of: KindOf) -> bool:
        if isinstance(partner, Wire):
            return partner.name not in self.results
        if isinstance(partner, AgentTerm):
            return function.key == DUP or (partner.agent, len(partner.arguments)) in function.partners
        return function.takes_number(kind_of(partner))

    def _with_calls(self, connections: Sequence[Connection], calls: list[Call | None]) -> CallPlan:
        """The plan with those of `calls` whose partners are there; the others become None."""
        while True:
            values = {name for call in calls if call for name in call.results} - self.ports
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
        routes = Routes(self.ports | values, rest, [argument for call in made for argument in call.inputs()])
        return CallPlan(routes, made, list(routes.connections), values)


class _Ending:
    """Finds what ends a branch: its last call and its results."""

    def __init__(self, planner: Planner, plan: CallPlan, names: Iterator[str]) -> None:
        self.planner = planner
        self.plan = plan
        self.names = names

    def find(self) -> None:
        plan, results = self.plan, self.planner.results
        for name in results:
            self._find_fill(name)
        plan.last = next((call for call in reversed(plan.calls) if self._ends(call)), None)
        if plan.last is not None:
            plan.calls = [call for call in plan.calls if call is not plan.last]
            plan.holes = {name: self._place_of(name) for name in plan.last.results if name not in results}
            plan.values -= plan.holes.keys()
        plan.calls = [self._with_own_values(call) for call in plan.calls]
        given = {*plan.fills, *(plan.last.results if plan.last else ())}
        plan.opens = [name for name in results if name not in given]

    def _find_fill(self, name: str) -> None:
        """`r ~ term`."""
        for sides in self.plan.connections:
            if Wire(name) in sides:
                self.plan.fills[name] = sides[1] if sides[0] == Wire(name) else sides[0]
                self.plan.connections.remove(sides)
                return

    def _place_of(self, wire: str) -> str:
        """The result that has a wire in it, empty if there is none."""
        reached = (name for name, term in self.plan.fills.items() if wire in self._hole_wires(term))
        return next(reached, "")

    def _hole_wires(self, term: Argument) -> set[str]:
        """The wires in a term that is an agent."""
        return self.plan.reached_wires(term) if isinstance(self.plan.routes.far_end(term), AgentTerm) else set()

    def _ends(self, call: Call) -> bool:
        """Whether all results come from this call, and nothing else is made of its values."""
        results = self.planner.results
        passed = [name for name in call.results if name in results]
        if call.function is not self.planner.own:
            return bool(results) and call.results == results
        places = [self._place_of(name) for name in call.results if name not in results]
        return sorted([*passed, *places]) == sorted(results)

    def _with_own_values(self, call: Call) -> Call:
        """A call in the middle gives a value, which is the result then."""
        renamed = []
        for name in call.results:
            if name in self.planner.results:
                value = next(self.names)
                self.plan.values.add(value)
                self.plan.fills[name] = Wire(value)
                name = value
            renamed.append(name)
        return replace(call, results=tuple(renamed))


def _with_argument(term: Argument, port: int, argument: Argument) -> AgentTerm:
    assert isinstance(term, AgentTerm)
    return replace(term, arguments=(*term.arguments[:port], argument, *term.arguments[port + 1 :]))


def _put(term: Argument, wire: Wire, other: Wire) -> Argument:
    """The term with another wire in place of `wire`."""
    if isinstance(term, AgentTerm):
        return replace(term, arguments=tuple(_put(argument, wire, other) for argument in term.arguments))
    return other if term == wire else term


def _fits(call: Call, kind_of: KindOf) -> bool:
    """Whether ports that are declared as numbers in every rule get such numbers."""
    return all(
        kind is PortKind.WIRE or (not isinstance(argument, (Wire, AgentTerm)) and kind_of(argument) is kind)
        for (_, kind), argument in zip(call.function.parameters(), call.arguments(), strict=True)
    )


def _in_order(plan: CallPlan) -> list[Call] | None:
    """The calls, each behind those whose values it needs. None: some wait for each other, and are left in the plan."""
    needs = {
        id(call): {name for argument in call.inputs() for name in plan.reached_wires(argument)} & plan.values
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
        known |= {name for call in ready for name in call.results}
    return ordered
