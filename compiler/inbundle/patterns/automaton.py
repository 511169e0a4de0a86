"""A graph pattern as a program of a small machine that walks over a graph.

The machine has a cursor, a node. It checks the cursor against a key, moves it to a reader or to what gives an operand,
and tries alternatives in order. Repetition is greedy: a shorter one is tried only where the longer one leads nowhere.

The first branch runs forward from a start node. A later branch starts at a node (or value) that it shares with those
before it: backward to its own beginning, then forward to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from inbundle.patterns.syntax import Branch, Group, NodeItem, Step
from inbundle.patterns.text import PatternText


@dataclass(frozen=True)
class Check:
    """The cursor is a node for `key`; for a shared key the same node as before."""

    key: str
    shared: bool


@dataclass(frozen=True)
class Forward:
    """To a node that reads the cursor's result as operand `port` (None: any)."""

    port: int | None


@dataclass(frozen=True)
class Backward:
    """To the node that gives the cursor's operand `port` (None: any)."""

    port: int | None


@dataclass(frozen=True)
class Operand:
    """The cursor's operand `port` is the value `key`."""

    key: str
    port: int | None


@dataclass(frozen=True)
class ToReader:
    """To a node that reads the value `key` as operand `port`."""

    key: str
    port: int | None


@dataclass(frozen=True)
class ToNode:
    """Back to the node of a shared key."""

    key: str


@dataclass(frozen=True)
class Split:
    """Go on at `first`; if no match comes of it, at `second`."""

    first: int
    second: int


@dataclass(frozen=True)
class Jump:
    to: int


@dataclass(frozen=True)
class Accept:
    """All branches are matched."""


Instruction = Check | Forward | Backward | Operand | ToReader | ToNode | Split | Jump | Accept
Program = tuple[Instruction, ...]


def compile_program(source: PatternText, branches: Sequence[Branch]) -> Program:
    """The program of a pattern.

    Raises:
        CompileError: a branch that is not connected with those before it, or a part that may match nothing.
    """
    return _Compiler(source).run(branches)


