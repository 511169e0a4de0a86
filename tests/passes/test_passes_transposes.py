"""SinkTransposes and MergeTransposes."""

from __future__ import annotations

import numpy as np
import pytest
from pass_checks import Maker, run_pass

from inbundle.graph.graph import Attribute, Graph, Value
from inbundle.passes import optimize
from inbundle.passes.sink_transposes import sink_transposes
from inbundle.passes.transposes import merge_transposes

SHAPES = ((2, 3, 4, 5), (3, 1, 2), (4, 3))


def _permutation(maker: Maker, rank: int) -> tuple[int, ...]:
    return tuple(int(axis) for axis in maker.rng.permutation(rank))


def _both(graph: Graph) -> None:
    sink_transposes(graph)
    merge_transposes(graph)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_two_transposes_become_at_most_one(shape: tuple[int, ...], seed: int) -> None:
    maker = Maker(seed)
    first, second = (_permutation(maker, len(shape)) for _ in range(2))
    x = maker.input(*shape)
    graph = maker.shown(maker.add("Transpose", maker.add("Transpose", x, perm=first), perm=second))
    left = run_pass(merge_transposes, graph)
    perm = tuple(first[axis] for axis in second)
    moved = [axis for axis in perm if shape[axis] != 1]
    assert left == (
        [] if perm == tuple(range(len(shape))) else ["Transpose"] if moved != sorted(moved) else ["Reshape"]
    )


def test_what_others_read_stays() -> None:
    maker = Maker()
    first = maker.add("Transpose", maker.input(2, 3, 4), perm=(1, 2, 0))
    graph = maker.shown(first, maker.add("Transpose", first, perm=(1, 2, 0)))
    assert run_pass(merge_transposes, graph) == ["Transpose", "Transpose"]
    assert graph.nodes[1].inputs == graph.inputs


def test_two_reshapes_become_one() -> None:
    maker = Maker()
    first = maker.add("Reshape", maker.input(2, 3, 4), shape=(6, 4))
    assert run_pass(merge_transposes, maker.shown(maker.add("Reshape", first, shape=(4, 6)))) == ["Reshape"]


@pytest.mark.parametrize(
    ("flat", "perm", "stack", "left"),
    [
        ((6, 4, 5), (0, 2, 1), (2, 3, 5, 4), ["Transpose"]),
        ((6, 4, 5), (0, 2, 1), (3, 2, 5, 4), ["Reshape", "Transpose", "Reshape"]),
        ((6, 4, 5), (2, 1, 0), (2, 3, 5, 4), ["Reshape", "Transpose", "Reshape"]),
        ((2, 12, 5), (0, 2, 1), (2, 3, 5, 4), ["Reshape", "Transpose", "Reshape"]),
    ],
)
def test_a_stack_of_matrices_is_not_flattened_to_be_transposed(
    flat: tuple[int, ...], perm: tuple[int, ...], stack: tuple[int, ...], left: list[str]
) -> None:
    maker = Maker()
    y = maker.add("Transpose", maker.add("Reshape", maker.input(2, 3, 4, 5), shape=flat), perm=perm)
    assert run_pass(merge_transposes, maker.shown(maker.add("Reshape", y, shape=stack))) == left


@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_gemm_transposes_by_itself(flags: tuple[bool, bool]) -> None:
    maker = Maker()
    a, b = maker.input(*((4, 5) if flags[0] else (5, 4))), maker.input(*((5, 3) if flags[1] else (3, 5)))
    a, b = (maker.add("Transpose", value, perm=(1, 0)) for value in (a, b))
    if flags[0]:
        a = maker.add("Transpose", maker.input(4, 5), perm=(1, 0))
    y = maker.add("Gemm", a, b, maker.constant(3), transA=flags[0], transB=flags[1], alpha=0.5, beta=2.0)
    assert run_pass(merge_transposes, maker.shown(y)) == ["Gemm"]


@pytest.mark.parametrize("perm", [(0, 2, 3, 1), (0, 3, 1, 2), (0, 1, 3, 2)])
@pytest.mark.parametrize("transposed", [False, True])
def test_weights_take_the_order_of_what_is_flattened(perm: tuple[int, ...], transposed: bool) -> None:
    maker = Maker()
    x = maker.add("Transpose", maker.input(2, 3, 4, 5), perm=perm)
    flat = maker.add("Reshape", x, shape=(2, 60))
    weights = maker.constant(7, 60) if transposed else maker.constant(60, 7)
    graph = maker.shown(maker.add("Gemm", flat, weights, maker.constant(7), transB=transposed))
    assert run_pass(merge_transposes, graph) == ["Reshape", "Gemm"]


def test_weights_of_a_product_with_its_bias_apart_take_that_order_too() -> None:
    maker = Maker()
    flat = maker.add("Reshape", maker.add("Transpose", maker.input(2, 3, 4, 5), perm=(0, 2, 3, 1)), shape=(2, 60))
    product = maker.add("MatMul", flat, maker.constant(60, 7))
    graph = maker.shown(maker.add("Add", product, maker.constant(7)))
    assert run_pass(optimize, graph) == ["Reshape", "Gemm"]


def test_the_batch_must_stay_first() -> None:
    maker = Maker()
    flat = maker.add("Reshape", maker.add("Transpose", maker.input(3, 2, 4), perm=(1, 0, 2)), shape=(2, 12))
    graph = maker.shown(maker.add("Gemm", flat, maker.constant(12, 3)))
    assert run_pass(merge_transposes, graph) == ["Transpose", "Reshape", "Gemm"]


