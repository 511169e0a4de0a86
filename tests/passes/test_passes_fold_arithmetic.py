"""FoldArithmetic and MultiplyAdd: what is folded gives the same numbers, what cannot be folded stays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pass_checks import Maker, run_pass

from inbundle.graph.graph import Constant, Value
from inbundle.graph.onnx import evaluate
from inbundle.graph.types import ElemKind
from inbundle.passes.fold_arithmetic import fold_arithmetic
from inbundle.passes.multiply_add import multiply_add


def _norm(maker: Maker, x: Value) -> Value:
    channels = x.type.shape[1]
    parameters = [maker.constant(channels) for _ in range(3)] + [maker.constant(channels, low=0.5, high=2.0)]
    return maker.add("BatchNormalization", x, *parameters, epsilon=1e-5)


def _chain(maker: Maker, x: Value, kinds: str) -> Value:
    """Arithmetic on channels: a letter per node."""
    channels, ones = x.type.shape[1], (1,) * (x.type.rank - 2)
    for kind in kinds:
        if kind == "N":
            x = _norm(maker, x)
        elif kind == "-":
            x = maker.add("Neg", x)
        elif kind == "r":
            x = maker.add("Sub", maker.constant(channels, *ones), x)
        else:
            name = {"+": "Add", "s": "Sub", "*": "Mul", "/": "Div"}[kind]
            shape = maker.rng.choice(["channel", "scalar", "full"])
            given = {"channel": (channels, *ones), "scalar": (), "full": (1, channels, *ones)}[shape]
            x = maker.add(name, x, maker.constant(*given, low=0.5, high=1.5))
    return x


CHAINS = ("N", "*", "+", "*+", "/s", "N*", "r", "-+", "*N/+", "sr-")


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("shape", [(2, 4, 9), (1, 4, 6, 5), (1, 2, 4, 5, 3)])
def test_into_the_convolution_before(chain: str, shape: tuple[int, ...]) -> None:
    maker = Maker(len(chain) + len(shape))
    group = int(maker.rng.choice([1, 2]))
    rank = len(shape) - 2
    y = maker.conv(maker.input(*shape), 6, bias=bool(maker.rng.random() < 0.5), group=group, pads=(1,) * (2 * rank))
    graph = maker.shown(_chain(maker, y, chain))
    assert run_pass(fold_arithmetic, graph) == ["Conv"]


@pytest.mark.parametrize("chain", [chain for chain in CHAINS if "-" not in chain])
@pytest.mark.parametrize("pads", [0, 1])
def test_into_the_convolution_behind(chain: str, pads: int) -> None:
    """Terms are left where the convolution pads: padding has none."""
    maker = Maker(len(chain))
    x = maker.input(1, 4, 6, 5)
    y = maker.conv(_chain(maker, x, chain), 6, group=2, bias=chain != "N", pads=(pads,) * 4)
    folds = not pads or set(chain) <= set("*/")
    assert (run_pass(fold_arithmetic, maker.shown(y)) == ["Conv"]) == folds


def test_a_relu_between_them_keeps_them_apart() -> None:
    maker = Maker()
    y = maker.add("Relu", maker.conv(maker.input(1, 2, 4, 4), 3))
    assert run_pass(fold_arithmetic, maker.shown(_norm(maker, y))) == ["Conv", "Relu", "BatchNormalization"]


@pytest.mark.parametrize("addend", [None, (), (3,), (1, 3), (4, 1), (4, 3)])
@pytest.mark.parametrize("transposed", [False, True])
def test_into_a_gemm(addend: tuple[int, ...] | None, transposed: bool) -> None:
    maker = Maker()
    weights = maker.constant(3, 5) if transposed else maker.constant(5, 3)
    c = None if addend is None else maker.constant(*addend)
    y = maker.add("Gemm", maker.input(4, 5), weights, c, alpha=0.5, beta=2.0, transB=transposed)
    y = maker.add("Mul", y, maker.constant(3))
    y = _norm(maker, maker.add("Add", y, maker.constant(1, 3)))
    assert run_pass(fold_arithmetic, maker.shown(y)) == ["Gemm"]


def test_factors_into_a_matmul() -> None:
    maker = Maker()
    y = maker.add("MatMul", maker.input(2, 3, 5), maker.constant(5, 4))
    y = maker.add("Mul", maker.constant(4), maker.add("Div", y, maker.number(8.0)))
    assert run_pass(fold_arithmetic, maker.shown(y)) == ["MatMul"]
    maker = Maker()
    y = maker.add("MatMul", maker.input(2, 3, 5), maker.constant(2, 5, 4))
    assert run_pass(fold_arithmetic, maker.shown(maker.add("Mul", y, maker.constant(4)))) == ["MatMul", "Mul"]


@pytest.mark.parametrize(
    "shape",
    [(6,), (5, 1), (1, 1, 1, 1, 1, 1), (2, 3, 5, 6)],
)
def test_numbers_that_differ_along_other_axes_stay(shape: tuple[int, ...]) -> None:
    maker = Maker()
    y = maker.conv(maker.input(2, 2, 5, 6), 3, 1)
    assert run_pass(fold_arithmetic, maker.shown(maker.add("Mul", y, maker.constant(*shape)))) == ["Conv", "Mul"]


@pytest.mark.parametrize("number", [math.inf, math.nan, 1e38, 1e-42])
def test_numbers_that_would_overflow_or_vanish_stay(number: float) -> None:
    maker = Maker()
    y = maker.conv(maker.input(1, 2, 3, 3), 3, 1)
    conv = maker.graph.nodes[0]
    weights = conv.input(1)
    assert isinstance(weights, Constant)
    weights.data = weights.data * np.float32(1e-5 if number < 1 else 100)
    graph = maker.shown(maker.add("Mul", y, maker.number(number)))
    fold_arithmetic(graph)
    assert [node.kind for node in graph.nodes] == ["Conv", "Mul"]


def test_a_factor_of_zero_does_not_hide_infinity() -> None:
    maker = Maker()
    graph = maker.shown(maker.add("Mul", maker.conv(maker.input(1, 1, 1, 2), 1, 1), maker.number(0.0)))
    feeds = {"x0": np.array([[[[np.inf, np.nan]]]], np.float32)}
    assert run_pass(fold_arithmetic, graph, feeds) == ["Conv"]
    assert np.isnan(evaluate(graph, feeds)["y0"]).all()


def test_results_that_others_read_are_computed() -> None:
    maker = Maker()
    y = maker.conv(maker.input(1, 2, 4, 4), 3)
    graph = maker.shown(maker.add("Mul", y, maker.number(2.0)), y)
    assert run_pass(fold_arithmetic, graph) == ["Conv", "Mul"]


@pytest.mark.parametrize(
    ("chain", "left"),
    [
        ("N", ["Mul", "Add"]),
        ("N*+", ["Mul", "Add"]),
        ("*/", ["Mul"]),
        ("+s+", ["Add"]),
        ("*+", ["Mul", "Add"]),
        ("+*", ["Add", "Mul"]),
        ("+*+", ["Mul", "Add"]),
        ("-*", ["Mul"]),
    ],
)
def test_chains_become_one_multiplication_and_one_addition(chain: str, left: list[str]) -> None:
    maker = Maker()
    assert run_pass(multiply_add, maker.shown(_chain(maker, maker.input(2, 3, 4), chain))) == left


def test_no_digits_are_lost() -> None:
    """Numbers from 9,999 to 10,001 minus 10,000: in the other order they would have an error of some 1e-3."""
    feeds = {"x0": np.random.default_rng(0).uniform(9999, 10001, (1, 2, 3, 3)).astype(np.float32)}
    maker = Maker()
    x = maker.input(1, 2, 3, 3)
    parameters = [maker.number(value, 2) for value in (1.7, 0.1, 10000.0, 0.9)]
    normalized = maker.add("BatchNormalization", x, *parameters, epsilon=1e-5)
    assert run_pass(multiply_add, maker.shown(normalized), feeds) == ["BatchNormalization"]
    assert run_pass(fold_arithmetic, maker.shown(maker.conv(normalized, 3, 1)), feeds) == ["BatchNormalization", "Conv"]


def test_constants_do_not_grow() -> None:
    maker = Maker()
    y = maker.add("Add", maker.add("Mul", maker.input(30, 40), maker.constant(30, 1)), maker.constant(40))
    y = maker.add("Mul", y, maker.constant(1, 40))
    assert run_pass(multiply_add, maker.shown(y)) == ["Mul", "Add", "Mul"]


def test_integers_and_half_precision_stay() -> None:
    for dtype in (np.int32, np.float16):
        maker = Maker()
        graph = maker.graph
        y = maker.input(3, elem=ElemKind.of(np.dtype(dtype)))
        for number in (3, 5):
            y = maker.add("Mul", y, maker.number(number, dtype=dtype))
        graph.outputs = {"y": y}
        assert run_pass(multiply_add, graph) == ["Mul", "Mul"]
