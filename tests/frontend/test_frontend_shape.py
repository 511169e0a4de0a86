"""Reshape and its kin, Transpose, Expand, Identity, Dropout, Cast: every form by opset, shapes, values, errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from one_node_model import import_node, kinds, one_node_model, onnx_shapes
from onnx import TensorProto, defs, helper
from shape_kinds_in_numpy import run

from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model
from inbundle.graph.graph import Constant
from inbundle.graph.types import ElemKind, TensorType
from inbundle.options import CompileOptions

NEWEST = defs.onnx_opset_version()
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def ints(*numbers: int) -> np.ndarray:
    return np.asarray(numbers, np.int64)


FORMS: list[tuple[str, tuple[int, ...], dict[str, Any], dict[str, Any], tuple[int, ...], tuple[int, ...]]] = [
    # operator, opsets, further operands, attributes, shape of x, shape of the result
    ("Flatten", (1, 9, 11, 13, 21, NEWEST), {}, {}, (2, 3, 4), (2, 12)),
    ("Flatten", (1, 13), {}, {"axis": 0}, (2, 3, 4), (1, 24)),
    ("Flatten", (1, 13), {}, {"axis": 3}, (2, 3, 4), (24, 1)),
    ("Flatten", (11, 13), {}, {"axis": -1}, (2, 3, 4), (6, 4)),
    ("Flatten", (13,), {}, {"axis": 0}, (), (1, 1)),
    ("Reshape", (1,), {}, {"shape": [4, 6]}, (2, 3, 4), (4, 6)),
    ("Reshape", (1,), {}, {"shape": [0, -1]}, (2, 3, 4), (2, 12)),
    ("Reshape", (5, 13, 14, NEWEST), {"s": ints(0, -1)}, {}, (2, 3, 4), (2, 12)),
    ("Reshape", (5, 14), {"s": ints(4, 0, -1)}, {}, (2, 3, 4), (4, 3, 2)),
    ("Reshape", (14,), {"s": ints(0, 5)}, {"allowzero": 1}, (2, 0), (0, 5)),
    ("Reshape", (14,), {"s": ints(0, 0, 7)}, {}, (2, 0, 7), (2, 0, 7)),
    ("Reshape", (5, 14), {"s": np.zeros(0, np.int64)}, {}, (1, 1), ()),
    ("Squeeze", (1, 11), {}, {"axes": [0, 2]}, (1, 3, 1, 4), (3, 4)),
    ("Squeeze", (1, 13, NEWEST), {}, {}, (1, 3, 1), (3,)),
    ("Squeeze", (11,), {}, {"axes": [-2]}, (1, 3, 1, 4), (1, 3, 4)),
    ("Squeeze", (13, 21), {"axes": ints(-2, 0)}, {}, (1, 3, 1, 4), (3, 4)),
    ("Unsqueeze", (1, 11), {}, {"axes": [0, 2]}, (3, 4), (1, 3, 1, 4)),
    ("Unsqueeze", (11,), {}, {"axes": [-1]}, (3, 4), (3, 4, 1)),
    ("Unsqueeze", (13, NEWEST), {"axes": ints(3, 0)}, {}, (3, 4), (1, 3, 4, 1)),
    ("Unsqueeze", (13,), {"axes": np.asarray(-1)}, {}, (), (1,)),
    ("Transpose", (1, 13, NEWEST), {}, {}, (2, 3, 4), (4, 3, 2)),
    ("Transpose", (1, 13), {}, {"perm": [1, 2, 0]}, (2, 3, 4), (3, 4, 2)),
    ("Transpose", (13,), {}, {}, (), ()),
    ("Expand", (8, 13), {"s": ints(2, 1, 4)}, {}, (3, 1), (2, 3, 4)),
    ("Expand", (8,), {"s": ints(1, 1)}, {}, (2, 3, 4), (2, 3, 4)),
    ("Expand", (13,), {"s": ints(0)}, {}, (2, 1), (2, 0)),
]


@pytest.mark.parametrize(("operator", "opsets", "operands", "attributes", "shape", "wanted"), FORMS)
def test_result_has_the_shape_of_the_onnx_text(
    operator: str,
    opsets: tuple[int, ...],
    operands: dict[str, Any],
    attributes: dict[str, Any],
    shape: tuple[int, ...],
    wanted: tuple[int, ...],
) -> None:
    for opset in opsets:
        graph = import_node(operator, {"x": shape, **operands}, attributes, opset=opset)
        assert graph.outputs["y"].type == TensorType(ElemKind.FLOAT, wanted)
        if opset >= 5:  # ONNX infers nothing for the oldest Reshape
            assert onnx_shapes(one_node_model(operator, {"x": shape, **operands}, attributes, opset=opset)) == [wanted]
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        assert run(graph, {"x": x})["y"].size == (x.size if operator != "Expand" else np.prod(wanted))


def test_flatten_squeeze_and_unsqueeze_are_reshapes() -> None:
    assert kinds(import_node("Flatten", {"x": (2, 3, 4)}, opset=13)) == ["Reshape"]
    assert kinds(import_node("Squeeze", {"x": (1, 3)}, opset=13)) == ["Reshape"]
    assert kinds(import_node("Unsqueeze", {"x": (3,), "a": ints(0)}, opset=13)) == ["Reshape"]


def test_a_reshape_to_the_same_shape_vanishes() -> None:
    graph = import_node("Reshape", {"x": (2, 3), "s": ints(0, 3)}, opset=13)
    assert kinds(graph) == []
    assert graph.outputs["y"] is graph.inputs[0]


def test_transpose_moves_the_elements() -> None:
    graph = import_node("Transpose", {"x": X.shape}, {"perm": [2, 0, 1]}, opset=13)
    np.testing.assert_array_equal(run(graph, {"x": X})["y"], X.transpose(2, 0, 1))


def test_identity_of_an_input_is_the_input() -> None:
    graph = import_node("Identity", {"x": (2, 3)}, opset=1)
    assert kinds(graph) == []
    assert graph.outputs["y"] is graph.inputs[0]


@pytest.mark.parametrize(
    ("opset", "operands", "attributes"),
    [
        (1, {}, {"is_test": 1}),
        (6, {}, {"ratio": 0.3}),
        (7, {}, {"ratio": 0.3}),
        (10, {}, {}),
        (12, {"r": np.asarray(0.3, np.float32)}, {}),
        (13, {"r": np.asarray(0.3, np.float32), "t": np.asarray(False)}, {"seed": 3}),
        (22, {"r": None, "t": np.asarray(False)}, {}),
    ],
)
def test_dropout_is_the_identity(opset: int, operands: dict[str, Any], attributes: dict[str, Any]) -> None:
    graph = import_node("Dropout", {"x": (2, 3), **operands}, attributes, opset=opset, outputs=("y", "mask"))
    mask = graph.outputs["mask"]
    assert graph.outputs["y"] is graph.inputs[0]
    assert isinstance(mask, Constant)
    assert mask.data.all()
    assert mask.type == TensorType(ElemKind.BOOL if opset >= 10 else ElemKind.FLOAT, (2, 3))
    plain = import_node("Dropout", {"x": (2, 3), **operands}, attributes, opset=opset)
    assert plain.constants == []


def test_dropout_in_training_is_refused() -> None:
    with pytest.raises(CompileError, match=r"node 'node': Dropout: training_mode is true"):
        import_node("Dropout", {"x": (2,), "r": np.asarray(0.3, np.float32), "t": np.asarray(True)}, opset=13)


@pytest.mark.parametrize("kind", ElemKind)
def test_cast_reaches_every_element_kind(kind: ElemKind) -> None:
    number = helper.np_dtype_to_tensor_dtype(kind.dtype)
    graph = import_node("Cast", {"x": (2,)}, {"to": number}, opset=19)
    assert graph.outputs["y"].type == TensorType(kind, (2,))
    assert kinds(graph) == ([] if kind is ElemKind.FLOAT else ["Cast"])


def test_cast_by_name_and_by_number_and_like() -> None:
    for graph in (
        import_node("Cast", {"x": (2,)}, {"to": "INT32"}, opset=1),
        import_node("Cast", {"x": (2,)}, {"to": TensorProto.INT32}, opset=6),
        import_node("Cast", {"x": (2,)}, {"to": TensorProto.INT32, "saturate": 0}, opset=19),
        import_node("CastLike", {"x": (2,), "like": np.zeros(1, np.int32)}, opset=15),
    ):
        (node,) = graph.nodes
        assert node.attributes == {"to": "INT32"}
        np.testing.assert_array_equal(run(graph, {"x": np.asarray([1.7, -1.7], np.float32)})["y"], [1, -1])


def test_bfloat16_constants_keep_their_values() -> None:
    weights = np.asarray([1.5, -3.0], ml_dtypes.bfloat16)
    graph = import_node("Concat", {"x": TensorType(ElemKind.BFLOAT16, (1,)), "w": weights}, {"axis": 0}, opset=13)
    np.testing.assert_array_equal(graph.constants[0].data, weights)
    assert graph.outputs["y"].type == TensorType(ElemKind.BFLOAT16, (3,))


ERRORS: list[tuple[str, int, dict[str, Any], dict[str, Any], str]] = [
    ("Flatten", 13, {"x": (2, 3)}, {"axis": 4}, r"Flatten: attribute 'axis': axis 4 is outside \[-2, 1\]"),
    ("Reshape", 13, {"x": (2, 3), "s": ints(4, -1)}, {}, r"Reshape: cannot reshape float<2 x 3> \(6 elements\) to"),
    ("Reshape", 13, {"x": (2, 3), "s": ints(4, 2)}, {}, "cannot reshape"),
    ("Reshape", 13, {"x": (2, 3), "s": ints(-1, -1)}, {}, "more than one unknown dimension"),
    ("Reshape", 13, {"x": (2, 3), "s": ints(2, -3)}, {}, "a negative one"),
    ("Reshape", 13, {"x": (2, 3), "s": ints(2, 3, 0)}, {}, r"keeps dimension 2, but the data is float<2 x 3>"),
    ("Reshape", 13, {"x": (2,), "s": np.ones(1, np.float32)}, {}, r"shape \(input 1\) must be integers"),
    ("Reshape", 13, {"x": (2,), "s": TensorType(ElemKind.INT64, (1,))}, {}, r"data-dependent shape: input 1 \('s'\)"),
    ("Squeeze", 11, {"x": (2, 1)}, {"axes": [0]}, "its size is not 1"),
    ("Squeeze", 13, {"x": (2, 1), "a": ints(1, -1)}, {}, "name an axis twice"),
    ("Unsqueeze", 11, {"x": (2,)}, {}, "attribute 'axes': the attribute is missing"),
    ("Unsqueeze", 13, {"x": (2,), "a": ints(2)}, {}, r"axes 2 is outside \[-2, 1\]"),
    ("Transpose", 13, {"x": (2, 3)}, {"perm": [0, 0]}, "perm .0, 0. is no permutation"),
    ("Expand", 13, {"x": (2, 3), "s": ints(2, 2)}, {}, "cannot expand float<2 x 3> to"),
    ("Cast", 5, {"x": (2,)}, {"to": "REAL"}, "attribute 'to': 'REAL' is no element type"),
    ("Cast", 13, {"x": (2,)}, {"to": TensorProto.STRING}, "element type string, which is not supported"),
    ("Cast", 19, {"x": (2,)}, {"to": TensorProto.FLOAT8E4M3FN}, "element type float8e4m3fn, which is not"),
    ("Cast", 13, {"x": (2,)}, {"to": 99}, "no valid element type"),
]


@pytest.mark.parametrize(("operator", "opset", "operands", "attributes", "message"), ERRORS)
def test_errors_name_node_operator_and_reason(
    operator: str, opset: int, operands: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError) as failure:
        import_node(operator, operands, attributes, opset=opset)
    line = str(failure.value)
    assert line.startswith(f"model: node 'node': {operator}: ")
    failure.match(message)


def test_a_batch_that_contradicts_a_baked_in_reshape_names_the_reshape() -> None:
    model = one_node_model("Reshape", {"x": (1, 4), "s": ints(1, 4)}, opset=13)
    with pytest.raises(CompileError, match=r"node 'node': Reshape: cannot reshape float<2 x 4> \(8 elements\)"):
        graph_of_model(model, CompileOptions(model_input=("x,float,[2,4]",)), name="model", base_dir=None)
