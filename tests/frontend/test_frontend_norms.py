"""Norms, and reductions that are sums of something: the graph computes what ONNX's reference computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import Operand, import_node, one_node_model
from onnx.reference import ReferenceEvaluator

from inbundle.errors import CompileError
from inbundle.graph.onnx import evaluate
from inbundle.graph.types import ElemKind, TensorType

X = (2, 3, 4, 5)
OF_SUMS = ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ReduceProd")
CASES: list[tuple[str, int, dict[str, Operand], dict[str, Any]]] = [
    ("LpNormalization", 1, {"x": X}, {}),
    ("LpNormalization", 22, {"x": X}, {"axis": 1, "p": 1}),
    ("MeanVarianceNormalization", 9, {"x": X}, {}),
    ("MeanVarianceNormalization", 13, {"x": X}, {"axes": [1, -1]}),
    ("RMSNormalization", 23, {"x": X, "s": (5,)}, {}),
    ("RMSNormalization", 23, {"x": X, "s": (4, 5)}, {"axis": 2, "epsilon": 0.1}),
    ("Hardmax", 13, {"x": X}, {"axis": 1}),
    ("CumSum", 11, {"x": X, "axis": np.array(1)}, {}),
    ("CumSum", 14, {"x": X, "axis": np.array(-1)}, {"reverse": 1}),
    ("CumSum", 14, {"x": X, "axis": np.array(0)}, {"exclusive": 1}),
    ("CumSum", 14, {"x": X, "axis": np.array(2)}, {"exclusive": 1, "reverse": 1}),
]


def check(operator: str, opset: int, operands: dict[str, Operand], attributes: dict[str, Any]) -> None:
    graph = import_node(operator, operands, attributes, opset=opset)
    random = np.random.default_rng(1)
    shapes = {name: shape for name, shape in operands.items() if isinstance(shape, tuple)}
    given = {name: random.uniform(0.1, 2, shape).astype(np.float32) for name, shape in shapes.items()}
    (wanted,) = ReferenceEvaluator(one_node_model(operator, operands, attributes, opset=opset)).run(None, given)
    np.testing.assert_allclose(evaluate(graph, given)["y"], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("operator", "opset", "operands", "attributes"), CASES)
def test_result(operator: str, opset: int, operands: dict[str, Operand], attributes: dict[str, Any]) -> None:
    check(operator, opset, operands, attributes)


@pytest.mark.parametrize("operator", OF_SUMS)
def test_reductions(operator: str) -> None:
    for axes, keepdims in ((None, 1), ([1], 0), ([0, -1], 1)):
        attributes: dict[str, Any] = {"keepdims": keepdims}
        check(operator, 13, {"x": X}, {**attributes, **({"axes": axes} if axes else {})})
        check(operator, 18, {"x": X, **({"axes": np.array(axes)} if axes else {})}, attributes)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_pools_by_norms(p: int) -> None:
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 6)).astype(np.float32)
    graph = import_node("GlobalLpPool", {"x": x.shape}, {"p": p}, opset=2)
    wanted = (np.abs(x) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=1e-5)
    oldest = import_node("GlobalLpPool", {"x": x.shape}, {"p": float(p)}, opset=1)
    np.testing.assert_allclose(evaluate(oldest, {"x": x})["y"], wanted, rtol=1e-5)
    window = {"kernel_shape": [2, 3], "strides": [2, 2], "p": p}
    for ceil_mode, shape in ((0, (2, 2)), (1, (3, 3))):
        graph = import_node("LpPool", {"x": x.shape}, {**window, "ceil_mode": ceil_mode}, opset=18)
        padded = np.pad(np.abs(x) ** p, [(0, 0), (0, 0), (0, 1), (0, 1)])
        wanted = np.empty((2, 3, *shape))
        for row, column in np.ndindex(shape):
            window_at = padded[:, :, 2 * row : 2 * row + 2, 2 * column : 2 * column + 3]
            wanted[:, :, row, column] = window_at.sum(axis=(2, 3)) ** (1 / p)
        np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("opset", "attributes"), [(1, {"size": 3}), (13, {"size": 4, "alpha": 0.5, "beta": 0.6, "bias": 2.0})]
)
def test_lrn(opset: int, attributes: dict[str, Any]) -> None:
    """`size` channels around each one: half of them, rounded down, before it."""
    x = np.random.default_rng(1).standard_normal((2, 6, 3, 3)).astype(np.float32)
    graph = import_node("LRN", {"x": x.shape}, attributes, opset=opset)
    size, alpha, beta = attributes["size"], attributes.get("alpha", 1e-4), attributes.get("beta", 0.75)
    before = (size - 1) // 2
    sums = np.stack([(x[:, max(0, c - before) : c - before + size] ** 2).sum(axis=1) for c in range(6)], axis=1)
    wanted = x / (attributes.get("bias", 1.0) + alpha / size * sums) ** beta
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=1e-5)


def test_sums_of_powers_do_not_overflow() -> None:
    x = np.array([[1000.0, 999.0], [-np.inf, -np.inf], [np.inf, 1.0]], np.float32)
    graph = import_node("ReduceLogSumExp", {"x": x.shape, "axes": np.array([1])}, {"keepdims": 0}, opset=18)
    with np.errstate(all="ignore"):
        computed = evaluate(graph, {"x": x})["y"]
    np.testing.assert_allclose(computed, [1000.3133, -np.inf, np.inf], rtol=1e-6)


def test_integers_have_integer_norms() -> None:
    operands = {"x": TensorType(ElemKind.INT32, (3,))}
    for operator, wanted in (("ReduceL2", 13), ("ReduceL1", 19), ("ReduceSumSquare", 169), ("ReduceProd", 144)):
        graph = import_node(operator, operands, {"keepdims": 0}, opset=13)
        assert graph.outputs["y"].type == TensorType(ElemKind.INT32, ())
        assert evaluate(graph, {"x": np.array([3, 4, 12], np.int32)})["y"] == wanted


def test_the_old_hardmax_is_of_rows() -> None:
    x = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
    computed = evaluate(import_node("Hardmax", {"x": x.shape}, opset=11), {"x": x})["y"]
    assert computed.reshape(2, -1).argmax(axis=1).tolist() == x.reshape(2, -1).argmax(axis=1).tolist()
    assert computed.sum() == 2


def test_errors() -> None:
    with pytest.raises(CompileError, match="LpNormalization: attribute 'p': a norm of order 0"):
        import_node("LpNormalization", {"x": (2,)}, {"p": 0}, opset=1)
    with pytest.raises(CompileError, match="LRN: the input is float<2> and size 1"):
        import_node("LRN", {"x": (2,)}, {"size": 1}, opset=13)
