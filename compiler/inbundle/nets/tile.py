"""Tile granularity: one agent per task, one statement per task.

Tiles of a task that wait for the same tiles of earlier tasks are a group: the statement joins the tokens of those,
and feeds the group. A tile's token goes to all groups that wait for it. Where every tile waits for all tiles of one
task, that is one join and one fan-out; where it waits for a few, it does not wait for the others. The tiles are native
functions; this module knows neither kernels nor buffers, only tasks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inbundle.ir.tasks import Task, TileId
from inbundle.nets.builder import LITERAL, NetBuilder, Words, balanced_fan_in, balanced_fan_out
from inbundle.nets.canonical import canonical
from inbundle.nets.program import (
    BUILTIN_AGENTS,
    Agent,
    Branch,
    Call,
    Head,
    NativeFunction,
    PortKind,
    Program,
    Rule,
    Variable,
)
from inbundle.nets.tokens import (
    DONE,
    INTERACTIONS_PER_JOIN,
    JOIN,
    JOIN_RULES,
    JOIN_WITH,
    READY,
    is_error,
    ready,
    sends,
)

Connection = tuple[Words, Words]


def translate(tasks: Sequence[Task], *, name: str, threads: int) -> Program:
    """The tasks as a net that calls `task.native(t)` for every tile t, in any order that respects `task.waits`.

    The net's one output `done` carries `Ready(0)`, or the error code of a tile that failed; after an error no tile
    that waits for the failed one is called.

    Args:
        threads: workers that will reduce the net; the tasks were cut for as many.
    """
    assert threads > 1 or all(task.tiles == 1 for task in tasks), "tasks were cut for several workers"
    agents = [*BUILTIN_AGENTS, READY, JOIN, JOIN_WITH, *(_agent(task) for task in tasks)]
    natives = [NativeFunction(task.native, (PortKind.INT,), PortKind.INT, task.tiles) for task in tasks]
    net = _TileNet(NetBuilder(agents, natives), tasks)
    net.build()
    rules = [*(JOIN_RULES if net.has_joins else ()), *map(_rule, tasks)]
    return canonical(Program(name, agents, rules, natives, net.builder.net(), outputs=(DONE,)))


_Group = tuple[int, int]  # index of the task, number in the task


def _groups(task: Task) -> dict[tuple[TileId, ...], list[int]]:
    """Which tiles of a task wait for the same earlier ones."""
    groups: dict[tuple[TileId, ...], list[int]] = {}
    for tile, waits in enumerate(task.waits):
        groups.setdefault(waits, []).append(tile)
    return groups


def _agent(task: Task) -> Agent:
    return Agent(task.agent, (PortKind.WIRE, PortKind.INT))


def _rule(task: Task) -> Rule:
    """`Convolution1(r, int t) >< Ready(int e)`: hands an error on, else runs tile t."""
    runs = sends(ready(Variable("x")), ("x", Call(task.native, (Variable("t"),))))
    hands_on = sends(ready(Variable("e")))
    tiles = f"{task.tiles} tile{'s' if task.tiles > 1 else ''}"
    return Rule(
        Head(task.agent, ("r", "t")),
        Head(READY.name, ("e",)),
        (Branch(is_error("e"), hands_on), Branch(None, runs)),
        comment=f"{task.instruction.name}: {task.instruction.kind}, {tiles}",
    )


class _TileNet:
    """The statements. `_tokens[g]` are the wires that bring group g the tokens of the tiles before it."""

    def __init__(self, builder: NetBuilder, tasks: Sequence[Task]) -> None:
        self.builder = builder
        self.has_joins = False
        self._tasks = tasks
        self._tokens: dict[_Group, list[int]] = {}
        self._dependents: dict[TileId, list[_Group]] = {}
        self._last_tokens: list[int] = []
        self._groups = [_groups(task) for task in tasks]
        for index, groups in enumerate(self._groups):
            for number, waits in enumerate(groups):
                self._tokens[index, number] = []
                for earlier in waits:
                    self._dependents.setdefault(earlier, []).append((index, number))

    def build(self) -> None:
        for index, groups in enumerate(self._groups):
            connections: list[Connection] = []
            for number, tiles in enumerate(groups.values()):
                connections += self._group((index, number), tiles)
            self.builder.statement(*connections)
        self._finish()

    def _group(self, group: _Group, tiles: Sequence[int]) -> list[Connection]:
        """The connections that join what a group waits for, run its tiles and hand on their tokens."""
        agent = self.builder.agent(self._tasks[group[0]].agent)
        before, start = self._start(self._tokens[group])
        terms = [[agent, *self._sink((group[0], tile)), LITERAL, tile] for tile in tiles]
        self.builder.interactions += len(tiles) + (len(tiles) - 1)
        return [*before, (start, balanced_fan_out(terms))]

    def _start(self, tokens: list[int]) -> tuple[list[Connection], Words]:
        """Connections that join the tokens, and the term that starts the tiles."""
        if not tokens:
            return [], [self.builder.agent(READY.name), LITERAL, 0]
        joins, root = self._join(tokens)
        return joins, [root]

    def _sink(self, tile: TileId) -> Words:
        """The term that takes a tile's token to the groups that wait for it, or to the end."""
        dependents = self._dependents.get(tile, [])
        wires = self.builder.wires(max(1, len(dependents))).tolist()
        for dependent, wire in zip(dependents, wires, strict=False):
            self._tokens[dependent].append(wire)
        if not dependents:
            self._last_tokens += wires
        self.builder.interactions += len(wires) - 1
        return balanced_fan_out([[wire] for wire in wires])

    def _join(self, tokens: list[int]) -> tuple[list[Connection], int]:
        """A fan-in of tokens: its connections and the wire of its result."""
        connections: list[Connection] = []
        join = self.builder.agent(JOIN.name)

        def pair(left: np.ndarray, right: np.ndarray) -> np.ndarray:
            results = self.builder.wires(len(left))
            for one, other, result in zip(left.tolist(), right.tolist(), results.tolist(), strict=True):
                connections.append(([one], [join, result, other]))
            return results

        self.has_joins |= len(tokens) > 1
        root = balanced_fan_in(np.array(tokens), np.array([len(tokens)]), pair)
        self.builder.interactions += INTERACTIONS_PER_JOIN * len(connections)
        return connections, int(root[0])

    def _finish(self) -> None:
        """Joins the tokens that no tile waits for into the output."""
        if not self._tasks:
            done = self.builder.wire()
            self.builder.statement(([done], [self.builder.agent(READY.name), LITERAL, 0]))
        else:
            joins, done = self._join(self._last_tokens)
            if joins:
                self.builder.statement(*joins)
        self.builder.name(done, DONE)
