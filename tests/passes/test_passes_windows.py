"""MergePad, SwapActivationAndMaxPool and OptimizeReduceMean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pass_checks import Maker, run_pass

from inbundle.graph.graph import Attribute
from inbundle.graph.onnx import evaluate
from inbundle.graph.types import ElemKind
from inbundle.passes.merge_pad import merge_pad
from inbundle.passes.reduce_mean_to_pool import reduce_mean_to_pool
from inbundle.passes.swap_activation_pool import swap_activation_and_max_pool


def _pads(maker: Maker, rank: int, most: int = 2) -> tuple[int, ...]:
    """Random padding of the spatial dimensions."""
    begins, ends = ([0, 0, *(int(n) for n in maker.rng.integers(0, most, rank - 2))] for _ in range(2))
    return (*begins, *ends)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rank", [3, 4, 5])
def test_padding_of_a_convolution(rank: int, seed: int) -> None:
    maker = Maker(seed)
    x = maker.input(1, 2, *(int(n) for n in maker.rng.integers(4, 7, rank - 2)))
    padded = maker.add("Pad", x, pads=_pads(maker, rank, 3))
    own = tuple(int(n) for n in maker.rng.integers(0, 2, 2 * (rank - 2)))
    y = maker.conv(padded, 4, 2, pads=own, strides=(2,) * (rank - 2), dilations=(2,) * (rank - 2), group=2)
    assert run_pass(merge_pad, maker.shown(y)) == ["Conv"]


PADS: dict[str, dict[str, Attribute]] = {
    "another value": {"pads": (0, 0, 1, 1, 0, 0, 1, 1), "value": 0.5},
    "another mode": {"pads": (0, 0, 1, 1, 0, 0, 1, 1), "mode": "edge"},
    "channels": {"pads": (0, 1, 1, 1, 0, 1, 1, 1)},
    "cropping": {"pads": (0, 0, 1, -1, 0, 0, 1, 1)},
}


@pytest.mark.parametrize("pads", PADS)
def test_other_padding_stays(pads: str) -> None:
    maker = Maker()
    padded = maker.add("Pad", maker.input(1, 2, 4, 5), **PADS[pads])
    assert run_pass(merge_pad, maker.shown(maker.conv(padded, 2))) == ["Pad", "Conv"]


def test_zeros_beside_infinite_weights_stay() -> None:
    maker = Maker()
    padded = maker.add("Pad", maker.input(1, 1, 3), pads=(0, 0, 1, 0, 0, 1))
    window = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 0), "dilations": (1,)}
    y = maker.add("Conv", padded, maker.number(math.inf, 1, 1, 2), **window)
    assert run_pass(merge_pad, maker.shown(y)) == ["Pad", "Conv"]


@pytest.mark.parametrize(
    ("given", "merges"),
    [
        ({}, True),
        ({"count_include_pad": True}, True),
        ({"count_include_pad": True, "pads": (1, 0, 0, 1)}, True),
        ({"pads": (1, 0, 0, 1)}, False),
        ({"ceil_mode": True}, False),
    ],
)
def test_padding_of_an_average(given: dict[str, Attribute], merges: bool) -> None:
    maker = Maker()
    padded = maker.add("Pad", maker.input(1, 2, 6, 5), pads=(0, 0, 1, 1, 0, 0, 0, 1))
    y = maker.pool("AveragePool", padded, 3, strides=(2, 2), **given)
    assert (run_pass(merge_pad, maker.shown(y)) == ["AveragePool"]) == merges


def test_padding_of_a_maximum() -> None:
    for value, left in ((-math.inf, ["MaxPool"]), (0.0, ["Pad", "MaxPool"])):
        maker = Maker()
        padded = maker.add("Pad", maker.input(1, 2, 6, 5), pads=(0, 0, 1, 1, 0, 0, 0, 1), value=value)
        assert run_pass(merge_pad, maker.shown(maker.pool("MaxPool", padded, 3))) == left


def test_windows_in_the_padding_alone_are_no_padding_of_a_pool() -> None:
    maker = Maker()
    padded = maker.add("Pad", maker.input(1, 2, 6, 5), pads=(0, 0, 3, 0, 0, 0, 0, 0), value=-math.inf)
    assert run_pass(merge_pad, maker.shown(maker.pool("MaxPool", padded))) == ["Pad", "MaxPool"]


FUNCTIONS: dict[str, tuple[dict[str, Attribute], bool]] = {
    "Relu": ({}, True),
    "Tanh": ({}, True),
    "Sigmoid": ({}, True),
    "Clip": ({"min": 0.0, "max": 2.0}, True),
    "LeakyRelu": ({"alpha": 0.1}, True),
    "Elu": ({"alpha": 1.5}, True),
    "HardSigmoid": ({}, True),
    "Abs": ({}, False),
    "Gelu": ({}, False),
    "HardSwish": ({}, False),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("pool", ["MaxPool", "GlobalMaxPool"])
def test_rising_functions_are_applied_behind_the_pool(kind: str, pool: str) -> None:
    attributes, rises = FUNCTIONS[kind]
    maker = Maker()
    y = maker.add(kind, maker.input(2, 3, 7, 6), **attributes)
    y = maker.add(pool, y) if pool == "GlobalMaxPool" else maker.pool(pool, y, 3, pads=(1, 1, 1, 1), strides=(2, 2))
    graph = maker.shown(y)
    assert run_pass(swap_activation_and_max_pool, graph) == ([pool, kind] if rises else [kind, pool])


@pytest.mark.parametrize("alpha", [-0.5, 0.0])
def test_functions_that_fall_are_not(alpha: float) -> None:
    """Nor is one that makes NaN of an infinite element that is not the largest."""
    maker = Maker()
    y = maker.pool("MaxPool", maker.add("LeakyRelu", maker.input(1, 1, 4, 4), alpha=alpha))
    assert run_pass(swap_activation_and_max_pool, maker.shown(y)) == ["LeakyRelu", "MaxPool"]


@pytest.mark.parametrize(
    "given", [{"ceil_mode": True}, {"strides": (1, 1), "kernel_shape": (1, 1), "pads": (0, 0, 1, 1)}]
)
def test_pools_that_may_see_no_element_stay_behind(given: dict[str, Attribute]) -> None:
    maker = Maker()
    y = maker.pool("MaxPool", maker.add("Relu", maker.input(1, 1, 5, 5)), **given)
    assert run_pass(swap_activation_and_max_pool, maker.shown(y)) == ["Relu", "MaxPool"]


def test_pools_with_indices_stay_behind() -> None:
    maker = Maker()
    relu = maker.add("Relu", maker.input(1, 1, 4, 4))
    window = {"kernel_shape": (2, 2), "strides": (2, 2), "pads": (0,) * 4, "dilations": (1, 1)}
    pool = maker.graph.add("MaxPool", [relu], window, outputs=["largest", "indices"])
    assert run_pass(swap_activation_and_max_pool, maker.shown(*pool.outputs)) == ["Relu", "MaxPool"]


def test_nan_passes_relu_and_pool_in_either_order() -> None:
    maker = Maker()
    graph = maker.shown(maker.pool("MaxPool", maker.add("Relu", maker.input(1, 1, 2, 2))))
    swap_activation_and_max_pool(graph)
    result = evaluate(graph, {"x0": np.array([[[[1.0, np.inf], [-np.inf, 2.0]]]], np.float32)})["y0"]
    assert result.item() == np.inf


@pytest.mark.parametrize("rank", [3, 4, 5])
@pytest.mark.parametrize("keepdims", [False, True])
def test_means_of_images_are_pools(rank: int, keepdims: bool) -> None:
    maker = Maker(rank)
    x = maker.input(2, 3, *(int(n) for n in maker.rng.integers(1, 6, rank - 2)))
    y = maker.add("ReduceMean", x, axes=tuple(range(2, rank)), keepdims=keepdims)
    left = ["GlobalAveragePool"] if keepdims else ["GlobalAveragePool", "Reshape"]
    assert run_pass(reduce_mean_to_pool, maker.shown(y)) == left


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((2, 3, 4, 5), (2,)), ((2, 3, 4, 5), (1, 2, 3)), ((2, 3), (1,)), ((0, 4, 3, 6), (2, 3))],
)
def test_other_means_stay(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    maker = Maker()
    assert run_pass(reduce_mean_to_pool, maker.shown(maker.add("ReduceMean", maker.input(*shape), axes=axes))) == [
        "ReduceMean"
    ]


def test_means_of_integers_stay() -> None:
    maker = Maker()
    x = maker.input(1, 2, 3, 3, elem=ElemKind.INT32)
    assert run_pass(reduce_mean_to_pool, maker.shown(maker.add("ReduceMean", x, axes=(2, 3)))) == ["ReduceMean"]
