"""Tile granularity: one agent per task, one statement per task.

A task's statement waits for the tokens of the tasks before it, feeds its tiles, joins their tokens and feeds the tasks
that wait for it. The tiles are native functions; this module knows neither kernels nor buffers, only tasks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inbundle.ir.tasks import Task
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
    """The tasks as a net that calls `task.native(t)` for every tile t, in any order that respects `task.after`.

    The net's one output `done` carries `Ready(0)`, or the error code of a tile that failed; after an error no tile
    that waits for the failed one is called.

    Args:
        threads: workers that will reduce the net; the tasks were cut for as many.
    """
    assert threads > 1 or all(task.tiles == 1 for task in tasks), "tasks were cut for several workers"
    agents = [*BUILTIN_AGENTS, READY, JOIN, JOIN_WITH, *(_agent(task) for task in tasks)]
    natives = [NativeFunction(task.native, (PortKind.INT,), PortKind.INT) for task in tasks]
    net = _TileNet(NetBuilder(agents, natives), tasks)
    net.build()
    rules = [*(JOIN_RULES if net.has_joins else ()), *map(_rule, tasks)]
    return canonical(Program(name, agents, rules, natives, net.builder.net(), outputs=(DONE,)))


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
    """The statements. `_tokens[i]` are the wires that bring task i the tokens of the tasks before it."""

    def __init__(self, builder: NetBuilder, tasks: Sequence[Task]) -> None:
        self.builder = builder
        self.has_joins = False
        self._tasks = tasks
        self._tokens: list[list[int]] = [[] for _ in tasks]
        self._dependents: list[list[int]] = [[] for _ in tasks]
        self._last_tokens: list[int] = []
        for index, task in enumerate(tasks):
            for earlier in task.after:
                self._dependents[earlier].append(index)

    def build(self) -> None:
        for index, task in enumerate(self._tasks):
            self.builder.statement(*self._statement(index, task))
        self._finish()

    def _statement(self, index: int, task: Task) -> list[Connection]:
        before, start = self._start(self._tokens[index])
        sink = self._sink(index)
        agent = self.builder.agent(task.agent)
        self.builder.interactions += task.tiles + (task.tiles - 1)
        if task.tiles == 1:
            return [*before, (start, [agent, *sink, LITERAL, 0])]
        results = self.builder.wires(task.tiles)
        tiles = [[agent, int(result), LITERAL, tile] for tile, result in enumerate(results)]
        joins, root = self._join(results.tolist())
        return [*before, (start, balanced_fan_out(tiles)), *joins, ([root], sink)]

    def _start(self, tokens: list[int]) -> tuple[list[Connection], Words]:
        """Connections that join the tokens, and the term that starts the task."""
        if not tokens:
            return [], [self.builder.agent(READY.name), LITERAL, 0]
        joins, root = self._join(tokens)
        return joins, [root]

    def _sink(self, index: int) -> Words:
        """The term that takes a task's token to the tasks that wait for it, or to the end."""
        wires = self.builder.wires(max(1, len(self._dependents[index]))).tolist()
        for dependent, wire in zip(self._dependents[index], wires, strict=False):
            self._tokens[dependent].append(wire)
        if not self._dependents[index]:
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
        """Joins the tokens that no task waits for into the output."""
        if not self._tasks:
            done = self.builder.wire()
            self.builder.statement(([done], [self.builder.agent(READY.name), LITERAL, 0]))
        else:
            joins, done = self._join(self._last_tokens)
            if joins:
                self.builder.statement(*joins)
        self.builder.name(done, DONE)
