"""OptimizeConcatNodes, MatMulAddToGemm, NameBlocks, FuseNodes, and the order of the pipeline."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pass_checks import Maker, kinds, run_pass

from inbundle.graph.graph import Graph, Value
from inbundle.graph.types import ElemKind
from inbundle.passes import GraphPass, optimize
from inbundle.passes.fuse_nodes import fuse_nodes
from inbundle.passes.matmul_to_gemm import matmul_to_gemm
from inbundle.passes.name_blocks import name_blocks
from inbundle.passes.optimize_concats import optimize_concats


def _slice(maker: Maker, x: Value, axis: int, start: int, size: int, step: int = 1) -> Value:
    rank = x.type.rank
    return maker.add(
        "Slice",
        x,
        starts=tuple(start if at == axis else 0 for at in range(rank)),
        steps=tuple(step if at == axis else 1 for at in range(rank)),
        shape=tuple(size if at == axis else whole for at, whole in enumerate(x.type.shape)),
    )


def test_nested_concats_become_one() -> None:
    maker = Maker()
    x, y, z = maker.input(2, 3), maker.input(2, 1), maker.input(2, 2)
    inner = maker.add("Concat", y, maker.add("Concat", x, z, axis=1), axis=1)
    graph = maker.shown(maker.add("Concat", inner, x, inner, axis=1))
    assert run_pass(optimize_concats, graph) == ["Concat"]
    assert graph.nodes[0].inputs == [y, x, z, x, y, x, z]


def test_concats_along_other_axes_stay() -> None:
    maker = Maker()
    x = maker.input(2, 2)
    inner = maker.add("Concat", x, x, axis=0)
    assert run_pass(optimize_concats, maker.shown(maker.add("Concat", inner, inner, axis=1))) == ["Concat", "Concat"]


@pytest.mark.parametrize(
    ("start", "size", "step", "left"),
    [
        (0, 3, 1, ["Slice"]),
        (3, 2, 1, ["Slice"]),
        (4, 1, 1, ["Slice"]),
        (2, 3, -1, ["Slice"]),
        (6, 2, 2, ["Slice"]),
        (2, 2, 1, ["Concat", "Slice"]),
        (4, 5, -1, ["Concat", "Slice"]),
    ],
)
def test_slices_that_undo_a_concat(start: int, size: int, step: int, left: list[str]) -> None:
    """Of operands with 3, 2 and 4 elements along the axis."""
    maker = Maker()
    whole = maker.add("Concat", maker.input(2, 3), maker.input(2, 2), maker.input(2, 4), axis=1)
    assert run_pass(optimize_concats, maker.shown(_slice(maker, whole, 1, start, size, step))) == left


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        ([(0, 2, 1), (2, 3, 1), (5, 1, 1)], ["Slice"]),
        ([(0, 2, 1), (3, 3, 1)], ["Slice", "Slice", "Concat"]),
        ([(2, 4, 1), (0, 2, 1)], ["Slice", "Slice", "Concat"]),
        ([(0, 2, 1), (2, 2, 1), (0, 2, 1)], ["Slice", "Slice", "Concat"]),
        ([(0, 2, 2), (4, 1, 2)], ["Slice"]),
        ([(5, 3, -1), (2, 3, -1)], ["Slice"]),
        ([(0, 2, 1), (2, 2, 2)], ["Slice", "Slice", "Concat"]),
    ],
)
def test_concats_that_undo_slices(parts: list[tuple[int, int, int]], left: list[str]) -> None:
    """Of six rows."""
    maker = Maker()
    x = maker.input(6, 2)
    slices = [_slice(maker, x, 0, *part) for part in parts]
    assert run_pass(optimize_concats, maker.shown(maker.add("Concat", *slices, axis=0))) == left


def test_slices_that_differ_along_other_axes_stay() -> None:
    maker = Maker()
    x = maker.input(4, 4)
    halves = [_slice(maker, _slice(maker, x, 1, column, 2), 0, row, 2) for column, row in ((0, 0), (2, 2))]
    left = run_pass(optimize_concats, maker.shown(maker.add("Concat", *halves, axis=0)))
    assert left == ["Slice"] * 4 + ["Concat"]


@pytest.mark.parametrize("addend", [(), (1,), (3,), (1, 3), (4, 1), (4, 3)])
@pytest.mark.parametrize("first", [False, True])
def test_matrices(addend: tuple[int, ...], first: bool) -> None:
    maker = Maker()
    product = maker.add("MatMul", maker.input(4, 5), maker.input(5, 3))
    operands = [maker.input(*addend), product] if first else [product, maker.input(*addend)]
    assert run_pass(matmul_to_gemm, maker.shown(maker.add("Add", *operands))) == ["Gemm"]


@pytest.mark.parametrize("shape", [(2, 4, 5), (2, 1, 4, 5)])
def test_stacks_of_matrices(shape: tuple[int, ...]) -> None:
    maker = Maker()
    y = maker.add("Add", maker.add("MatMul", maker.input(*shape), maker.constant(5, 3)), maker.constant(3))
    assert run_pass(matmul_to_gemm, maker.shown(y)) == ["Reshape", "Gemm", "Reshape"]


@pytest.mark.parametrize(
    ("left", "right", "addend"),
    [((4, 5), (5, 3), (2, 4, 3)), ((2, 4, 5), (2, 5, 3), (3,)), ((2, 4, 5), (5, 3), (4, 3)), ((5,), (5, 3), (3,))],
)
def test_other_products_stay(left: tuple[int, ...], right: tuple[int, ...], addend: tuple[int, ...]) -> None:
    maker = Maker()
    y = maker.add("Add", maker.add("MatMul", maker.input(*left), maker.input(*right)), maker.input(*addend))
    assert run_pass(matmul_to_gemm, maker.shown(y)) == ["MatMul", "Add"]


def test_a_gemm_without_addend_takes_one() -> None:
    maker = Maker()
    gemm = maker.add("Gemm", maker.input(5, 4), maker.input(3, 5), transA=True, transB=True, alpha=0.5)
    assert run_pass(matmul_to_gemm, maker.shown(maker.add("Add", maker.input(1, 3), gemm))) == ["Gemm"]
    maker = Maker()
    gemm = maker.add("Gemm", maker.input(4, 5), maker.input(5, 3), maker.input(3))
    assert run_pass(matmul_to_gemm, maker.shown(maker.add("Add", gemm, maker.input(3)))) == ["Gemm", "Add"]


def test_integers_stay() -> None:
    maker = Maker()
    a, b, c = (maker.input(*shape, elem=ElemKind.INT32) for shape in ((2, 3), (3, 2), (2,)))
    assert run_pass(matmul_to_gemm, maker.shown(maker.add("Add", maker.add("MatMul", a, b), c))) == ["MatMul", "Add"]


# --- MetaNodes -------------------------------------------------------------------------------------------------------


def _attention(maker: Maker) -> Value:
    query, key, value = maker.input(2, 4, 8), maker.input(2, 8, 5), maker.input(2, 5, 3)
    scores = maker.add("Div", maker.add("MatMul", query, key), maker.number(8.0**0.5))
    masked = maker.add("Add", scores, maker.constant(1, 4, 5))
    return maker.add("MatMul", maker.add("Softmax", masked, axis=2), value)


def _shuffled(maker: Maker, x: Value, between: tuple[int, ...], perm: tuple[int, ...], to: tuple[int, ...]) -> Value:
    y = maker.add("Transpose", maker.add("Reshape", x, shape=between), perm=perm)
    return maker.add("Reshape", y, shape=to)


BLOCKS: dict[str, tuple[Callable[[Maker], Value], list[str]]] = {
    "attention": (_attention, ["ScaledDotProductAttention"]),
    "channel shuffle": (
        lambda m: _shuffled(m, m.input(1, 6, 3, 4), (1, 2, 3, 3, 4), (0, 2, 1, 3, 4), (1, 6, 3, 4)),
        ["ChannelShuffle"],
    ),
    "space to depth": (
        lambda m: _shuffled(m, m.input(1, 3, 4, 6), (1, 3, 2, 2, 3, 2), (0, 3, 5, 1, 2, 4), (1, 12, 2, 3)),
        ["PixelUnshuffle"],
    ),
    "depth to space": (
        lambda m: _shuffled(m, m.input(1, 12, 2, 3), (1, 2, 2, 3, 2, 3), (0, 3, 4, 1, 5, 2), (1, 3, 4, 6)),
        ["PixelShuffle"],
    ),
    "depth to space by columns": (
        lambda m: _shuffled(m, m.input(1, 12, 2, 3), (1, 3, 2, 2, 2, 3), (0, 1, 4, 2, 5, 3), (1, 3, 4, 6)),
        ["PixelShuffle"],
    ),
    "another shuffle": (
        lambda m: _shuffled(m, m.input(1, 6, 3, 4), (1, 2, 3, 4, 3), (0, 2, 1, 3, 4), (1, 6, 4, 3)),
        ["Reshape", "Transpose", "Reshape"],
    ),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_get_their_names(name: str) -> None:
    build, left = BLOCKS[name]
    maker = Maker()
    assert run_pass(name_blocks, maker.shown(build(maker))) == left


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_still_recognised_behind_all_other_passes(name: str) -> None:
    build, left = BLOCKS[name]
    maker = Maker()
    graph = maker.shown(build(maker))
    assert run_pass(optimize, graph) == left


def test_a_value_that_others_read_keeps_its_nodes_apart() -> None:
    maker = Maker()
    y = _attention(maker)
    softmax = next(node for node in maker.graph.nodes if node.kind == "Softmax")
    assert "Softmax" in run_pass(name_blocks, maker.shown(y, softmax.output))


def test_what_is_computed_on_a_convolution_is_fused_with_it() -> None:
    maker = Maker()
    x = maker.input(1, 3, 6, 6)
    y = maker.pool("MaxPool", maker.add("Relu", maker.conv(x, 4)))
    skip = maker.conv(y, 4, 1)
    y = maker.add("Relu", maker.add("Add", maker.conv(y, 4, pads=(1, 1, 1, 1)), skip))
    y = maker.add("Reshape", y, shape=(1, 16))
    y = maker.add("Tanh", maker.add("Gemm", y, maker.constant(16, 3), maker.constant(3)))
    left = run_pass(fuse_nodes, maker.shown(y))
    assert left == ["ConvReluMaxPool", "ConvAddRelu", "Conv", "Reshape", "GemmTanh"] or left == [
        "ConvReluMaxPool",
        "Conv",
        "ConvAddRelu",
        "Reshape",
        "GemmTanh",
    ]


def test_what_a_back_end_wants_comes_before_nodes_are_wrapped() -> None:
    seen: list[list[str]] = []

    def look(graph: Graph) -> None:
        seen.append(kinds(graph))

    maker = Maker()
    graph = maker.shown(maker.add("Relu", maker.conv(maker.input(1, 2, 4, 4), 3)))
    optimize(graph, post_lowering=[GraphPass("Look", look)])
    assert seen == [["Conv", "Relu"]]
    assert kinds(graph) == ["ConvRelu"]
