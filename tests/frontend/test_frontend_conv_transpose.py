"""ConvTranspose as a convolution: what the graph computes is what ONNX's text says, element by element."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from one_node_model import import_node

from inbundle.errors import CompileError
from inbundle.graph.onnx import evaluate


def scattered(x: np.ndarray, w: np.ndarray, bias: np.ndarray, given: dict[str, Any], shape: tuple[int, ...]) -> Any:
    """Every element of x times every element of its filters, added where stride, dilation and pads put it."""
    rank, group, depth = x.ndim - 2, given.get("group", 1), w.shape[1]
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    begins = given["begins"]
    y = np.zeros((x.shape[0], depth * group, *shape))
    for place, tap in itertools.product(np.ndindex(x.shape[2:]), np.ndindex(w.shape[2:])):
        at = tuple(p * s + t * d - b for p, s, t, d, b in zip(place, strides, tap, dilations, begins, strict=True))
        if all(0 <= index < size for index, size in zip(at, shape, strict=True)):
            for g in range(group):
                channels = slice(g * w.shape[0] // group, (g + 1) * w.shape[0] // group)
                result = x[(slice(None), channels, *place)] @ w[(channels, slice(None), *tap)]
                y[(slice(None), slice(g * depth, (g + 1) * depth), *at)] += result
    return y + bias.reshape(-1, *(1,) * rank)


CASES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any], tuple[int, ...], tuple[int, ...]]] = [
    # x, w, attributes, begins that are cut off, spatial shape of the result
    ((1, 2, 3, 3), (2, 3, 3, 3), {}, (0, 0), (5, 5)),
    ((2, 2, 3, 4), (2, 3, 2, 2), {"strides": [2, 2]}, (0, 0), (6, 8)),
    ((1, 2, 3, 4), (2, 3, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}, (1, 1), (6, 8)),
    ((1, 2, 3, 4), (2, 1, 3, 3), {"strides": [3, 2], "output_padding": [2, 1]}, (0, 0), (11, 10)),
    ((1, 4, 3, 4), (4, 2, 3, 2), {"strides": [2, 1], "group": 2, "pads": [1, 0, 0, 1]}, (1, 0), (6, 4)),
    ((1, 4, 4), (4, 1, 3), {"strides": [2], "group": 4, "dilations": [2]}, (0,), (11,)),
    ((1, 2, 3, 3), (2, 1, 2, 2), {"strides": [3, 3], "dilations": [2, 1]}, (0, 0), (9, 8)),
    ((1, 1, 2, 3, 2), (1, 2, 2, 1, 3), {"strides": [1, 2, 2]}, (0, 0, 0), (3, 5, 5)),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"strides": [3, 2], "output_shape": [10, 8]}, (0, 0), (10, 8)),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"strides": [1, 1], "output_shape": [4, 4]}, (1, 1), (4, 4)),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}, (0, 0), (6, 6)),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_LOWER"}, (1, 1), (6, 6)),
    ((1, 1, 3, 3), (1, 2, 3, 3), {"auto_pad": "VALID", "strides": [2, 2]}, (0, 0), (7, 7)),
    ((1, 1, 5), (1, 1, 2), {"pads": [2, 2]}, (2,), (2,)),
]


@pytest.mark.parametrize(("x_shape", "w_shape", "attributes", "begins", "shape"), CASES)
def test_elements(
    x_shape: tuple[int, ...],
    w_shape: tuple[int, ...],
    attributes: dict[str, Any],
    begins: tuple[int, ...],
    shape: tuple[int, ...],
) -> None:
    random = np.random.default_rng(1)
    x, w = (random.standard_normal(size).astype(np.float32) for size in (x_shape, w_shape))
    bias = random.standard_normal(w_shape[1] * attributes.get("group", 1)).astype(np.float32)
    graph = import_node("ConvTranspose", {"x": x_shape, "w": w, "b": bias}, attributes, opset=11)
    assert graph.outputs["y"].type.shape[2:] == shape
    wanted = scattered(x, w, bias, {**attributes, "begins": begins}, shape)
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("w", "attributes", "message"),
    [
        ((3, 2, 3, 3), {}, "input X is .* but input W is float<3 x 2 x 3 x 3> for 1 groups"),
        ((2, 2, 3), {}, "ranks must agree"),
        ((2, 2, 3, 3), {"kernel_shape": [2, 2]}, "kernel_shape is"),
        ((2, 2, 3, 3), {"pads": [3, 0, 2, 0]}, "the pads take all of the 5 elements"),
        ((2, 2, 3, 3), {"output_padding": [1]}, "output_padding or output_shape"),
    ],
)
def test_errors(w: tuple[int, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=f"ConvTranspose: .*{message}"):
        import_node("ConvTranspose", {"x": (1, 2, 3, 3), "w": w}, attributes, opset=11)
