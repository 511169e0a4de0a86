"""Operators on single elements by their indices, known or not: the graph computes what ONNX's reference computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import Operand, import_node, one_node_model
from onnx.reference import ReferenceEvaluator

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant
from inbundle.graph.onnx import evaluate
from inbundle.graph.types import TensorType, of_array

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
UPDATES = np.array([[[100, 200, 300]], [[400, 500, 600]]], np.float32)


def ints(numbers: Any, dtype: Any = np.int64) -> np.ndarray:
    return np.array(numbers, dtype)


TWICE = {"x": X, "i": ints([[[0, 1, 1]], [[-1, 2, 2]]]), "u": UPDATES}
CASES: list[tuple[str, int, dict[str, np.ndarray], dict[str, Any]]] = [
    ("GatherElements", 11, {"x": X, "i": ints([[[0, -1, 1, 2]], [[2, 2, -3, 0]]])}, {"axis": 1}),
    ("GatherElements", 13, {"x": X, "i": ints([[[3, -4]] * 3, [[0, 1]] * 3], np.int32)}, {"axis": 2}),
    ("GatherND", 12, {"x": X, "i": ints([[0, -1], [1, 0]])}, {}),
    ("GatherND", 12, {"x": X, "i": ints([[[1, 2, 3]], [[0, 0, -4]]])}, {}),
    ("GatherND", 13, {"x": X, "i": ints([[[1]], [[-1]]])}, {"batch_dims": 1}),
    ("GatherND", 13, {"x": X, "i": ints([[[1, 0], [0, 3]], [[-1, 2], [2, -2]]])}, {"batch_dims": 1}),
    ("ScatterElements", 18, {"x": X, "i": ints([[[0, 1, 1]], [[-1, 2, 0]]]), "u": UPDATES}, {"axis": 1}),
    *(("ScatterElements", 18, TWICE, {"axis": 2, "reduction": by}) for by in ("add", "mul", "max", "min")),
    ("ScatterND", 11, {"x": X, "i": ints([[1], [-2]]), "u": -X}, {}),
    ("ScatterND", 18, {"x": X, "i": ints([[1, 2], [0, -1], [1, 2]]), "u": -X[0]}, {"reduction": "add"}),
    ("ReverseSequence", 10, {"x": X, "n": ints([1, 2, 2])}, {}),
    ("ReverseSequence", 10, {"x": X, "n": ints([3, 2])}, {"batch_axis": 0, "time_axis": 1}),
]  # fmt: skip


def check(operator: str, opset: int, operands: dict[str, np.ndarray], attributes: dict[str, Any], known: bool) -> None:
    """With the indices known at compile time, or not."""
    shown: dict[str, Operand] = {
        name: data if known and data.dtype.kind == "i" else of_array(data) for name, data in operands.items()
    }
    graph = import_node(operator, shown, attributes, opset=opset)
    types: dict[str, Operand] = {name: of_array(data) for name, data in operands.items()}
    (wanted,) = ReferenceEvaluator(one_node_model(operator, types, attributes, opset=opset)).run(None, operands)
    given = {value.name: operands[value.name] for value in graph.inputs}
    np.testing.assert_array_equal(evaluate(graph, given)["y"], wanted)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("operator", "opset", "operands", "attributes"), CASES)
def test_result(
    operator: str, opset: int, operands: dict[str, np.ndarray], attributes: dict[str, Any], known: bool
) -> None:
    check(operator, opset, operands, attributes, known)


def test_known_indices_are_known_in_the_flattened_tensor() -> None:
    graph = import_node("GatherElements", {"x": X.shape, "i": ints([[[0, 1]]])}, {"axis": 2}, opset=13)
    places = graph.nodes[-1].input(1)
    assert isinstance(places, Constant)
    assert places.data.tolist() == [[[0, 1]]]


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(axis: int) -> None:
    operands = {"i": ints([[0, 2, -1], [5, -4, 1]]), "d": ints(3), "v": np.array([-1, 4], np.float32)}
    shown: dict[str, Operand] = {"i": TensorType(of_array(operands["i"]).elem, (2, 3)), "d": operands["d"]}
    graph = import_node("OneHot", {**shown, "v": of_array(operands["v"])}, {"axis": axis}, opset=11)
    is_on = np.arange(3) == np.where(operands["i"] < 0, operands["i"] + 3, operands["i"])[..., None]
    wanted = np.moveaxis(np.where(is_on, 4, -1), -1, axis)
    np.testing.assert_array_equal(evaluate(graph, {"i": operands["i"], "v": operands["v"]})["y"], wanted)


@pytest.mark.parametrize("attributes", [{}, {"axis": 1}])
def test_compress(attributes: dict[str, int]) -> None:
    condition = np.array([True, False, True])
    graph = import_node("Compress", {"x": X.shape, "c": condition}, attributes, opset=9)
    wanted = np.compress(condition, X, **attributes)
    np.testing.assert_array_equal(evaluate(graph, {"x": X})["y"], wanted)


@pytest.mark.parametrize("opset", [1, 10, 11])
def test_top_k(opset: int) -> None:
    operands: dict[str, Operand] = {"x": (3, 4)}
    attributes: dict[str, Any] = {"axis": 0}
    if opset == 1:
        attributes["k"] = 2
    else:
        operands["k"] = ints([2])
    graph = import_node("TopK", operands, attributes, opset=opset, outputs=("y", "i"))
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(np.float32)
    results = evaluate(graph, {"x": x})
    np.testing.assert_array_equal(results["y"], -np.sort(-x, axis=0)[:2])
    np.testing.assert_array_equal(results["i"], np.argsort(-x, axis=0)[:2])


def test_the_oldest_scatter_is_scatter_elements() -> None:
    graph = import_node("Scatter", {"x": (3, 3), "i": ints([[1, 0, 2]]), "u": (1, 3)}, opset=9)
    x, u = np.zeros((3, 3), np.float32), np.array([[1, 2, 3]], np.float32)
    assert evaluate(graph, {"x": x, "u": u})["y"].tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 3]]


@pytest.mark.parametrize(
    ("operator", "operands", "message"),
    [
        ("GatherElements", {"x": (2, 3), "i": ints([[5, 0]])}, r"an index of 'i' is outside \[-2, 1\]"),
        ("GatherElements", {"x": (2, 3), "i": ints([0])}, "ranks must agree"),
        ("GatherND", {"x": (2, 3), "i": ints([[0, 0, 0]])}, "the indices are .* for data of"),
        ("ScatterND", {"x": (2, 3), "i": ints([[0]]), "u": (1, 2)}, "the updates are"),
        ("ScatterElements", {"x": (2, 3), "i": ints([[0]]), "u": (1, 2)}, "the updates are"),
        ("TopK", {"x": (2, 3), "k": ints([4])}, "4 elements are wanted of 3"),
    ],
)
def test_errors(operator: str, operands: dict[str, Operand], message: str) -> None:
    outputs = ("y", "i2") if operator == "TopK" else ("y",)
    with pytest.raises(CompileError, match=f"{operator}: .*{message}"):
        import_node(operator, operands, opset=13, outputs=outputs)
