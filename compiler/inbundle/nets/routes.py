"""Which wires of a rule's body need a cell.

A wire that is one side of a connection needs none: what is on the other side goes straight to the wire's other end.
"""

from __future__ import annotations

from collections.abc import Iterator

from inbundle.nets.program import AgentTerm, Argument, Body, Rule, Wire


class Routes:
    """The connections of a body without those that only give a private wire another end.

    Attributes:
        connections: what is left to connect.
    """

    def __init__(self, rule: Rule, body: Body) -> None:
        self.connections: list[tuple[Argument, Argument]] = []
        self._ports = {*rule.left.ports, *rule.right.ports}
        self._beyond: dict[str, Argument] = {}  # a private wire -> what the other side of its connection is
        self._body = body
        for a, b in body.connections:
            self._route(self.far_end(a), self.far_end(b))

    def far_end(self, term: Argument) -> Argument:
        """What a term leads to through wires that need no cell."""
        while isinstance(term, Wire) and term.name in self._beyond:
            term = self._beyond[term.name]
        return term

    def inner_wires(self) -> list[str]:
        """The private wires with both ends in ports."""
        sides = [side for connection in self._body.connections for side in connection]
        names = dict.fromkeys(name for side in sides for name in _wires(side))
        return [name for name in names if self._is_private(Wire(name)) and name not in self._beyond]

    def _route(self, a: Argument, b: Argument) -> None:
        if a == b and isinstance(a, Wire):
            self._beyond[a.name] = Wire(f"{a.name} closed")  # a loop without an agent: nothing
        elif isinstance(a, Wire) and self._is_private(a):
            self._beyond[a.name] = b
        elif isinstance(b, Wire) and self._is_private(b):
            self._beyond[b.name] = a
        else:
            self.connections.append((a, b))

    def _is_private(self, wire: Wire) -> bool:
        return wire.name not in self._ports


def _wires(term: Argument) -> Iterator[str]:
    if isinstance(term, Wire):
        yield term.name
    elif isinstance(term, AgentTerm):
        for argument in term.arguments:
            yield from _wires(argument)