@pytest.mark.parametrize("batch", [4, 6])
def test_the_weights_of_a_gemm_that_transposes_what_is_flattened_stay(batch: int) -> None:
    maker = Maker()
    flat = maker.add("Reshape", maker.add("Transpose", maker.input(batch, 2, 3), perm=(0, 2, 1)), shape=(batch, 6))
    graph = maker.shown(maker.add("Gemm", flat, maker.constant(batch, 5), transA=True))
    assert run_pass(merge_transposes, graph) == ["Transpose", "Reshape", "Gemm"]


READERS: dict[str, dict[str, Attribute]] = {
    "Relu": {},
    "Clip": {"min": -1.0, "max": 1.0},
    "Cast": {"to": "FLOAT64"},
    "Softmax": {"axis": 1},
    "LogSoftmax": {"axis": 0},
    "ReduceSum": {"axes": (0, 2), "keepdims": True},
    "ReduceMean": {"axes": (1,), "keepdims": False},
    "ReduceMax": {"axes": (0, 1), "keepdims": False},
    "ReduceMin": {"axes": (), "keepdims": False},
    "ArgMax": {"axis": 2, "keepdims": False},
    "ArgMin": {"axis": 1, "keepdims": True},
    "Pad": {"pads": (1, 0, 2, 0, -1, 3), "mode": "edge"},
    "Slice": {"starts": (1, 0, 2), "steps": (1, 1, -1), "shape": (1, 2, 3)},
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("seed", range(3))
def test_transposes_move_behind(kind: str, seed: int) -> None:
    maker = Maker(seed)
    perm = (_permutation(maker, 3), (2, 0, 1), (1, 2, 0))[seed]
    sizes = (2, 3, 4)
    x = maker.input(*(sizes[perm.index(axis)] for axis in range(3)))
    graph = maker.shown(maker.add(kind, maker.add("Transpose", x, perm=perm), **READERS[kind]))
    assert run_pass(sink_transposes, graph) == [kind, "Transpose"]


@pytest.mark.parametrize("kind", ["Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "PRelu"])
@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (1, 3, 4), (2, 1, 1)])
def test_constants_are_transposed_back(kind: str, shape: tuple[int, ...]) -> None:
    maker = Maker()
    x = maker.add("Abs", maker.add("Transpose", maker.input(3, 4, 2), perm=(2, 0, 1)))
    y = maker.add(kind, x, maker.constant(*shape, low=0.5, high=1.5))
    assert run_pass(sink_transposes, maker.shown(y)) == ["Abs", kind, "Transpose"]


def test_transposes_stay_before_what_adds_dimensions() -> None:
    maker = Maker()
    y = maker.add("Add", maker.add("Transpose", maker.input(4, 3), perm=(1, 0)), maker.constant(2, 3, 4))
    assert run_pass(sink_transposes, maker.shown(y)) == ["Transpose", "Add"]


def test_the_constant_may_be_the_first_operand() -> None:
    maker = Maker()
    y = maker.add("Sub", maker.constant(4), maker.add("Transpose", maker.input(4, 3), perm=(1, 0)))
    assert run_pass(sink_transposes, maker.shown(y)) == ["Sub", "Transpose"]


def _pair(maker: Maker, *perms: tuple[int, ...]) -> list[Value]:
    return [maker.add("Transpose", maker.input(3, 3, 3), perm=perm) for perm in perms]


@pytest.mark.parametrize("kind", ["Add", "Concat"])
def test_all_operands_must_be_transposed_alike(kind: str) -> None:
    attributes: dict[str, Attribute] = {"axis": 1} if kind == "Concat" else {}
    maker = Maker()
    alike = maker.add(kind, *_pair(maker, (1, 2, 0), (1, 2, 0)), **attributes)
    assert run_pass(sink_transposes, maker.shown(alike)) == [kind, "Transpose"]
    maker = Maker()
    unlike = maker.add(kind, *_pair(maker, (1, 2, 0), (2, 0, 1)), **attributes)
    assert run_pass(sink_transposes, maker.shown(unlike)) == ["Transpose", "Transpose", kind]


def test_a_model_of_the_other_layout_needs_no_transpose() -> None:
    """NHWC around NCHW convolutions, as TensorFlow's models are exported."""
    maker = Maker()
    y = maker.input(1, 6, 6, 2)
    y = maker.add("Transpose", y, perm=(0, 3, 1, 2))
    for _ in range(2):
        y = maker.add("Transpose", maker.conv(y, 3), perm=(0, 2, 3, 1))
        y = maker.add("Relu", maker.add("Add", y, maker.constant(3)))
        y = maker.add("Transpose", y, perm=(0, 3, 1, 2))
    y = maker.add("Reshape", maker.add("Transpose", y, perm=(0, 2, 3, 1)), shape=(1, 12))
    y = maker.add("Gemm", y, maker.constant(12, 4))
    left = run_pass(_both, maker.shown(y))
    assert left == ["Transpose", "Conv", "Add", "Relu", "Conv", "Add", "Relu", "Reshape", "Gemm"]


def test_bits_stay() -> None:
    maker = Maker()
    graph = maker.shown(maker.add("Relu", maker.add("Transpose", maker.input(2, 2), perm=(1, 0))))
    feeds = {"x0": np.array([[-0.0, np.nan], [np.inf, -np.inf]], np.float32)}
    assert run_pass(sink_transposes, graph, feeds) == ["Relu", "Transpose"]
