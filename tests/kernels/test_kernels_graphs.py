"""Kernels of whole random graphs, as the IR passes leave them, against the interpreter of the graph as lowered."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_batch import build, content, mutable_after_run, write_regions

from inbundle.difference import difference
from inbundle.ir.passes import optimize
from inbundle.ir.planner import plan as plan_memory
from inbundle.lowering import lower
from ir_interpreter import Memory, run
from random_graphs import random_graph, random_inputs


def check(seed: int, folder: Path) -> None:
    graph = random_graph(seed, nodes=24)
    inputs = random_inputs(graph, seed)
    expected = run(lower(graph), inputs)
    function = lower(graph)
    optimize(function)
    plan = plan_memory(function)
    memory = Memory(function, None)
    for variable in function.inputs:
        memory.array(variable)[...] = inputs[variable.name]
    build(function, plan, folder)
    write_regions(function, plan, memory, folder)
    once, tiled = mutable_after_run(folder), mutable_after_run(folder, "tiled")
    assert once == tiled
    for variable in function.outputs:
        found = difference(content(variable, plan, once), expected[variable.name], variable.name)
        assert not found.is_failure, f"seed {seed}: {found}"


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(6, 300))]
)
def test_kernels_compute_what_the_graph_says(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)
