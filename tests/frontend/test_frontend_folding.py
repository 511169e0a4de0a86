"""Constants of the model, and shape arithmetic that vanishes while the model is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from one_node_model import import_node, kinds
from onnx import TensorProto, helper, numpy_helper

from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model
from inbundle.graph.graph import Constant, Graph
from inbundle.options import CompileOptions


def imported(nodes: list[onnx.NodeProto], shape: tuple[int, ...], opset: int = 13, **constants: np.ndarray) -> Graph:
    """The graph of `nodes` from x of `shape` to y."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    weights = [numpy_helper.from_array(data, name) for name, data in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name="y")], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return graph_of_model(model, CompileOptions(), name="m", base_dir=None)


def constant_output(graph: Graph) -> np.ndarray:
    value = graph.outputs["y"]
    assert isinstance(value, Constant)
    assert graph.nodes == []
    return value.data


def folded(operator: str, *operands: np.ndarray, opset: int = 13, **attributes: Any) -> np.ndarray:
    named = {f"c{index}": operand for index, operand in enumerate(operands)}
    return constant_output(import_node(operator, named, attributes, opset=opset))


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        ({"value": numpy_helper.from_array(np.ones((2, 1), np.int8))}, np.ones((2, 1), np.int8)),
        ({"value_float": 1.5}, np.float32(1.5)),
        ({"value_floats": [1.5, 2.5]}, np.asarray([1.5, 2.5], np.float32)),
        ({"value_int": 7}, np.int64(7)),
        ({"value_ints": [7, -1]}, np.asarray([7, -1])),
    ],
)
def test_constant_in_every_form(attributes: dict[str, Any], wanted: np.ndarray) -> None:
    got = constant_output(import_node("Constant", {}, attributes, opset=13))
    np.testing.assert_array_equal(got, wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"value_string": "a"}, "Constant: attribute 'value_string': string constants"),
        ({}, "needs exactly one value attribute, not 0"),
        ({"value_int": 1, "value_float": 2.0}, "needs exactly one value attribute, not 2"),
        (
            {"value": helper.make_tensor("v", TensorProto.STRING, [1], ["a"])},
            "attribute 'value' has element type string",
        ),
    ],
)
def test_constants_that_are_refused(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        import_node("Constant", {}, attributes, opset=13)


def sparse_constant(values: np.ndarray, indices: np.ndarray, dims: list[int]) -> Graph:
    tensors = (numpy_helper.from_array(array) for array in (values, indices))
    return import_node("Constant", {}, {"sparse_value": helper.make_sparse_tensor(*tensors, dims)}, opset=11)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (), (0, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@pytest.mark.parametrize("linear", [True, False])
def test_sparse_constant_becomes_dense(shape: tuple[int, ...], dtype: type, linear: bool) -> None:
    generator = np.random.default_rng(len(shape))
    wanted = (generator.integers(1, 9, shape) * generator.integers(0, 2, shape)).astype(dtype)
    places = np.flatnonzero(wanted) if linear else np.argwhere(wanted)
    got = constant_output(sparse_constant(wanted[wanted != 0], places, list(shape)))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, wanted, strict=True)


@pytest.mark.parametrize(
    ("values", "indices", "dims", "message"),
    [
        ([1.0], [4], [2, 2], r"the index \[4\] is outside the 4 elements of shape \[2, 2\]"),
        ([1.0], [-1], [2, 2], r"the index \[-1\] is outside"),
        ([1.0], [[0, 2]], [2, 2], r"the index \[0, 2\] is outside the shape \[2, 2\]"),
        ([1.0, 2.0], [[0, 0], [-1, 1]], [2, 2], r"the index \[-1, 1\] is outside"),
        ([1.0], [0], [0], r"the index \[0\] is outside"),
        ([1.0], [0, 1], [4], r"indices of shape \[2\] for 1 values and rank 1"),
        ([1.0], [[0, 1, 0]], [2, 2], r"indices of shape \[1, 3\] for 1 values and rank 2"),
        ([[1.0]], [0], [4], r"the values have shape \[1, 1\], not one dimension"),
        ([1.0], [0.0], [4], "the indices are float64<1>, not int64"),
        ([1.0, 2.0], [3, 1], [4], "the indices do not ascend"),
        ([1.0, 2.0], [[1, 0], [1, 0]], [2, 2], "the indices do not ascend"),
        ([1.0], [0], [-4], "negative dimension -4"),
        ([1.0], [0], [1 << 14, 1 << 14], "larger than 64 MiB"),
    ],
)
def test_sparse_constants_that_are_refused(values: Any, indices: Any, dims: list[int], message: str) -> None:
    with pytest.raises(CompileError, match=message) as failure:
        sparse_constant(np.asarray(values, np.float32), np.asarray(indices), dims)
    assert str(failure.value).startswith("model: node 'node': Constant: attribute 'sparse_value': ")


def test_constant_of_shape() -> None:
    np.testing.assert_array_equal(folded("ConstantOfShape", np.asarray([2, 3])), np.zeros((2, 3), np.float32))
    fill = helper.make_tensor("value", TensorProto.INT32, [1], [5])
    got = folded("ConstantOfShape", np.zeros(0, np.int64), value=fill, opset=9)
    assert (got.shape, got.dtype, int(got)) == ((), np.int32, 5)
    assert folded("ConstantOfShape", np.asarray([0, 4])).shape == (0, 4)
    two = helper.make_tensor("value", TensorProto.INT32, [2], [5, 6])
    with pytest.raises(CompileError, match="attribute 'value': the fill value has 2 elements"):
        folded("ConstantOfShape", np.asarray([2]), value=two)


@pytest.mark.parametrize(
    ("opset", "attributes", "wanted"),
    [
        (1, {}, [2, 3, 4]),
        (13, {}, [2, 3, 4]),
        (15, {"start": 1}, [3, 4]),
        (15, {"end": -1}, [2, 3]),
        (15, {"start": -9, "end": 9}, [2, 3, 4]),
        (19, {"start": 2, "end": 1}, []),
    ],
)
def test_shape_of_a_tensor_that_is_not_constant(opset: int, attributes: dict[str, int], wanted: list[int]) -> None:
    got = constant_output(import_node("Shape", {"x": (2, 3, 4)}, attributes, opset=opset))
    np.testing.assert_array_equal(got, np.asarray(wanted, np.int64))
    assert got.dtype == np.int64


def test_size_is_a_scalar() -> None:
    got = constant_output(import_node("Size", {"x": (2, 3)}, opset=1))
    assert (got.shape, int(got)) == ((), 6)


@pytest.mark.parametrize(
    ("operator", "operands", "attributes", "wanted"),
    [
        ("Gather", [[5, 6, 7], 1], {}, 6),
        ("Unsqueeze", [5, [0]], {}, [5]),
        ("Concat", [[1], [2, 3]], {"axis": 0}, [1, 2, 3]),
        ("Slice", [[1, 2, 3, 4], [1], [3]], {}, [2, 3]),
        ("Cast", [[1, 0]], {"to": TensorProto.BOOL}, [True, False]),
        ("Mul", [[2, 3], [4]], {}, [8, 12]),
        ("Div", [[7], [2]], {}, [3]),
        ("Range", [1, 9, 3], {}, [1, 4, 7]),
        ("Equal", [[1, 2], [1, 3]], {}, [True, False]),
        ("Expand", [[3], [2, 2]], {}, [[3, 3], [3, 3]]),
        ("Tile", [[1, 2], [2]], {}, [1, 2, 1, 2]),
        ("ReduceProd", [[2, 3, 4]], {"keepdims": 0}, 24),
        ("Squeeze", [[[5]]], {}, 5),
        ("Reshape", [[1, 2, 3, 4], [2, -1]], {}, [[1, 2], [3, 4]]),
        ("NonZero", [[0, 1, 1]], {}, [[1, 2]]),
        ("Not", [[True]], {}, [False]),
    ],
)
def test_operators_on_constants_fold_with_or_without_an_importer(
    operator: str, operands: list[Any], attributes: dict[str, Any], wanted: Any
) -> None:
    got = folded(operator, *(np.asarray(operand) for operand in operands), **attributes)
    np.testing.assert_array_equal(got, wanted)
    assert got.shape == np.shape(wanted)


def test_where_folds() -> None:
    got = folded("Where", np.asarray([True, False]), np.asarray([1, 2]), np.asarray([3, 4]))
    np.testing.assert_array_equal(got, [1, 4])


def test_shapes_computed_in_the_graph_leave_one_reshape() -> None:
    node = helper.make_node
    nodes = [
        node("Shape", ["x"], ["shape"]),
        node("Gather", ["shape", "zero"], ["batch"], axis=0),
        node("Unsqueeze", ["batch", "axes"], ["batches"]),
        node("Concat", ["batches", "rest"], ["wanted"], axis=0),
        node("Reshape", ["x", "wanted"], ["y"]),
    ]
    graph = imported(nodes, (2, 1, 3), zero=np.asarray(0), axes=np.asarray([0]), rest=np.asarray([-1]))
    assert kinds(graph) == ["Reshape"]
    assert graph.outputs["y"].type.shape == (2, 3)
    assert graph.constants == []


def test_a_tensor_of_known_shape_only_is_not_folded() -> None:
    graph = imported([helper.make_node("Add", ["x", "c"], ["y"])], (2,), c=np.ones(2, np.float32))
    assert kinds(graph) == ["Add"]


@pytest.mark.parametrize(
    ("operator", "opset", "operands", "attributes"),
    [
        ("Softmax", 11, [np.zeros((1, 2, 1, 2), np.float32)], {}),
        ("LogSoftmax", 1, [np.zeros((1, 2, 1, 2), np.float32)], {}),
        ("Pad", 13, [np.ones(3, np.float32), np.asarray([-1, 0])], {}),
        ("Mul", 6, [np.ones((2, 3), np.float32), np.ones(2, np.float32)], {"broadcast": 1, "axis": 0}),
    ],
)
def test_what_the_evaluator_gets_wrong_stays_in_the_graph(
    operator: str, opset: int, operands: list[np.ndarray], attributes: dict[str, Any]
) -> None:
    named = {f"c{index}": operand for index, operand in enumerate(operands)}
    assert operator in kinds(import_node(operator, named, attributes, opset=opset))


def test_random_operators_never_fold() -> None:
    with pytest.raises(CompileError, match=r"unsupported operator: RandomNormalLike \(opset 13\)"):
        folded("RandomNormalLike", np.zeros(2, np.float32))


def test_a_small_constant_that_grows_huge_stays_a_node() -> None:
    graph = import_node("Expand", {"c": np.ones(1, np.float32), "s": np.asarray([1 << 12, 1 << 13])}, opset=13)
    assert kinds(graph) == ["Expand"]


def test_a_range_over_everything_is_not_evaluated() -> None:
    with pytest.raises(CompileError, match=r"node 'node': Range: a constant of 1099511627776 elements is larger"):
        folded("Range", np.asarray(0), np.asarray(1 << 40), np.asarray(1))


def test_the_default_domain_may_be_spelt_out() -> None:
    node = helper.make_node("Mod", ["c", "c"], ["y"], domain="ai.onnx")
    np.testing.assert_array_equal(constant_output(imported([node], (1,), c=np.asarray([3]))), [0])


def test_tensor_names_like_those_of_the_folded_model_do_not_clash() -> None:
    nodes = [helper.make_node("Mod", ["out0", "in0"], ["in1"]), helper.make_node("Mod", ["in1", "out0"], ["y"])]
    got = constant_output(imported(nodes, (1,), out0=np.asarray([7]), in0=np.asarray([4])))
    np.testing.assert_array_equal(got, [3])


def test_nothing_unsupported_is_reported_that_would_fold() -> None:
    node = helper.make_node
    nodes = [
        node("NonZero", ["x"], ["unknown"], name="bad"),
        node("Shape", ["unknown"], ["shape"]),
        node("Mod", ["shape", "two"], ["odd"]),
        node("Unique", ["unknown"], ["sum"], name="bad too"),
        node("Reshape", ["x", "odd"], ["y"]),
    ]
    with pytest.raises(CompileError) as failure:
        imported(nodes, (2, 2), two=np.asarray(2))
    assert "NonZero (opset 13) at node 'bad'; Unique (opset 13) at node 'bad too'" in str(failure.value)
    assert "Mod" not in str(failure.value)
