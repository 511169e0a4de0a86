"""ReduceX, ArgMax, ArgMin: axes as attribute or input by opset, values against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import import_node, one_node_model, onnx_shapes
from onnx import defs
from shape_kinds_in_numpy import run

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType

NEWEST = defs.onnx_opset_version()
X = np.random.default_rng(1).standard_normal((2, 3, 4), np.float32)
NUMPY = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min}
AXES_ARE_INPUT_FROM = {"ReduceSum": 13, "ReduceMean": 18, "ReduceMax": 18, "ReduceMin": 18}
CASES = [(None, True), ((0,), True), ((1, 2), False), ((-1,), True), ((2, 0), False), ((0, 1, 2), False)]


@pytest.mark.parametrize("opset", [1, 11, 12, 13, 17, 18, 20, NEWEST])
@pytest.mark.parametrize("operator", NUMPY)
def test_reduction_equals_numpy(operator: str, opset: int) -> None:
    for axes, keepdims in CASES:
        attributes: dict[str, Any] = {"keepdims": int(keepdims)}
        operands: dict[str, Any] = {"x": X.shape}
        if axes is not None and opset >= AXES_ARE_INPUT_FROM[operator]:
            operands["axes"] = np.asarray(axes)
        elif axes is not None:
            attributes["axes"] = axes
        got = run(import_node(operator, operands, attributes, opset=opset), {"x": X})["y"]
        np.testing.assert_allclose(got, NUMPY[operator](X, axis=axes, keepdims=keepdims), rtol=1e-6)
        assert onnx_shapes(one_node_model(operator, operands, attributes, opset=opset)) == [got.shape]


def test_no_axes_reduce_all_or_nothing() -> None:
    empty = np.zeros(0, np.int64)
    everything = import_node("ReduceSum", {"x": X.shape, "axes": empty}, {"keepdims": 0}, opset=13)
    assert everything.outputs["y"].type.shape == ()
    nothing = import_node("ReduceSum", {"x": X.shape, "axes": empty}, {"noop_with_empty_axes": 1}, opset=13)
    assert nothing.outputs["y"] is nothing.inputs[0]
    absent = import_node("ReduceMax", {"x": X.shape}, {"noop_with_empty_axes": 1}, opset=18)
    assert absent.outputs["y"] is absent.inputs[0]


def test_a_scalar_is_its_own_sum() -> None:
    assert import_node("ReduceSum", {"x": ()}, opset=13).outputs["y"].type.shape == ()


@pytest.mark.parametrize("operator", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize(
    ("opset", "attributes"),
    [
        (1, {}),
        (1, {"axis": 2, "keepdims": 0}),
        (11, {"axis": -2}),
        (12, {"axis": 1, "select_last_index": 1}),
        (13, {"axis": 2, "keepdims": 0, "select_last_index": 1}),
    ],
)
def test_index_of_the_extreme(operator: str, opset: int, attributes: dict[str, Any]) -> None:
    ties = np.asarray([[[1, 5, 5, 1], [1, 1, 5, 0], [0, 0, 5, 5]]] * 2, np.float32)
    got = run(import_node(operator, {"x": ties.shape}, attributes, opset=opset), {"x": ties})["y"]
    axis, keepdims = attributes.get("axis", 0), bool(attributes.get("keepdims", 1))
    best = ties.max(axis, keepdims=True) if operator == "ArgMax" else ties.min(axis, keepdims=True)
    order = np.cumsum(ties == best, axis)
    last = order.max(axis, keepdims=True) if attributes.get("select_last_index") else 1
    index = np.argmax((order == last) & (ties == best), axis, keepdims=keepdims)
    np.testing.assert_array_equal(got, index)
    assert got.dtype == np.int64


ERRORS: list[tuple[str, int, dict[str, Any], dict[str, Any], str]] = [
    ("ReduceSum", 11, {"x": (2, 3)}, {"axes": [2]}, r"attribute 'axes': axes 2 is outside \[-2, 1\]"),
    ("ReduceSum", 13, {"x": (2, 3)}, {"axes": [0]}, "attribute 'axes': there is no such attribute in opset 13"),
    ("ReduceMean", 13, {"x": (2, 3)}, {"axes": [0, -2]}, "name an axis twice"),
    ("ReduceMax", 18, {"x": (2,), "a": TensorType(ElemKind.INT64, (1,))}, {}, r"data-dependent axes: input 1 \('a'\)"),
    ("ReduceMean", 13, {"x": (2, 0)}, {"axes": [1]}, "there is no element"),
    ("ReduceSum", 13, {"x": TensorType(ElemKind.BOOL, (2,))}, {}, "the operand must be a number"),
    ("ArgMax", 13, {"x": (2, 3)}, {"axis": 2}, r"attribute 'axis': axis 2 is outside \[-2, 1\]"),
    ("ArgMax", 13, {"x": (2, 0)}, {"axis": 1}, "there is no element"),
]


@pytest.mark.parametrize(("operator", "opset", "operands", "attributes", "message"), ERRORS)
def test_errors_name_node_operator_and_reason(
    operator: str, opset: int, operands: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError) as failure:
        import_node(operator, operands, attributes, opset=opset)
    assert str(failure.value).startswith(f"model: node 'node': {operator}: ")
    failure.match(message)
