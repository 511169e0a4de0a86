"""Tile nets: every tile is called once, after what it waits for, whatever the order of reduction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reducer import Reducer

from inbundle.ir.function import Instruction
from inbundle.ir.tasks import Task
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import Net, Program
from inbundle.nets.tile import translate

THREADS = 2


@st.composite
def task_lists(draw: st.DrawFn) -> list[Task]:
    tasks: list[Task] = []
    for index in range(draw(st.integers(0, 7))):
        earlier = [(task, tile) for task, known in enumerate(tasks) for tile in range(known.tiles)]
        some = st.sets(st.sampled_from(earlier), max_size=4) if earlier else st.just(set())
        waits = [tuple(sorted(draw(some))) for _ in range(draw(st.integers(1, 4)))]
        if draw(st.booleans()):  # tiles that wait for the same are one group
            waits = [waits[0]] * len(waits)
        tasks.append(make_task(index, *waits))
    return tasks


def make_task(index: int, *waits: tuple[tuple[int, int], ...]) -> Task:
    """Task number `index`, with a tile for each of `waits`."""
    return Task(Instruction("relu", f"node{index}", {}), f"relu{index + 1}", f"Relu{index + 1}", waits)


def run(tasks: list[Task], program: Program, seed: int, fails: dict[tuple[int, int], int]) -> tuple[Reducer, list]:
    """The reducer after the run, and the calls (task, tile) in order."""
    calls: list[tuple[int, int]] = []

    def native(index: int) -> Callable[[int], int]:
        def call(tile: int) -> int:
            calls.append((index, tile))
            return fails.get((index, tile), 0)

        return call

    reducer = Reducer(program, {task.native: native(i) for i, task in enumerate(tasks)}, seed=seed)
    reducer.run()
    return reducer, calls


@given(task_lists(), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_every_tile_runs_once_after_its_predecessors(tasks: list[Task], seed: int) -> None:
    program = translate(tasks, name="t", threads=THREADS)
    for whole in (program, one_statement(program)):
        reducer, calls = run(tasks, whole, seed, {})
        assert sorted(calls) == [(i, t) for i, task in enumerate(tasks) for t in range(task.tiles)]
        for place, (index, tile) in enumerate(calls):
            finished = calls[:place]
            assert set(tasks[index].waits[tile]) <= set(finished)
        assert reducer.value("done") == 0


def one_statement(program: Program) -> Program:
    """The same net with all statements at once, so that any order of reduction may happen."""
    net = Net(program.net.code, program.net.starts[[0, -1]], program.net.names)
    return Program(program.name, program.agents, program.rules, program.natives, net, outputs=program.outputs)


@given(task_lists(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_counts_are_exact(tasks: list[Task], seed: int) -> None:
    program = translate(tasks, name="t", threads=THREADS)
    reducer, _ = run(tasks, program, seed, {})
    assert reducer.interactions == program.net.interactions
    assert program.net.live is not None
    assert reducer.settled == program.net.live.tolist()


@given(task_lists(), st.data())
@settings(max_examples=60, deadline=None)
def test_an_error_reaches_done_and_stops_what_waits_for_it(tasks: list[Task], data: st.DataObject) -> None:
    tiles = [(i, t) for i, task in enumerate(tasks) for t in range(task.tiles)]
    if not tiles:
        return
    failing = data.draw(st.sampled_from(tiles))
    reducer, calls = run(tasks, translate(tasks, name="t", threads=THREADS), 1, {failing: 5})
    assert reducer.value("done") == 5
    stopped = {failing}
    for index, task in enumerate(tasks):
        stopped |= {(index, tile) for tile, waits in enumerate(task.waits) if stopped & set(waits)}
    assert set(calls) == set(tiles) - (stopped - {failing})


def test_of_two_errors_the_first_that_is_not_zero_is_kept() -> None:
    tasks = [make_task(0, ()), make_task(1, ()), make_task(2, ())]
    program = translate(tasks, name="t", threads=1)
    reducer, _ = run(tasks, program, 0, {(1, 0): 3, (2, 0): 4})
    assert reducer.value("done") == 3


def test_a_chain_reads_one_statement_per_task() -> None:
    tasks = [make_task(i, ((i - 1, 0),) if i else ()) for i in range(4)]
    program = translate(tasks, name="chain", threads=1)
    assert len(program.net.starts) - 1 == 4
    assert program.net.interactions == 4
    assert program.outputs == ("done",)
    assert program.dialect == "int"


def test_tiles_that_wait_for_the_same_share_a_join() -> None:
    tasks = [make_task(0, (), ()), make_task(1, *[((0, 0), (0, 1))] * 3)]
    program = translate(tasks, name="t", threads=THREADS)
    tiles, dups, joins = 5, 1 + 2, 1 + 2  # the last tokens are joined, too
    assert program.net.interactions == tiles + dups + 2 * joins


@given(task_lists())
@settings(max_examples=30, deadline=None)
def test_scripts_read_back(tasks: list[Task]) -> None:
    program = translate(tasks, name="t", threads=THREADS)
    assert parse(to_script(program), "t") == program


def test_no_task_is_done_at_once() -> None:
    program = translate([], name="empty", threads=1)
    reducer, calls = run([], program, 0, {})
    assert not calls
    assert reducer.value("done") == 0
    assert np.array_equal(program.net.live, [2])


def test_one_thread_has_one_tile_per_task() -> None:
    with pytest.raises(AssertionError):
        translate([make_task(0, (), ())], name="t", threads=1)
