"""Tasks: units, work, names, tiles, dependencies."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import (
    AllocActivation,
    Function,
    Instruction,
    IRValue,
    Mutability,
    Operand,
    Register,
    Role,
    storage,
)
from inbundle.ir.memory import MemoryPlan, Place
from inbundle.ir.passes import optimize
from inbundle.ir.planner import plan
from inbundle.ir.stacks import stacked
from inbundle.ir.tasks import Task, native_names, schedule
from inbundle.ir.tiling import Tiling
from inbundle.ir.units import Split, splits, units, work
from inbundle.lowering import lower
from ir_interpreter import run
from random_graphs import random_graph, random_inputs


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def own_bytes(function: Function, shared: dict[AllocActivation, int] | None = None) -> MemoryPlan:
    """A plan without reuse, but buffers of `shared` start at the given offsets."""
    plan = MemoryPlan()
    for index, variable in enumerate(function.variables):
        region = "constantWeight" if variable.mutability is Mutability.CONST else "mutableWeight"
        plan.places[variable] = Place(region, index << 20, variable.type.bytes)
    for index, step in enumerate(function.code):
        if isinstance(buffer := getattr(step, "buffer", None), AllocActivation):
            offset = (shared or {}).get(buffer, (index + 1) << 20)
            plan.places[buffer] = Place("activations", offset, buffer.type.bytes)
    return plan


def after(function: Function, shared: dict[AllocActivation, int] | None = None) -> list[tuple[int, ...]]:
    return [task.after for task in schedule(function, own_bytes(function, shared))]


@pytest.mark.parametrize(
    ("kind", "shapes", "attributes", "expected_units", "expected_work"),
    [
        ("convolution", [(2, 6, 4, 4), (2, 3, 6, 6), (6, 3, 3, 3)], {"Group": 1}, 12, 192 * 27),
        ("convolution", [(2, 6, 4, 4), (2, 6, 6, 6), (6, 1, 3, 3)], {"Group": 6}, 12, 192 * 9),
        ("maxpool", [(1, 3, 2, 2), (1, 3, 4, 4)], {"Kernels": (2, 2)}, 3, 48),
        ("fullyconnected", [(4, 5), (7, 4), (7, 5)], {"TransA": True, "TransB": False}, 20, 140),
        ("fullyconnected", [(4, 5), (4, 7), (5, 7)], {"TransA": False, "TransB": True}, 20, 140),
        ("matmul", [(2, 4, 5), (2, 4, 7), (7, 5)], {}, 40, 280),
        ("add", [(2, 3), (2, 3), (3,)], {}, 6, 6),
        ("softmax", [(2, 3, 4), (2, 3, 4)], {"Axis": 1}, 8, 24),
        ("batchnormalization", [(2, 3, 4), (2, 3, 4), (3,), (3,), (3,), (3,)], {}, 6, 24),
        ("reducesum", [(2,), (2, 9)], {"Axes": (1,)}, 2, 18),
        ("inserttensor", [(4, 4), (2, 4)], {"Offsets": (0, 0)}, 8, 8),
        ("splat", [()], {"Value": 0.0}, 1, 1),
        ("transpose", [(0, 3), (3, 0)], {"Shuffle": (1, 0)}, 0, 0),
    ],
)
def test_units_and_work_follow_the_outermost_loop_and_the_products(
    kind: str, shapes: list[tuple[int, ...]], attributes: dict, expected_units: int, expected_work: int
) -> None:
    function = Function("f")
    values: list[IRValue] = [function.alloc(f"v{i}", floats(*shape)) for i, shape in enumerate(shapes)]
    step = function.emit(kind, "step", values, attributes)
    assert units(step) == expected_units
    assert work(step) == expected_work


def test_names_count_per_kind_and_skip_instructions_without_work() -> None:
    function = Function("f")
    a, b, empty = (function.alloc(name, floats(size)) for name, size in (("a", 4), ("b", 4), ("e", 0)))
    function.emit("splat", "s1", [a], {"Value": 0.0})
    function.emit("splat", "s2", [empty], {"Value": 0.0})
    function.emit("relu", "r", [b, a])
    function.emit("splat", "s3", [a], {"Value": 1.0})
    assert list(native_names(function).values()) == ["splat1", "relu1", "splat2"]
    tasks = schedule(function, own_bytes(function))
    assert [task.agent for task in tasks] == ["Splat1", "Relu1", "Splat2"]


def test_reads_after_writes_are_ordered_and_reduced_transitively() -> None:
    function = Function("f")
    x = function.variable("x", floats(4), Mutability.MUTABLE)
    a, b, c = (function.alloc(name, floats(4)) for name in "abc")
    function.emit("relu", "r1", [a, x])
    function.emit("relu", "r2", [b, a])
    function.emit("add", "s", [c, a, b])  # reads r1's result too, but r2 has waited for it
    function.emit("relu", "r3", [function.alloc("d", floats(4)), x])
    assert after(function) == [(), (0,), (1,), ()]


def test_a_reused_buffer_waits_for_its_earlier_readers() -> None:
    function = Function("f")
    x = function.variable("x", floats(4), Mutability.MUTABLE)
    a, b, c = (function.alloc(name, floats(4)) for name in "abc")
    function.emit("relu", "r1", [a, x])
    function.emit("relu", "r2", [b, a])
    function.emit("abs", "r3", [c, x])  # c overlaps a
    assert after(function, {a: 0, c: 12}) == [(), (0,), (1,)]
    assert after(function, {a: 0, c: 16}) == [(), (0,), ()]


def test_a_view_counts_as_the_bytes_behind_it() -> None:
    function = Function("f")
    a = function.alloc("a", floats(8))
    low, high = function.view(a, floats(2, 2)), function.view(a, floats(4), offset=4)
    function.emit("splat", "s1", [low], {"Value": 0.0})
    function.emit("splat", "s2", [high], {"Value": 0.0})
    function.emit("relu", "r", [function.alloc("b", floats(8)), a])
    assert after(function) == [(), (), (0, 1)]


def test_disjoint_inserts_wait_for_what_was_before_but_not_for_each_other() -> None:
    function = Function("f")
    x = function.variable("x", floats(2, 2), Mutability.MUTABLE)
    old, buffer = function.alloc("old", floats(2, 4)), function.alloc("buffer", floats(2, 4))
    function.emit("splat", "s", [old], {"Value": 0.0})
    function.emit("inserttensor", "i1", [buffer, x], {"Offsets": (0, 0)})
    function.emit("inserttensor", "i2", [buffer, x], {"Offsets": (0, 2)})
    function.emit("inserttensor", "i3", [buffer, x], {"Offsets": (0, 1)})
    function.emit("relu", "r", [function.alloc("b", floats(2, 4)), buffer])
    assert after(function, {old: 0, buffer: 0}) == [(), (0,), (0,), (1, 2), (3,)]


def waits(function: Function, tiles: int, split: Split = Split.ROWS) -> list[list[list[int]]]:
    """Per task and tile: the tiles of the task before that it waits for."""
    cuts = {step: Tiling(split, tiles) for step in function.instructions() if split in splits(step)}
    tasks = schedule(function, own_bytes(function), cuts)
    assert all(earlier == index - 1 for index, task in enumerate(tasks) for wait in task.waits for earlier, _ in wait)
    return [[[tile for _, tile in wait] for wait in task.waits] for task in tasks]


def images(
    function: Function, *steps: tuple[str, int, int, int], height: int = 8, batch: int = 1, depth: int = 16
) -> None:
    """A chain of channels-last windows: kind, kernel, stride, pad."""
    value = function.alloc("image", floats(batch, height, 8, depth))
    function.emit("splat", "s", [value], {"Value": 0.0})
    for index, (kind, kernel, stride, pad) in enumerate(steps):
        height = (height + 2 * pad - kernel) // stride + 1
        attributes = {"Kernels": (kernel,) * 2, "Strides": (stride,) * 2, "Pads": (pad,) * 4, "Dilations": (1, 1)}
        dest = function.alloc(f"image{index}", floats(batch, height, height, depth))
        weights = [function.variable(name, floats(36, 16), Mutability.CONST) for name in "fb"]
        function.emit(kind, f"w{index}", [dest, value, *(weights if "pool" not in kind else [])], attributes)
        value = dest


def test_a_window_waits_for_the_rows_that_it_reads() -> None:
    function = Function("f")
    images(function, ("nhwcconvolution", 3, 1, 1), ("nhwcmaxpool", 2, 2, 0), ("nhwcdepthwise", 3, 1, 1))
    assert waits(function, 4)[1] == [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]
    assert waits(function, 4)[2:] == [[[0], [1], [2], [3]], [[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]]
    assert waits(function, 2)[1:] == [[[0, 1], [0, 1]], [[0], [1]], [[0, 1], [0, 1]]]


def test_images_of_a_batch_do_not_wait_for_each_other() -> None:
    function = Function("f")
    images(function, ("nhwcconvolution", 3, 1, 1), ("nhwcwinograd", 3, 1, 1), batch=2)
    assert waits(function, 2) == [[[], []], [[0], [1]], [[0], [1]]]


def test_winograd_tiles_wait_for_the_rows_of_their_blocks() -> None:
    function = Function("f")
    images(function, ("nhwcwinograd", 3, 1, 1), ("nhwcwinograd", 3, 1, 1), height=16)
    assert waits(function, 4)[1:] == [[[0, 1], [0, 1, 2], [1, 2, 3], [2, 3]]] * 2


def test_winograd_tiles_of_some_channels_wait_for_all_of_the_image() -> None:
    function = Function("f")
    images(function, ("nhwcwinograd", 3, 1, 1), ("nhwcwinograd", 3, 1, 1), depth=32)
    assert waits(function, 2, Split.CHANNELS)[1:] == [[[0], [0]], [[0, 1], [0, 1]]]


def test_depthwise_tiles_of_some_channels_wait_for_all_of_the_image() -> None:
    function = Function("f")
    images(function, ("nhwcdepthwise", 3, 1, 1), ("nhwcdepthwise", 3, 1, 1), depth=32)
    assert waits(function, 2, Split.CHANNELS)[1:] == [[[0], [0]], [[0, 1], [0, 1]]]


def test_whoever_reads_all_channels_waits_for_all_tiles() -> None:
    function = Function("f")
    values = [function.alloc(f"v{index}", floats(1, 64)) for index in range(3)]
    weights = [function.variable(name, floats(64, 64), Mutability.CONST) for name in "wb"]
    function.emit("splat", "s", [values[0]], {"Value": 0.0})
    function.emit("packedproduct", "p1", [values[1], values[0], *weights])
    function.emit("packedproduct", "p2", [values[2], values[1], *weights])
    function.emit("relu", "r", [function.alloc("y", floats(1, 64)), values[2]])
    assert waits(function, 2, Split.CHANNELS) == [[[]], [[0], [0]], [[0, 1], [0, 1]], [[0, 1]]]
    assert waits(function, 2)[3] == [[0], [0]]


def test_one_that_inserts_its_result_waits_for_what_lies_where_its_scratch_is() -> None:
    function = Function("f")
    both, scratch, other = (function.alloc(name, floats(1, 8, 8, 32)) for name in ("both", "scratch", "other"))
    images(function, ("nhwcwinograd", 3, 1, 1))
    winograd = function.instructions()[-1]
    register = Register("register", winograd["Dest"].type)
    winograd.operands |= {"Dest": Operand(Role.OUT, register), "Scratch": Operand(Role.OUT, scratch)}
    insert = function.emit("inserttensor", "i", [both, register], {"Offsets": (0, 0, 0, 0)})
    function.code = [*function.code[:-2], stacked([winograd, insert])]
    function.emit("splat", "s", [other], {"Value": 0.0})
    assert [task.after for task in schedule(function, own_bytes(function))][-2:] == [(0,), ()]
    assert [task.after for task in schedule(function, own_bytes(function, {scratch: 0, other: 0}))][-1] == (1,)


def test_inserts_in_tiles_wait_for_the_tiles_of_their_sources() -> None:
    function = Function("f")
    x = function.variable("x", floats(8, 2), Mutability.MUTABLE)
    a, b, both = (function.alloc(name, floats(8, size)) for name, size in (("a", 2), ("b", 2), ("both", 4)))
    function.emit("relu", "r1", [a, x])
    function.emit("relu", "r2", [b, x])
    function.emit("inserttensor", "i1", [both, a], {"Offsets": (0, 0)})
    function.emit("inserttensor", "i2", [both, b], {"Offsets": (0, 2)})
    function.emit("relu", "r3", [function.alloc("y", floats(8, 4)), both])
    tasks = schedule(function, own_bytes(function), {step: Tiling(Split.ROWS, 2) for step in function.instructions()})
    assert [task.waits for task in tasks[2:4]] == [(((0, 0),), ((0, 1),)), (((1, 0),), ((1, 1),))]
    assert tasks[4].waits == (((2, 0), (3, 0)), ((2, 1), (3, 1)))


def test_inserts_into_different_buffers_on_the_same_bytes_wait_for_each_other() -> None:
    function = Function("f")
    x = function.variable("x", floats(2), Mutability.MUTABLE)
    a, b = function.alloc("a", floats(4)), function.alloc("b", floats(4))
    function.emit("inserttensor", "i1", [a, x], {"Offsets": (2,)})
    function.emit("inserttensor", "i2", [b, x], {"Offsets": (0,)})
    assert after(function, {a: 0, b: 8}) == [(), (0,)]


@st.composite
def programs(draw: st.DrawFn) -> tuple[Function, dict[AllocActivation, int]]:
    """Random element-wise programs on a few buffers that overlap at random."""
    function = Function("f")
    buffers = [function.alloc(f"b{i}", floats(draw(st.integers(1, 4)))) for i in range(4)]
    offsets = {buffer: 4 * draw(st.integers(0, 8)) for buffer in buffers}
    for index in range(draw(st.integers(1, 8))):
        dest, left, right = (draw(st.sampled_from(buffers)) for _ in range(3))
        function.emit("add", f"s{index}", [dest, left, right])
    return function, offsets


@given(programs())
@settings(max_examples=100, deadline=None)
def test_every_conflicting_pair_is_ordered_and_no_edge_is_superfluous(
    program: tuple[Function, dict[AllocActivation, int]],
) -> None:
    function, offsets = program

    def touched(value: IRValue) -> set[int]:
        base, _ = storage(value)
        assert isinstance(base, AllocActivation)
        return set(range(offsets[base], offsets[base] + value.type.bytes))

    tasks = schedule(function, own_bytes(function, offsets))
    reach = np.zeros((len(tasks), len(tasks)), dtype=bool)
    for i, task in enumerate(tasks):
        for j in task.after:
            assert not any(reach[k, j] for k in task.after)
            reach[i, j] = True
            reach[i] |= reach[j]
        write = touched(task.instruction["Dest"])
        read = set().union(*map(touched, task.instruction.reads()))
        for j in range(i):
            earlier = tasks[j].instruction
            read_j = set().union(*map(touched, earlier.reads()))
            write_j = touched(earlier["Dest"])
            assert reach[i, j] or not (write & write_j or write & read_j or read & write_j)


def shuffled(tasks: list[Task], rng: random.Random) -> list[Instruction]:
    """A random order that the dependencies allow, late tasks preferred."""
    done: set[int] = set()
    order = []
    while len(done) < len(tasks):
        ready = [i for i, task in enumerate(tasks) if i not in done and done.issuperset(task.after)]
        chosen = max(rng.choices(ready, k=2))
        done.add(chosen)
        order.append(tasks[chosen].instruction)
    return order


@pytest.mark.parametrize("seed", range(30))
def test_any_order_that_the_dependencies_allow_gives_the_same_result_on_shared_memory(seed: int) -> None:
    graph = random_graph(seed, nodes=16)
    inputs = random_inputs(graph, seed)
    function = lower(graph)
    optimize(function)
    made = plan(function)
    expected = run(function, inputs, made)
    tasks = schedule(function, made)
    for attempt in range(3):
        got = run(function, inputs, made, shuffled(tasks, random.Random(attempt)))
        for name, value in expected.items():
            np.testing.assert_array_equal(got[name], value)
