"""Kernels of whole random graphs, as the IR passes leave them, against the interpreter of the graph as lowered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_batch import build, content, cut_in_tiles, mutable_after_run, write_regions

from inbundle.difference import difference
from inbundle.graph.types import ElemKind, TensorType, of_array
from inbundle.ir.function import Function, Mutability
from inbundle.ir.passes import hoist_dealloc, optimize
from inbundle.ir.passes.add_scratch import add_scratch
from inbundle.ir.planner import plan as plan_memory
from inbundle.lowering import lower
from ir_interpreter import Memory, run
from random_graphs import random_graph, random_inputs

UNITS = {"scalar": (), "vector": ("avx512", "avx2", "sse2")}


def check(seed: int, vectors: tuple[str, ...], folder: Path) -> None:
    graph = random_graph(seed, nodes=24)
    inputs = random_inputs(graph, seed)
    check_function(lower(graph), run(lower(graph), inputs), inputs, vectors, folder)


def check_function(
    function: Function,
    expected: dict[str, np.ndarray],
    inputs: dict[str, np.ndarray],
    vectors: tuple[str, ...],
    folder: Path,
) -> None:
    """The function, optimised and compiled, computes what is expected, in one tile and in several."""
    optimize(function, vectors=bool(vectors))
    add_scratch(function, cut_in_tiles(function))
    plan = plan_memory(function)
    memory = Memory(function, None)
    for variable in function.inputs:
        memory.array(variable)[...] = inputs[variable.name]
    build(function, plan, folder, vectors)
    write_regions(function, plan, memory, folder)
    once, tiled = mutable_after_run(folder), mutable_after_run(folder, "tiled")
    assert once == tiled
    for variable in function.outputs:
        found = difference(content(variable, plan, once), expected[variable.name], variable.name)
        assert not found.is_failure, f"{folder.name}: {found}"


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(6, 300))]
)
@pytest.mark.parametrize("units", UNITS)
def test_kernels_compute_what_the_graph_says(seed: int, units: str, tmp_path: Path) -> None:
    check(seed, UNITS[units], tmp_path)


def residual(size: int) -> Function:
    """Two convolutions after another, and what they began with added to what they give."""
    function = Function("residual")
    image = TensorType(ElemKind.FLOAT, (1, 32, 13, 13))
    random = np.random.default_rng(size)
    data = (random.standard_normal((32, 32, size, size)) / (5 * size)).astype(np.float32)
    x, y = (function.variable(name, image, Mutability.MUTABLE) for name in "xy")
    function.inputs, function.outputs = [x], [y]
    filters = function.variable("filters", of_array(data), Mutability.CONST, data)
    attributes = {
        "Kernels": data.shape[2:],
        "Strides": (1, 1),
        "Pads": (size // 2,) * 4,
        "Dilations": (1, 1),
        "Group": 1,
    }
    kept, first, second, total = (function.alloc(name, image) for name in ("kept", "first", "second", "total"))
    function.emit("convolution", "conv1", [kept, x, filters], attributes)
    function.emit("convolution", "conv2", [first, kept, filters], attributes)
    function.emit("convolution", "conv3", [second, first, filters], attributes)
    function.emit("add", "add", [total, second, kept])
    function.emit("copy", "y_save", [y, total])
    hoist_dealloc(function)
    return function


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("size", [1, 3, 7])
def test_a_skip_keeps_its_bytes_until_a_convolution_has_read_them(size: int, units: str, tmp_path: Path) -> None:
    inputs = {"x": np.random.default_rng(1).standard_normal((1, 32, 13, 13)).astype(np.float32)}
    check_function(residual(size), run(residual(size), inputs), inputs, UNITS[units], tmp_path)
