"""The memory planner: order of variables, and activations that never get into each other's way."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Mutability, WeightVar
from inbundle.ir.memory import MemoryPlan, Place
from inbundle.ir.packing import Life, fullest_moment, pack, total
from inbundle.ir.planner import lives_of, plan
from inbundle.lowering import lower
from random_graphs import random_graph


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def constant(function: Function, name: str, *shape: int) -> WeightVar:
    return function.variable(name, floats(*shape), Mutability.CONST, np.zeros(shape, np.float32))


def mutable(function: Function, name: str, *shape: int) -> WeightVar:
    return function.variable(name, floats(*shape), Mutability.MUTABLE)


def offsets(made: MemoryPlan, region: str) -> dict[str, int]:
    return {value.name: place.offset for value, place in made.places.items() if place.region == region}


def test_constants_lie_in_the_order_of_their_first_read_and_empty_ones_take_64_bytes() -> None:
    function = Function("f")
    late, empty, early = constant(function, "late", 17), constant(function, "empty", 0), constant(function, "early", 1)
    unread = constant(function, "unread", 2)
    y = mutable(function, "y", 17)
    function.emit("add", "s1", [y, early, late])
    function.emit("copy", "s2", [y, empty])
    made = plan(function)
    assert offsets(made, "constantWeight") == {"early": 0, "late": 64, "empty": 192, "unread": 256}
    assert made.constant_bytes == 320
    assert made.places[unread] == Place("constantWeight", 256, 8)


def test_placeholders_lie_as_inputs_in_and_outs_outputs_neither_each_by_first_use() -> None:
    function = Function("f")
    other, out2, out1, both, in2, in1 = (mutable(function, name, 1) for name in ("o", "y2", "y1", "b", "x2", "x1"))
    function.inputs += [in1, in2, both]
    function.outputs += [out1, out2, both]
    function.emit("add", "s1", [out2, in2, in1])
    function.emit("add", "s2", [out1, both, other])
    made = plan(function)
    assert offsets(made, "mutableWeight") == {"x2": 0, "x1": 64, "b": 128, "y2": 192, "y1": 256, "o": 320}
    assert (made.mutable_bytes, made.activation_bytes, made.constant_bytes) == (384, 0, 0)


def test_a_view_lies_inside_its_buffer() -> None:
    function = Function("f")
    buffer = function.alloc("buffer", floats(4, 4))
    view = function.view(function.view(buffer, floats(3, 4), offset=4), floats(4), offset=8)
    function.code.append(Dealloc(buffer))
    assert plan(function).place(view) == Place("activations", 48, 16)


def test_a_plan_can_drop_the_activations_and_the_constants() -> None:
    function = Function("f")
    c, y = constant(function, "c", 4), mutable(function, "y", 4)
    buffer = function.alloc("b", floats(4))
    function.emit("relu", "r1", [buffer, c])
    function.emit("relu", "r2", [y, buffer])
    function.code.append(Dealloc(buffer))
    made = plan(function)
    kept = made.without_activations(constants=True)
    assert (set(kept.places), kept.constant_bytes, kept.mutable_bytes, kept.activation_bytes) == ({c, y}, 64, 64, 0)
    bare = made.without_activations(constants=False)
    assert (set(bare.places), bare.constant_bytes, bare.mutable_bytes, bare.activation_bytes) == ({y}, 0, 64, 0)


def life_cycle(sizes: list[int], code: str) -> Function:
    """Code as `+a +b -a`: buffers a, b … of the given numbers of floats are allocated and freed."""
    function = Function("f")
    buffers: dict[str, AllocActivation] = {}
    for word in code.split():
        if word[0] == "+":
            buffers[word[1]] = function.alloc(word[1], floats(sizes[ord(word[1]) - ord("a")]))
        else:
            function.code.append(Dealloc(buffers[word[1]]))
    return function


def test_buffers_that_do_not_meet_share_bytes() -> None:
    function = life_cycle([16, 32, 16], "+a +b -a +c -b -c")
    made = plan(function)
    assert made.activation_bytes == 192
    assert plan(function, reuse=False).activation_bytes == 256


def test_a_buffer_freed_where_another_begins_is_not_shared_by_both() -> None:
    function = life_cycle([16, 16], "+a +b -a -b")
    assert plan(function).activation_bytes == 128


@pytest.mark.parametrize(
    ("how", "sizes", "code", "units"),
    [
        ("fullest moment first", [64, 48, 48, 48, 32, 64], "+a +b +c +d -d +e -c +f -f -a -b -e", 13),
        ("program order", [64, 64, 16, 48, 64], "+a -a +b +c -b +d -c +e -d -e", 7),
        ("the highest first, again and again", [32, 48, 32, 48, 32, 48], "+a -a +b -b +c +d -d +e -c +f -e -f", 5),
    ],
)
def test_each_way_of_packing_finds_what_the_others_do_not(how: str, sizes: list[int], code: str, units: int) -> None:
    """Units are 64 bytes; nothing smaller is possible."""
    function = life_cycle(sizes, code)
    assert plan(function).activation_bytes == fullest_moment(lives_of(function)) == 64 * units, how


def test_the_region_is_hardly_larger_than_the_fullest_moment() -> None:
    rng = random.Random(1)
    for count in (5, 20, 40):
        for _ in range(20):
            starts = sorted(rng.randrange(2 * count) for _ in range(count))
            lives = [
                Life(AllocActivation("b", floats(1)), start, start + rng.randrange(1, count), 64 * rng.randrange(1, 40))
                for start in starts
            ]
            assert total(pack(lives)) <= 1.15 * fullest_moment(lives)


def test_scratch_of_no_elements_takes_no_bytes() -> None:
    made = plan(life_cycle([0, 16], "+a +b -a -b"))
    assert made.activation_bytes == 64


@st.composite
def programs(draw: st.DrawFn) -> Function:
    """Buffers of random sizes with random, properly nested or overlapping lives."""
    function = Function("f")
    alive: list[AllocActivation] = []
    for index in range(draw(st.integers(0, 14))):
        alive.append(function.alloc(f"b{index}", floats(draw(st.integers(0, 100)))))
        while alive and draw(st.booleans()):
            function.code.append(Dealloc(alive.pop(draw(st.integers(0, len(alive) - 1)))))
    function.code += [Dealloc(buffer) for buffer in alive]
    return function


def live_sets(function: Function) -> list[set[AllocActivation]]:
    alive: set[AllocActivation] = set()
    moments = []
    for step in function.code:
        if isinstance(step, Alloc):
            alive.add(step.buffer)
        elif isinstance(step, Dealloc):
            alive.discard(step.buffer)
        moments.append(set(alive))
    return moments


def padded(buffer: AllocActivation) -> int:
    return (buffer.type.bytes + 63) // 64 * 64


@example(life_cycle([80, 32, 16, 48, 64, 96], "+a +b -a +c -b +d +e -d -c +f -f -e"), True)  # taken bytes nest
@given(programs(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_two_live_buffers_overlap_and_the_region_is_as_large_as_it_must_be(function: Function, reuse: bool) -> None:
    made = plan(function, reuse=reuse)
    moments = live_sets(function)
    for alive in moments:
        spans = sorted((made.place(b).offset, made.place(b).offset + padded(b)) for b in alive if b.type.bytes)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
        assert all(start % 64 == 0 and end <= made.activation_bytes for start, end in spans)
    everything = [step.buffer for step in function.code if isinstance(step, Alloc)]
    least = max((sum(map(padded, alive)) for alive in moments), default=0)
    total = sum(map(padded, everything))
    assert least <= made.activation_bytes <= total
    assert made.activation_bytes % 64 == 0
    if not reuse:
        assert made.activation_bytes == total
    assert plan(function, reuse=reuse) == made


@pytest.mark.parametrize("seed", range(5))
def test_reuse_saves_memory_on_a_chain(seed: int) -> None:
    function = lower(random_graph(seed, nodes=20))
    assert plan(function).activation_bytes < plan(function, reuse=False).activation_bytes