class _Compiler:
    def __init__(self, source: PatternText) -> None:
        self.source = source
        self.code: list[Instruction] = []
        self.known: set[str] = set()

    def run(self, branches: Sequence[Branch]) -> Program:
        for number, branch in enumerate(branches):
            if number == 0:
                self._first_branch(branch)
            else:
                self._later_branch(branch)
            self.known.update(_shared_keys(branch.steps), filter(None, [branch.value]))
        return (*self.code, Accept())

    # --- branches ----------------------------------------------------------------------------------------------------

    def _first_branch(self, branch: Branch) -> None:
        if branch.value:
            self.code.append(Operand(branch.value, branch.value_port))
        self._sequence(branch.steps, self._forward)

    def _later_branch(self, branch: Branch) -> None:
        anchor = self._anchor(branch.steps)
        if anchor is not None:
            self._from_node(branch, anchor)
        elif branch.value in self.known:
            self.code.append(ToReader(branch.value, branch.value_port))
            self._sequence(branch.steps, self._forward)
        else:
            raise self.source.error(
                branch.at,
                "this branch has nothing in common with those before it",
                "name a node of both `KEY#1`, or let both begin with the same `%value`",
            )

    def _anchor(self, steps: Sequence[Step]) -> int | None:
        for index, step in enumerate(steps):
            if isinstance(step.item, NodeItem) and step.item.key in self.known:
                return index
        return None

    def _from_node(self, branch: Branch, anchor: int) -> None:
        step = branch.steps[anchor]
        assert isinstance(step.item, NodeItem)
        self.code.append(ToNode(step.item.key))
        before = branch.steps[:anchor]
        if before:
            self._alternatives([partial(self._way_back, way, step.port) for way in _ways(before)])
        if branch.value:
            self.code.append(Operand(branch.value, branch.value_port))
        self.code.append(ToNode(step.item.key))
        self._forward_steps(branch.steps[anchor + 1 :])

    def _way_back(self, way: Sequence[Step], port: int | None) -> None:
        if way:
            self.code.append(Backward(port))
            self._backward(way)

    # --- sequences ---------------------------------------------------------------------------------------------------

    def _sequence(self, steps: Sequence[Step], write: Callable[[Sequence[Step]], None]) -> None:
        """`write` for each way to begin: a first step that may be absent, absent and not."""
        ways = _ways(steps)
        if not ways[-1]:
            raise self.source.error(steps[0].item.at, "this may match no node at all", "let one step be there always")
        self._alternatives([partial(write, way) for way in ways])

    def _alternatives(self, writers: Sequence[Callable[[], None]]) -> None:
        """Each writer's code, tried in order."""
        jumps = []
        for writer in writers[:-1]:
            split = self._reserve()
            writer()
            jumps.append(self._reserve())
            self.code[split] = Split(split + 1, len(self.code))
        writers[-1]()
        for jump in jumps:
            self.code[jump] = Jump(len(self.code))

    def _reserve(self) -> int:
        self.code.append(Accept())
        return len(self.code) - 1

    def _item(self, item: NodeItem | Group, write: Callable[[Sequence[Step]], None]) -> None:
        if isinstance(item, NodeItem):
            self.code.append(Check(item.key, item.shared))
        else:
            self._sequence(item.steps, write)

    # --- forward -----------------------------------------------------------------------------------------------------

    def _forward(self, steps: Sequence[Step]) -> None:
        """The cursor is at the first step's node already."""
        first = steps[0]
        begin = len(self.code)
        self._item(first.item, self._forward)
        if first.repeat == "+":
            self._loop(Forward(None), begin)
        self._forward_steps(steps[1:])

    def _forward_steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            split = self._reserve() if step.may_be_absent else None
            begin = len(self.code)
            self.code.append(Forward(step.port))
            self._item(step.item, self._forward)
            self._close(step, begin, split)

    # --- backward ----------------------------------------------------------------------------------------------------

    def _backward(self, steps: Sequence[Step]) -> None:
        """The cursor is at the last step's node already; it ends at the first one's."""
        for step in reversed(steps[1:]):
            split = self._reserve() if step.may_be_absent else None
            begin = len(self.code)
            self._item(step.item, self._backward)
            self.code.append(Backward(step.port))
            self._close(step, begin, split)
        begin = len(self.code)
        self._item(steps[0].item, self._backward)
        if steps[0].repeat == "+":
            self._loop(Backward(None), begin)

    # --- repetition --------------------------------------------------------------------------------------------------

    def _close(self, step: Step, begin: int, split: int | None) -> None:
        """Ends the code of a step that began at `begin`, with a `split` in front where it may be absent."""
        if step.repeat in ("+", "*"):
            self.code.append(Split(begin, len(self.code) + 1))
        if split is not None:
            self.code[split] = Split(begin, len(self.code))

    def _loop(self, move: Instruction, begin: int) -> None:
        """Any number of times again from `begin`, after `move`."""
        after = len(self.code) + 3
        self.code += [Split(len(self.code) + 1, after), move, Jump(begin)]


def _ways(steps: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The sequences, none beginning with a step that may be absent, that `steps` stands for; perhaps the empty one."""
    if not steps:
        return [()]
    first, rest = steps[0], tuple(steps[1:])
    if not first.may_be_absent:
        return [tuple(steps)]
    there = replace(first, repeat="+" if first.repeat == "*" else "")
    entered = (replace(rest[0], port=None), *rest[1:]) if rest else ()
    return [(there, *rest), *_ways(entered)]


def _shared_keys(steps: Sequence[Step]) -> set[str]:
    """The keys with `#` whose node is there in every match of the sequence."""
    always = [step.item for step in steps if not step.repeat and isinstance(step.item, NodeItem)]
    return {item.key for item in always if item.shared}
