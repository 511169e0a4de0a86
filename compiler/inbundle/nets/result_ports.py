"""Which ports of an agent are results: ports that rules only ever give something to.

    part(small, large, x) >< [] => small ~ [], large ~ [];
    part(small, large, x) >< y : ys | y < x => small ~ y : w, part(w, large, x) ~ ys | _ => large ~ y : w, ...;

Both `small` and `large` are. The first port is taken for a result whatever rules do with it, if no rule declares it to
be a number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from inbundle.nets.program import AgentTerm, Argument, Body, Head, PortKind, Rule, Wire

Key = tuple[str, int]


def result_ports(cases: Sequence[tuple[Head, Rule]], functions: Collection[Key]) -> tuple[int, ...]:
    """The result ports of an agent.

    Args:
        cases: its rules, with its own head in each.
        functions: the agents that take others apart.
    """
    arity = len(cases[0][0].ports)
    wires = [port for port in range(arity) if all(head.kinds[port] is PortKind.WIRE for head, _ in cases)]
    ports = {port for port in wires if port == 0 or _is_given_to(cases, port, functions)}
    while dropped := {port for port in ports - {0} if not _stays_result(cases, port, ports)}:
        ports -= dropped
    return tuple(sorted(ports))


def _bodies(cases: Sequence[tuple[Head, Rule]]) -> Iterator[tuple[Head, Body]]:
    for head, rule in cases:
        for branch in rule.branches:
            yield head, branch.body


def _is_given_to(cases: Sequence[tuple[Head, Rule]], port: int, functions: Collection[Key]) -> bool:
    """Whether rules connect the port to things that are no functions, and there is one that does."""
    given = [
        (other, {*rule.left.ports, *rule.right.ports} - {*head.ports})
        for head, rule in cases
        for branch in rule.branches
        for one, other in _both_ways(branch.body)
        if one == Wire(head.ports[port])
    ]
    return bool(given) and not any(_is_taken(other, functions, names) for other, names in given)


def _is_taken(other: Argument, functions: Collection[Key], partner: Collection[str]) -> bool:
    """Whether the other side may be the one that is given something; `partner` has the names in the partner's head."""
    if isinstance(other, Wire):
        return other.name not in partner
    return isinstance(other, AgentTerm) and (
        other.agent == "Eraser" or (other.agent, len(other.arguments)) in functions
    )


def _stays_result(cases: Sequence[tuple[Head, Rule]], port: int, ports: Collection[int]) -> bool:
    """Whether the port, where it is not given something, goes on to a result of the same agent, and whether what comes
    in its place there is a wire."""
    for head, body in _bodies(cases):
        name = Wire(head.ports[port])
        if name in (side for sides in body.connections for side in sides):
            continue
        goes_on = [
            index
            for term in _own_terms(head, body)
            for index, argument in enumerate(term.arguments)
            if argument == name
        ]
        if not goes_on or goes_on[0] not in ports:
            return False
    return all(
        isinstance(term.arguments[port], Wire) for head, body in _bodies(cases) for term in _own_terms(head, body)
    )


def _own_terms(head: Head, body: Body) -> Iterator[AgentTerm]:
    """The terms of the same agent that are sides of connections."""
    for sides in body.connections:
        for side in sides:
            if isinstance(side, AgentTerm) and (side.agent, len(side.arguments)) == (head.agent, len(head.ports)):
                yield side


def _both_ways(body: Body) -> Iterator[tuple[Argument, Argument]]:
    for a, b in body.connections:
        yield a, b
        yield b, a
