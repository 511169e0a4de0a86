"""Runs a pattern's program from every node of a graph and collects the matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inbundle.graph.graph import Node, NodeOutput, Value
from inbundle.patterns.automaton import (
    Accept,
    Backward,
    Check,
    Forward,
    Instruction,
    Jump,
    Operand,
    Program,
    Split,
    ToNode,
    ToReader,
)
from inbundle.patterns.facts import Facts

MOST_PER_START = 64
"""Matches that are collected from one start node. All of them have that node, so one of them is chosen at most: a
larger one among those beyond is missed. Branches in a wide graph have a match for each combination of readers."""

NodeTest = Callable[[Facts, Node], bool]
ValueTest = Callable[[Facts, Value], bool]


@dataclass(frozen=True, eq=False)
class Match:
    """A sub-graph that fits a pattern.

    Attributes:
        nodes: the nodes it covers, in graph order.
        keys: node key -> its nodes in the order of the pattern; several where the key is repeated.
        values: value key -> the value.
    """

    nodes: tuple[Node, ...]
    keys: Mapping[str, tuple[Node, ...]]
    values: Mapping[str, Value]

    def __getitem__(self, key: str) -> Node:
        """The one node of a key."""
        (node,) = self.keys[key]
        return node

    def optional(self, key: str) -> Node | None:
        """The node of a key that may be absent."""
        nodes = self.keys.get(key, ())
        return nodes[0] if nodes else None

    def signature(self) -> tuple[object, ...]:
        """Equal for matches that differ in nothing."""
        return tuple(sorted(self.keys.items(), key=_name)), tuple(sorted(self.values.items(), key=_name))


def _name(item: tuple[str, object]) -> str:
    return item[0]


@dataclass(frozen=True)
class _Trail:
    """What was bound last, and before."""

    key: str
    subject: Node | Value
    before: _Trail | None


@dataclass(frozen=True)
class _State:
    """A point of the search.

    Attributes:
        shared: nodes of shared keys and values so far.
        slots: (node, operand) pairs that values are bound to.
    """

    at: int
    node: Node
    trail: _Trail | None
    shared: Mapping[str, Node | Value]
    slots: tuple[tuple[Node, int], ...]


@dataclass(frozen=True)
class _Alternative:
    """A state to go on from unless there are more than `found` matches by then."""

    state: _State
    found: int


@dataclass(frozen=True)
class _Done:
    """All that a split leads to is tried; it leads nowhere if the search has not reached more than `ends` ends."""

    split: _Split
    ends: int


_Split = tuple[object, ...]
"""What the way on from a split depends on."""
Accepts = Callable[[Facts, Match], bool]


class Machine:
    """A program and the tests of its keys.

    Args:
        nodes, values: key -> test.
        accepts: what a match must fulfil as a whole; where it does not, less preferred ones are tried.
    """

    def __init__(
        self, program: Program, nodes: Mapping[str, NodeTest], values: Mapping[str, ValueTest], accepts: Accepts
    ) -> None:
        self.program = program
        self.nodes = nodes
        self.values = values
        self.accepts = accepts

    def matches(self, facts: Facts, start: Node) -> list[Match]:
        """The matches from a start node, each once, in the order of preference."""
        return _Search(self, facts).run(start)

    def next(self, facts: Facts, state: _State, instruction: Instruction) -> Iterator[_State]:
        """The states that an instruction leads to, the preferred one first."""
        match instruction:
            case Check():
                yield from self._check(facts, state, instruction)
            case Jump(to):
                yield _moved(state, to)
            case ToNode(key):
                node = state.shared[key]
                assert isinstance(node, Node)
                yield _moved(state, state.at + 1, node)
            case Forward(port):
                for value in state.node.outputs:
                    for reader, index in _at_port(facts.readers_of(value), port):
                        if port is not None or _is_first(reader, index):
                            yield _moved(state, state.at + 1, reader)
            case Backward(port):
                for index, operand in enumerate(state.node.inputs):
                    first = port is not None or _is_first(state.node, index)
                    if isinstance(operand, NodeOutput) and port in (None, index) and first:
                        yield _moved(state, state.at + 1, operand.node)
            case Operand(key, port):
                yield from self._operand(facts, state, key, port)
            case ToReader(key, port):
                bound = state.shared[key]
                assert isinstance(bound, Value)
                for reader, index in _at_port(facts.readers_of(bound), port):
                    yield _with_slot(_moved(state, state.at + 1, reader), reader, index)

    def _check(self, facts: Facts, state: _State, check: Check) -> Iterator[_State]:
        before = state.shared.get(check.key)
        if before is not None:
            if before is state.node:
                yield _moved(state, state.at + 1)
        elif self.nodes[check.key](facts, state.node):
            yield _bound(state, check.key, state.node, remember=check.shared)

    def _operand(self, facts: Facts, state: _State, key: str, port: int | None) -> Iterator[_State]:
        before = state.shared.get(key)
        for index, value in enumerate(state.node.inputs):
            if value is None or port not in (None, index):
                continue
            if before is value:
                yield _with_slot(_moved(state, state.at + 1), state.node, index)
            elif before is None and self.values[key](facts, value):
                yield _with_slot(_bound(state, key, value, remember=True), state.node, index)


class _Search:
    """The search from one node: states that are still to be tried, the next one last.

    Nested repetitions reach the same split in many ways. One that led nowhere is not tried again: `_dead`.
    """

    def __init__(self, machine: Machine, facts: Facts) -> None:
        self._machine = machine
        self._facts = facts
        self._stack: list[_State | _Alternative | _Done] = []
        self._found: dict[tuple[object, ...], Match] = {}
        self._ends = 0
        self._dead: set[_Split] = set()

    def run(self, start: Node) -> list[Match]:
        self._stack.append(_State(0, start, None, {}, ()))
        while self._stack and len(self._found) < MOST_PER_START:
            top = self._stack.pop()
            if isinstance(top, _State):
                self._step(top)
            elif isinstance(top, _Done):
                if self._ends == top.ends:
                    self._dead.add(top.split)
            elif len(self._found) == top.found:
                self._step(top.state)
        return list(self._found.values())

    def _step(self, state: _State) -> None:
        instruction = self._machine.program[state.at]
        if isinstance(instruction, Accept):
            self._end(state)
        elif isinstance(instruction, Split):
            self._split(state, instruction)
        else:
            self._stack.extend(reversed(list(self._machine.next(self._facts, state, instruction))))

    def _end(self, state: _State) -> None:
        self._ends += 1
        match = _match(self._facts, state)
        if match and match.signature() not in self._found and self._machine.accepts(self._facts, match):
            self._found[match.signature()] = match

    def _split(self, state: _State, split: Split) -> None:
        key: _Split = (state.at, state.node, *state.shared.items(), *state.slots)
        if key in self._dead:
            return
        self._stack.append(_Done(key, self._ends))
        self._stack.append(_Alternative(_moved(state, split.second), len(self._found)))
        self._stack.append(_moved(state, split.first))


def _moved(state: _State, at: int, node: Node | None = None) -> _State:
    return _State(at, node or state.node, state.trail, state.shared, state.slots)


def _bound(state: _State, key: str, subject: Node | Value, *, remember: bool) -> _State:
    shared = {**state.shared, key: subject} if remember else state.shared
    return _State(state.at + 1, state.node, _Trail(key, subject, state.trail), shared, state.slots)


def _with_slot(state: _State, node: Node, index: int) -> _State:
    return _State(state.at, state.node, state.trail, state.shared, (*state.slots, (node, index)))


def _at_port(readers: Sequence[tuple[Node, int]], port: int | None) -> Iterator[tuple[Node, int]]:
    return (reader for reader in readers if port in (None, reader[1]))


def _is_first(node: Node, index: int) -> bool:
    """Whether no operand before `index` is the same value: then any operand may mean this one."""
    return all(value is not node.inputs[index] for value in node.inputs[:index])


def _match(facts: Facts, state: _State) -> Match | None:
    """The match of a state, if keys stand for different nodes and values for different operands from outside."""
    keys: dict[str, tuple[Node, ...]] = {}
    values: dict[str, Value] = {}
    trail = state.trail
    covered: list[Node] = []
    while trail:
        if isinstance(trail.subject, Node):
            keys[trail.key] = (trail.subject, *keys.get(trail.key, ()))
            covered.append(trail.subject)
        else:
            values[trail.key] = trail.subject
        trail = trail.before
    nodes = set(covered)
    inside = any(isinstance(value, NodeOutput) and value.node in nodes for value in values.values())
    if inside or len(nodes) < len(covered) or len(set(state.slots)) < len(state.slots):
        return None
    return Match(tuple(sorted(nodes, key=facts.position.__getitem__)), keys, values)


class Boundary:
    """How a match is connected with the rest of the graph.

    Attributes:
        inputs: values from outside that its nodes read, each once, in order.
        results: results of its nodes that others read, or the model shows, or nobody reads.
        interior: those of the results that its own nodes read as well.
    """

    def __init__(self, facts: Facts, match: Match) -> None:
        self._facts = facts
        self._nodes = set(match.nodes)
        read = {value: None for node in match.nodes for value in node.inputs if value is not None}
        self.inputs = [value for value in read if not self._is_inside(value)]
        made = [value for node in match.nodes for value in node.outputs]
        self.results = [value for value in made if self._is_seen(value)]
        self.interior = [value for value in self.results if value in read]

    def _is_inside(self, value: Value) -> bool:
        return isinstance(value, NodeOutput) and value.node in self._nodes

    def _is_seen(self, value: Value) -> bool:
        readers = self._facts.readers_of(value)
        return not readers or value in self._facts.shown or any(node not in self._nodes for node, _ in readers)

    def is_convex(self, *, in_order: bool = True) -> bool:
        """Whether no path leaves the match and comes back into it.

        Args:
            in_order: nodes stand behind those that they read, as they do until the first rewrite.
        """
        last = max(self._facts.position[node] for node in self._nodes) if in_order else len(self._facts.position)
        open_nodes = [node for value in self.results for node, _ in self._facts.readers_of(value)]
        seen: set[Node] = set(self._nodes)
        while open_nodes:
            node = open_nodes.pop()
            if node in seen or self._facts.position[node] > last:
                continue
            seen.add(node)
            readers = [reader for value in node.outputs for reader, _ in self._facts.readers_of(value)]
            if not self._nodes.isdisjoint(readers):
                return False
            open_nodes += readers
        return True
