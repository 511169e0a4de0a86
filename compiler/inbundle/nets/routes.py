"""Which wires of a rule's body need a cell.

A wire that is one side of a connection needs none: what is on the other side goes straight to the wire's other end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from inbundle.nets.program import AgentTerm, Argument, Wire


class Routes:
    """The connections of a body without those that only give a private wire another end.

    Attributes:
        connections: what is left to connect.
    """

    def __init__(
        self,
        ports: Collection[str],
        connections: Sequence[tuple[Argument, Argument]],
        others: Sequence[Argument] = (),
    ) -> None:
        """
        Args:
            ports: names that are no private wires: those of the rule's heads.
            others: further terms of the body, in which wires may end.
        """
        self.connections: list[tuple[Argument, Argument]] = []
        self._ports = frozenset(ports)
        self._beyond: dict[str, Argument] = {}  # a private wire -> what the other side of its connection is
        self._terms = [*(side for sides in connections for side in sides), *others]
        for a, b in connections:
            self._route(self.far_end(a), self.far_end(b))

    def far_end(self, term: Argument) -> Argument:
        """What a term leads to through wires that need no cell."""
        while isinstance(term, Wire) and term.name in self._beyond:
            term = self._beyond[term.name]
        return term

    def inner_wires(self) -> list[str]:
        """The private wires with both ends in ports."""
        names = dict.fromkeys(name for term in self._terms for name in wires_of(term))
        return [name for name in names if name not in self._ports and name not in self._beyond]

    def terms(self) -> list[Argument]:
        """All terms of the body."""
        return self._terms

    def _route(self, a: Argument, b: Argument) -> None:
        if a == b and isinstance(a, Wire):
            self._beyond[a.name] = Wire(f"{a.name} closed")  # a loop without an agent: nothing
        elif isinstance(a, Wire) and a.name not in self._ports:
            self._beyond[a.name] = b
        elif isinstance(b, Wire) and b.name not in self._ports:
            self._beyond[b.name] = a
        else:
            self.connections.append((a, b))


def wires_of(term: Argument) -> Iterator[str]:
    """The names of wires in a term, from left to right."""
    if isinstance(term, Wire):
        yield term.name
    elif isinstance(term, AgentTerm):
        for argument in term.arguments:
            yield from wires_of(argument)
