"""Changes a graph match by match: adds nodes, lets readers read other values, drops what is not read any more.

New nodes stand where the match stood. What takes the place of a result also takes its name, so that messages and dumps
speak of the model as before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Constant, Graph, Node, NodeOutput, Value
from inbundle.patterns.facts import Facts
from inbundle.patterns.matcher import Boundary, Match

Replacement = Value | Mapping[Value, Value] | None
"""What takes the place of a match: one value for its one result, or a value per result; None leaves it as it is."""
Rewrite = Callable[["Rewriter", Match], Replacement]


class Rewriter:
    """A graph under change. `finish` must be called at the end.

    Attributes:
        facts: the index of the graph, kept true.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.facts = Facts(graph)
        self._now: dict[Value, Value] = {}
        self._removed: set[Node] = set()

    # --- what a rewrite calls ----------------------------------------------------------------------------------------

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        outputs: Sequence[str] = (),
    ) -> Node:
        """A new node; see `Graph.add`."""
        return self.graph.add(kind, inputs, attributes, outputs=outputs)

    def constant(self, name: str, data: np.ndarray) -> Constant:
        return self.graph.add_constant(name, data)

    # --- application -------------------------------------------------------------------------------------------------

    def apply(self, match: Match, rewrite: Rewrite) -> bool:
        """Rewrites a match that overlaps with none rewritten before; False if `rewrite` leaves it as it is.

        Raises:
            CompileError: the replacement has another type than what it replaces.
        """
        match = Match(match.nodes, match.keys, {key: self._current(value) for key, value in match.values.items()})
        nodes, constants = len(self.graph.nodes), len(self.graph.constants)
        replacement = rewrite(self, match)
        if replacement is None:
            del self.graph.nodes[nodes:], self.graph.constants[constants:]
            return False
        added = self.graph.nodes[nodes:]
        self._index(added, self.facts.position[match.nodes[-1]])
        pairs = replacement if isinstance(replacement, Mapping) else {self._one_result(match): replacement}
        for old, new in pairs.items():
            self._replace(old, new, set(added))
        self._remove_unread(match.nodes)
        for old, new in pairs.items():
            self._hand_over_name(old, new, added)
        return True

    def finish(self) -> None:
        """Puts the nodes into topological order, as near to the old one as it allows.

        Raises:
            CompileError: there is no such order.
        """
        nodes = [node for node in self.graph.nodes if node not in self._removed]
        nodes.sort(key=self.facts.position.__getitem__)
        self.graph.nodes[:] = _topological(nodes)

    def _current(self, value: Value) -> Value:
        while value in self._now:
            value = self._now[value]
        return value

    def _one_result(self, match: Match) -> Value:
        boundary = Boundary(self.facts, match)
        final = [value for value in boundary.results if value not in boundary.interior]
        if len(final) != 1:
            raise CompileError(f"there are {len(final)} results to replace, from '{match.nodes[0].name}' on")
        return final[0]

    def _index(self, added: Sequence[Node], position: int) -> None:
        for node in added:
            self.facts.position[node] = position
            for index, value in enumerate(node.inputs):
                if value is not None:
                    self.facts.readers.setdefault(value, []).append((node, index))

    def _replace(self, old: Value, new: Value, added: set[Node]) -> None:
        """The nodes `added` by the rewrite may read `old` on."""
        if new.type != old.type:
            raise CompileError(f"the replacement of '{old.name}' is {new.type}, not {old.type}")
        all_readers = self.facts.readers_of(old)
        readers = [reader for reader in all_readers if reader[0] not in added]
        self.facts.readers[old] = [reader for reader in all_readers if reader[0] in added]
        for node, index in readers:
            node.inputs[index] = new
        self.facts.readers.setdefault(new, []).extend(readers)
        if old in self.facts.shown:
            self.facts.shown.remove(old)
            self.facts.shown.add(new)
            self.graph.outputs = {name: new if value is old else value for name, value in self.graph.outputs.items()}
        self._now[old] = new

    def _remove_unread(self, nodes: Sequence[Node]) -> None:
        for node in reversed(nodes):
            if any(self.facts.readers.get(value) or value in self.facts.shown for value in node.outputs):
                continue
            self._removed.add(node)
            for index, value in enumerate(node.inputs):
                if value is not None:
                    self.facts.readers[value].remove((node, index))

    def _hand_over_name(self, old: Value, new: Value, added: Sequence[Node]) -> None:
        removed = isinstance(old, NodeOutput) and old.node in self._removed
        if not (removed and isinstance(new, NodeOutput) and new.node in added):
            return
        assert isinstance(old, NodeOutput)
        old.name, new.name = new.name, old.name
        old.node.name, new.node.name = new.node.name, old.node.name


def _topological(nodes: Sequence[Node]) -> list[Node]:
    """Each node behind those whose results it reads, otherwise in the given order.

    Raises:
        CompileError: a node reads its own result, by way of others.
    """
    placed: dict[Node, None] = {}
    known, entered = set(nodes), set[Node]()
    for root in nodes:
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [
                value.node
                for value in node.inputs
                if isinstance(value, NodeOutput) and value.node in known and value.node not in placed
            ]
            if missing and node not in placed:
                if node in entered:
                    raise CompileError(f"a replacement reads its own result, by way of node '{node.name}'")
                entered.add(node)
                waiting += reversed(missing)
            else:
                waiting.pop()
                placed[node] = None
    return list(placed)
