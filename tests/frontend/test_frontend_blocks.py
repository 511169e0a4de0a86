"""Operators that move blocks of elements, or give constants: the graph computes what ONNX's reference computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import Operand, import_node, one_node_model
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

from inbundle.errors import CompileError, DataDependentError
from inbundle.graph.onnx import evaluate


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


CASES: list[tuple[str, int, dict[str, Operand], dict[str, Any]]] = [
    ("DepthToSpace", 1, {"x": (2, 12, 2, 3)}, {"blocksize": 2}),
    ("DepthToSpace", 13, {"x": (1, 18, 2, 3)}, {"blocksize": 3, "mode": "DCR"}),
    ("DepthToSpace", 13, {"x": (2, 12, 2, 3)}, {"blocksize": 2, "mode": "CRD"}),
    ("SpaceToDepth", 1, {"x": (2, 3, 4, 6)}, {"blocksize": 2}),
    ("SpaceToDepth", 13, {"x": (1, 2, 3, 9)}, {"blocksize": 3}),
    ("Tile", 6, {"x": (2, 3), "r": ints(2, 1)}, {}),
    ("Tile", 13, {"x": (2, 1, 3), "r": ints(3, 4, 2)}, {}),
    ("Tile", 13, {"x": (2, 3), "r": ints(1, 1)}, {}),
    ("Tile", 13, {"x": (2, 3), "r": ints(0, 2)}, {}),
    ("Trilu", 14, {"x": (2, 3, 4)}, {}),
    ("Trilu", 14, {"x": (4, 3), "k": np.array(-1)}, {"upper": 0}),
    ("Trilu", 14, {"x": (4, 5), "k": np.array(2)}, {}),
    ("CenterCropPad", 18, {"x": (5, 4), "s": ints(2, 7)}, {}),
    ("CenterCropPad", 18, {"x": (2, 5, 4), "s": ints(4)}, {"axes": [-2]}),
    ("EyeLike", 9, {"x": (3, 4)}, {}),
    ("EyeLike", 22, {"x": (3, 4)}, {"k": -1, "dtype": TensorProto.INT32}),
]


@pytest.mark.parametrize(("operator", "opset", "operands", "attributes"), CASES)
def test_result(operator: str, opset: int, operands: dict[str, Operand], attributes: dict[str, Any]) -> None:
    graph = import_node(operator, operands, attributes, opset=opset)
    random = np.random.default_rng(1)
    shapes = {name: shape for name, shape in operands.items() if isinstance(shape, tuple)}
    given = {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    (wanted,) = ReferenceEvaluator(one_node_model(operator, operands, attributes, opset=opset)).run(None, given)
    computed = evaluate(graph, {value.name: given[value.name] for value in graph.inputs})["y"]
    assert computed.dtype == wanted.dtype
    np.testing.assert_array_equal(computed, wanted)


def test_the_oldest_tile_takes_one_axis() -> None:
    one = np.ones(1, np.float32)
    graph = import_node("Tile", {"x": (2, 3), "n": 2 * one, "axis": one}, opset=1)
    assert graph.outputs["y"].type.shape == (2, 6)


@pytest.mark.parametrize(
    ("operator", "operands", "attributes", "message"),
    [
        ("DepthToSpace", {"x": (1, 6, 2, 2)}, {"blocksize": 2}, "6 channels are no multiple of 2 x 2"),
        ("DepthToSpace", {"x": (1, 4, 2, 2)}, {"blocksize": 2, "mode": "X"}, "the mode is 'X' .it is DCR or CRD"),
        ("SpaceToDepth", {"x": (1, 1, 3, 4)}, {"blocksize": 2}, "an image of 3 x 4 is no multiple of 2 x 2"),
        ("SpaceToDepth", {"x": (3, 4)}, {"blocksize": 2}, "the input is float<3 x 4>, N x C x H x W is needed"),
        ("Tile", {"x": (2, 3), "r": ints(2)}, {}, r"repeats \[2\] do not fit float<2 x 3>"),
        ("Trilu", {"x": (3,)}, {}, "the input is float<3>, matrices are needed"),
    ],
)
def test_errors(operator: str, operands: dict[str, Operand], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=f"{operator}: .*{message}"):
        import_node(operator, operands, attributes, opset=14)


@pytest.mark.parametrize("operator", ["Range", "Tile"])
def test_a_shape_that_only_the_run_knows_is_refused(operator: str) -> None:
    operands: dict[str, Operand] = {"a": (), "b": (), "c": ()} if operator == "Range" else {"a": (2,), "b": (1,)}
    with pytest.raises(DataDependentError, match=f"{operator}: data-dependent"):
        import_node(operator, operands, opset=13)
