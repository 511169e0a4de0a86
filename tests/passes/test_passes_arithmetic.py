"""OptimizeArithmeticNodes, OptimizeClips and FoldActivations."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from pass_checks import Maker, random_feeds, run_pass

from inbundle.graph.graph import Value
from inbundle.graph.onnx import evaluate
from inbundle.graph.types import ElemKind
from inbundle.passes.clips import optimize_clips
from inbundle.passes.fold_activations import fold_activations
from inbundle.passes.simplify_arithmetic import simplify_arithmetic

Build = Callable[[Maker, Value], Value]

SIMPLIFIED: dict[str, tuple[Build, list[str]]] = {
    "x * 1": (lambda m, x: m.add("Mul", x, m.number(1)), []),
    "1 * x": (lambda m, x: m.add("Mul", m.number(1, 3), x), []),
    "x / 1": (lambda m, x: m.add("Div", x, m.number(1, 1, 1)), []),
    "1 / x": (lambda m, x: m.add("Div", m.number(1), x), ["Div"]),
    "x ^ 1": (lambda m, x: m.add("Pow", x, m.number(1)), []),
    "x * 1 of larger shape": (lambda m, x: m.add("Mul", x, m.number(1, 4, 2, 3)), ["Mul"]),
    "x + 0": (lambda m, x: m.add("Add", x, m.number(0)), ["Add"]),
    "x * 0": (lambda m, x: m.add("Mul", x, m.number(0)), ["Mul"]),
    "x ^ 2": (lambda m, x: m.add("Pow", x, m.number(2, 1)), ["Mul"]),
    "x ^ 2 by an integer": (lambda m, x: m.add("Pow", x, m.number(2, dtype=np.int64)), ["Mul"]),
    "x ^ 2 of larger shape": (lambda m, x: m.add("Pow", x, m.number(2, 4, 2, 3)), ["Pow"]),
    "--x": (lambda m, x: m.add("Neg", m.add("Neg", x)), []),
    "-x + x": (lambda m, x: m.add("Add", m.add("Neg", x), x), ["Sub"]),
    "x - -x": (lambda m, x: m.add("Sub", x, m.add("Neg", x)), ["Add"]),
    "-x - x": (lambda m, x: m.add("Sub", m.add("Neg", x), x), ["Neg", "Sub"]),
    "max(x, x / 2)": (lambda m, x: m.add("Max", x, m.add("Mul", x, m.number(0.5))), ["LeakyRelu"]),
    "max(x, 0 x)": (lambda m, x: m.add("Max", x, m.add("Mul", x, m.number(0))), ["Mul", "Max"]),
    "max(2 x, x)": (lambda m, x: m.add("Max", m.add("Mul", m.number(2), x), x), ["Mul", "Max"]),
    "PRelu of a number": (lambda m, x: m.add("PRelu", x, m.number(0.25, 1)), ["LeakyRelu"]),
    "PRelu of numbers": (lambda m, x: m.add("PRelu", x, m.constant(3)), ["PRelu"]),
    "wider and back": (lambda m, x: m.add("Cast", m.add("Cast", x, to="FLOAT64"), to="FLOAT"), ["Cast"]),
    "narrower and back": (lambda m, x: m.add("Cast", m.add("Cast", x, to="FLOAT16"), to="FLOAT"), ["Cast", "Cast"]),
    "an Expand too many": (lambda m, x: m.add("Add", x, m.add("Expand", m.input(3), shape=(2, 3))), ["Add"]),
    "two Expands": (
        lambda m, x: m.add("Mul", m.add("Expand", m.input(2, 1), shape=(2, 3)), m.add("Expand", x, shape=(2, 3))),
        ["Mul"],
    ),
    "an Expand that is needed": (lambda m, x: m.add("Add", x, m.add("Expand", x, shape=(4, 2, 3))), ["Expand", "Add"]),
}


@pytest.mark.parametrize("name", SIMPLIFIED)
def test_arithmetic(name: str) -> None:
    build, left = SIMPLIFIED[name]
    maker = Maker()
    assert run_pass(simplify_arithmetic, maker.shown(build(maker, maker.input(2, 3)))) == left


def test_arithmetic_of_integers() -> None:
    maker = Maker()
    y = maker.input(2, elem=ElemKind.INT32)
    for kind, number in (("Add", 0), ("Mul", 1), ("Sub", 0), ("Div", 1)):
        y = maker.add(kind, y, maker.number(number, dtype=np.int32))
    y = maker.add("Pow", y, maker.number(2, dtype=np.int32))
    assert run_pass(simplify_arithmetic, maker.shown(y)) == ["Pow"]


ODD = np.array([[-0.0, 0.0, np.nan], [np.inf, -np.inf, -1.5]], np.float32)


@pytest.mark.parametrize("name", [name for name in SIMPLIFIED if "Expand" not in name])
def test_signs_of_zero_and_what_is_no_number(name: str) -> None:
    build, _ = SIMPLIFIED[name]
    maker = Maker()
    graph = maker.shown(build(maker, maker.input(2, 3)))
    before = evaluate(graph, {"x0": ODD})["y0"]
    for _ in range(3):
        simplify_arithmetic(graph)
    after = evaluate(graph, {"x0": ODD})["y0"]
    np.testing.assert_array_equal(after, before)
    numbers = ~np.isnan(before)
    # Which of two zeros is the larger one is not defined.
    if "max" not in name:
        np.testing.assert_array_equal(np.signbit(after[numbers]), np.signbit(before[numbers]))


def _clip(low: float, high: float) -> Build:
    return lambda m, x: m.add("Clip", x, min=low, max=high)


BOUNDS: dict[str, tuple[list[Build], list[str]]] = {
    "max 0": ([lambda m, x: m.add("Max", x, m.number(0))], ["Relu"]),
    "max 0 first": ([lambda m, x: m.add("Max", m.number(0, 3), x)], ["Relu"]),
    "max -1": ([lambda m, x: m.add("Max", x, m.number(-1))], ["Clip"]),
    "min 1": ([lambda m, x: m.add("Min", x, m.number(1, 1))], ["Clip"]),
    "max NaN": ([lambda m, x: m.add("Max", x, m.number(math.nan))], ["Max"]),
    "max of two numbers": ([lambda m, x: m.add("Max", x, m.constant(3))], ["Max"]),
    "max of larger shape": ([lambda m, x: m.add("Max", x, m.number(0, 4, 2, 3))], ["Max"]),
    "relu 6": (
        [lambda m, x: m.add("Min", x, m.number(6)), lambda m, x: m.add("Max", m.number(0), x)],
        ["Clip"],
    ),
    "relu twice": ([lambda m, x: m.add("Relu", x)] * 2, ["Relu"]),
    "no bound": ([_clip(-math.inf, math.inf)], []),
    "relu as clip": ([_clip(0.0, math.inf)], ["Relu"]),
    "relu above a lower bound": (
        [lambda m, x: m.add("Relu", x), lambda m, x: m.add("Max", x, m.number(-2))],
        ["Relu"],
    ),
    "relu of a positive clip": ([_clip(0.5, 2.0), lambda m, x: m.add("Relu", x)], ["Clip"]),
    "bounds apart": ([_clip(-2.0, -1.0), _clip(1.0, 2.0)], ["Clip"]),
    "a maximum below the minimum": ([_clip(2.0, -1.0), _clip(-1.5, 0.5)], ["Clip"]),
    "three": ([_clip(-1.0, 2.0), lambda m, x: m.add("Relu", x), _clip(-4.0, 1.0)], ["Clip"]),
    "another node between": ([_clip(-1, 1), lambda m, x: m.add("Neg", x), _clip(-1, 1)], ["Clip", "Neg", "Clip"]),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name: str) -> None:
    builds, left = BOUNDS[name]
    maker = Maker()
    y = maker.input(2, 3)
    for build in builds:
        y = build(maker, y)
    graph = maker.shown(y)
    feeds = {"x0": np.concatenate([ODD, random_feeds(graph)["x0"]])[1:3]}
    assert run_pass(optimize_clips, graph, feeds) == left


def test_bounds_of_integers() -> None:
    maker = Maker()
    y = maker.add("Max", maker.input(2, elem=ElemKind.INT32), maker.number(0, dtype=np.int32))
    y = maker.add("Min", y, maker.number(5, dtype=np.int32))
    assert run_pass(optimize_clips, maker.shown(y)) == ["Relu", "Min"]
    maker = Maker()
    y = maker.add("Max", maker.input(2, elem=ElemKind.UINT8), maker.number(0, dtype=np.uint8))
    assert run_pass(optimize_clips, maker.shown(y)) == ["Max"]


def _phi(m: Maker, x: Value) -> Value:
    """1 + erf(x / sqrt 2)"""
    return m.add("Add", m.add("Erf", m.add("Div", x, m.number(math.sqrt(2)))), m.number(1))


def _tanh_phi(m: Maker, x: Value, cube: Value) -> Value:
    inner = m.add("Add", x, m.add("Mul", m.number(0.044715), cube))
    inner = m.add("Mul", m.number(math.sqrt(2 / math.pi)), inner)
    return m.add("Add", m.number(1), m.add("Tanh", inner))


def _cube(m: Maker, x: Value) -> Value:
    return m.add("Pow", x, m.number(3))


def _clipped(m: Maker, x: Value, least: float = 3) -> Value:
    return m.add("Clip", m.add("Add", x, m.number(least)), min=0.0, max=6.0)


def _exp_over_sum(m: Maker, x: Value, axis: int = 1) -> Value:
    exp = m.add("Exp", x)
    return m.add("Div", exp, m.add("ReduceSum", exp, axes=(axis,)))


ACTIVATIONS: dict[str, tuple[Build, list[str]]] = {
    "x * 0.5 * phi": (lambda m, x: m.add("Mul", m.add("Mul", x, m.number(0.5)), _phi(m, x)), ["Gelu"]),
    "phi / 2 * x": (lambda m, x: m.add("Mul", m.add("Div", _phi(m, x), m.number(2)), x), ["Gelu"]),
    "x * phi * 0.5": (lambda m, x: m.add("Mul", m.add("Mul", x, _phi(m, x)), m.number(0.5)), ["Gelu"]),
    "by tanh": (
        lambda m, x: m.add("Mul", m.add("Mul", m.number(0.5), x), _tanh_phi(m, x, _cube(m, x))),
        ["Gelu"],
    ),
    "by tanh and products": (
        lambda m, x: m.add("Mul", m.add("Mul", _tanh_phi(m, x, m.add("Mul", x, m.add("Mul", x, x))), x), m.number(0.5)),
        ["Gelu"],
    ),
    "Gelu of another": (
        lambda m, x: m.add("Mul", m.add("Mul", m.input(2, 3), m.number(0.5)), _phi(m, x)),
        ["Mul", "Div", "Erf", "Add", "Mul"],
    ),
    "1 / (1 + e^-x)": (
        lambda m, x: m.add("Div", m.number(1), m.add("Add", m.add("Exp", m.add("Neg", x)), m.number(1))),
        ["Sigmoid"],
    ),
    "2 / (1 + e^-x)": (
        lambda m, x: m.add("Div", m.number(2), m.add("Add", m.add("Exp", m.add("Neg", x)), m.number(1))),
        ["Neg", "Exp", "Add", "Div"],
    ),
    "hard sigmoid": (lambda m, x: m.add("Div", _clipped(m, x), m.number(6)), ["HardSigmoid"]),
    "x * clip / 6": (lambda m, x: m.add("Div", m.add("Mul", x, _clipped(m, x)), m.number(6)), ["HardSwish"]),
    "x * (clip * 1/6)": (
        lambda m, x: m.add("Mul", x, m.add("Mul", _clipped(m, x), m.number(1 / 6))),
        ["HardSwish"],
    ),
    "x * clip / 6 of x + 2": (
        lambda m, x: m.add("Div", m.add("Mul", x, _clipped(m, x, 2)), m.number(6)),
        ["Add", "Clip", "Mul", "Div"],
    ),
    "softmax": (_exp_over_sum, ["Softmax"]),
    "softmax without maximum": (
        lambda m, x: _exp_over_sum(m, m.add("Sub", x, m.add("ReduceMax", x, axes=(1,)))),
        ["Softmax"],
    ),
    "softmax without the other maximum": (
        lambda m, x: _exp_over_sum(m, m.add("Sub", x, m.add("ReduceMax", x, axes=(0,)))),
        ["ReduceMax", "Sub", "Softmax"],
    ),
    "softmax of two axes": (
        lambda m, x: m.add("Div", m.add("Exp", x), m.add("ReduceSum", m.add("Exp", x), axes=(0, 1))),
        ["Exp", "Exp", "ReduceSum", "Div"],
    ),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_in_single_steps(name: str) -> None:
    build, left = ACTIVATIONS[name]
    maker = Maker()
    assert run_pass(fold_activations, maker.shown(build(maker, maker.input(2, 3)))) == left


def test_which_gelu_it_is() -> None:
    for name, approximate in (("x * phi * 0.5", "none"), ("by tanh", "tanh")):
        maker = Maker()
        graph = maker.shown(ACTIVATIONS[name][0](maker, maker.input(2, 3)))
        fold_activations(graph)
        assert graph.nodes[0].attributes["approximate"] == approximate


def test_a_softmax_in_single_steps_overflows_no_more() -> None:
    maker = Maker()
    graph = maker.shown(_exp_over_sum(maker, maker.input(1, 2)))
    feeds = {"x0": np.array([[100.0, 101.0]], np.float32)}
    assert np.isnan(evaluate(graph, feeds)["y0"]).all()
    fold_activations(graph)
    np.testing.assert_allclose(evaluate(graph, feeds)["y0"], [[0.26894143, 0.7310586]], rtol=1e-6)
