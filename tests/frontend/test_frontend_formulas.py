"""Operators that are formulas of other kinds: what the graph computes is what ONNX's reference computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import import_node, one_node_model
from onnx.reference import ReferenceEvaluator

from inbundle.graph.onnx import evaluate
from inbundle.graph.types import ElemKind, TensorType

X = np.concatenate([np.linspace(-6, 6, 37), [-100, 100, 0.5, -0.5]]).reshape(41, 1)
CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("Softsign", 1, {}),
    ("Softsign", 22, {}),
    ("Mish", 18, {}),
    ("Swish", 24, {}),
    ("Swish", 24, {"alpha": 0.5}),
    ("Selu", 6, {}),
    ("Selu", 22, {"alpha": 0.7, "gamma": 2.0}),
    ("Celu", 12, {}),
    ("Celu", 12, {"alpha": 2.0}),
    ("Celu", 12, {"alpha": -0.5}),
    ("ThresholdedRelu", 10, {}),
    ("ThresholdedRelu", 22, {"alpha": -0.5}),
    ("Shrink", 9, {}),
    ("Shrink", 9, {"lambd": 1.5, "bias": 1.0}),
    ("Tan", 7, {}),
    ("Softplus", 1, {}),
]


@pytest.mark.parametrize(("operator", "opset", "attributes"), CASES)
@pytest.mark.filterwarnings("ignore:overflow")
def test_formula(operator: str, opset: int, attributes: dict[str, Any]) -> None:
    x = X.astype(np.float32) if attributes.get("alpha") != -0.5 else np.clip(X, -10, 10).astype(np.float32)
    operands = {"x": TensorType(ElemKind.FLOAT, x.shape)}
    graph = import_node(operator, operands, attributes, opset=opset)
    assert graph.outputs["y"].name == "y"
    (wanted,) = ReferenceEvaluator(one_node_model(operator, operands, attributes, opset=opset)).run(None, {"x": x})
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=2e-5, atol=2e-6)


def test_mod_of_every_sign() -> None:
    operands = {"a": TensorType(ElemKind.INT32, (4,)), "b": TensorType(ElemKind.INT32, (4,))}
    given = {"a": np.array([7, -7, 7, -7], np.int32), "b": np.array([3, 3, -3, -3], np.int32)}
    for fmod, wanted in ((0, [1, 2, -2, -1]), (1, [1, -1, 1, -1])):
        graph = import_node("Mod", operands, {"fmod": fmod}, opset=13)
        assert evaluate(graph, given)["y"].tolist() == wanted
