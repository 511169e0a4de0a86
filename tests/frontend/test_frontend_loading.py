"""Model files of every form: binary, text, external data, functions, old and new IR versions, odd orders and names."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from inbundle.frontend import graph_of_model, load_graph
from inbundle.frontend.tensors import array_of
from inbundle.graph.graph import Constant, Graph, Placeholder
from inbundle.graph.types import ElemKind, TensorType
from inbundle.graph.verifier import verify
from inbundle.options import CompileOptions

W = np.arange(6, dtype=np.float32).reshape(2, 3)
TEXT = """
<ir_version: 8, opset_import: ["" : 17]>
tiny (float[2, 3] x) => (float[2, 3] y) <float[2, 3] w = {0, 1, 2, 3, 4, 5}> { y = Add(x, w) }
"""


def tiny(**changes: Any) -> onnx.ModelProto:
    """y = x + w."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    nodes = changes.pop("nodes", [helper.make_node("Add", ["x", "w"], ["y"])])
    weights = changes.pop("weights", [numpy_helper.from_array(W, "w")])
    graph = helper.make_graph(nodes, "tiny", [x], [y], weights)
    fields = {"opset_imports": [helper.make_opsetid("", 17)], "ir_version": 8, **changes}
    return helper.make_model(graph, **fields)


def imported(model: onnx.ModelProto) -> Graph:
    graph = graph_of_model(model, CompileOptions(), name="tiny", base_dir=None)
    verify(graph)
    return graph


def assert_is_tiny(graph: Graph) -> None:
    (node,) = graph.nodes
    assert node.kind == "Add"
    assert [value.name for value in graph.inputs] == ["x"]
    np.testing.assert_array_equal(graph.constants[0].data, W)
    assert graph.outputs == {"y": node.output}


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("tiny.onnx", "protobuf"),
        ("tiny", "protobuf"),
        ("tiny.onnxtxt", "textproto"),
        ("tiny.onnxtxt.bak", "textproto"),
        ("tiny.textproto", "textproto"),
        ("tiny.pbtxt", "textproto"),
    ],
)
def test_binary_and_protobuf_text(name: str, form: str, tmp_path: Path) -> None:
    onnx.save_model(tiny(), tmp_path / name, format=form)
    graph = load_graph(tmp_path / name, CompileOptions())
    assert_is_tiny(graph)
    assert graph.name == Path(name).stem


def test_onnx_text_syntax(tmp_path: Path) -> None:
    (tmp_path / "tiny.onnxtxt").write_text(TEXT)
    assert_is_tiny(load_graph(tmp_path / "tiny.onnxtxt", CompileOptions(network_name="other")))


def test_external_data_beside_the_model(tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "data/w.bin", "offset": "4", "length": "24"}.items():
        tensor.external_data.add(key=key, value=value)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.bin").write_bytes(b"skip" + W.tobytes() + b"rest")
    (tmp_path / "tiny.onnx").write_bytes(tiny(weights=[tensor]).SerializeToString())
    assert_is_tiny(load_graph(tmp_path / "tiny.onnx", CompileOptions()))


@pytest.mark.parametrize("ir_version", [3, 8, onnx.IR_VERSION, onnx.IR_VERSION + 5])
def test_any_ir_version_with_known_operators(ir_version: int) -> None:
    assert_is_tiny(imported(tiny(ir_version=ir_version)))


def test_the_oldest_models_have_no_opset() -> None:
    model = tiny(ir_version=2, nodes=[helper.make_node("Relu", ["x"], ["y"])], weights=[])
    del model.opset_import[:]
    assert [node.kind for node in imported(model).nodes] == ["Relu"]


def test_the_default_domain_may_be_spelt_out() -> None:
    nodes = [helper.make_node("Add", ["x", "w"], ["y"], domain="ai.onnx")]
    assert_is_tiny(imported(tiny(nodes=nodes, opset_imports=[helper.make_opsetid("ai.onnx", 17)])))


def test_local_functions_are_inlined() -> None:
    body = [helper.make_node("Add", ["a", "b"], ["t"]), helper.make_node("Relu", ["t"], ["c"])]
    function = helper.make_function("my", "AddRelu", ["a", "b"], ["c"], body, [helper.make_opsetid("", 17)])
    model = tiny(
        nodes=[helper.make_node("AddRelu", ["x", "w"], ["y"], domain="my")],
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my", 1)],
        functions=[function],
    )
    assert [node.kind for node in imported(model).nodes] == ["Add", "Relu"]


def test_nodes_out_of_order_are_sorted_and_ordered_ones_stay() -> None:
    nodes = [
        helper.make_node("Exp", ["b"], ["c"]),
        helper.make_node("Abs", ["x"], ["a"]),
        helper.make_node("Neg", ["x"], ["d"]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Add", ["c", "d"], ["y"]),
    ]
    assert [node.kind for node in imported(tiny(nodes=nodes)).nodes] == ["Abs", "Neg", "Tanh", "Exp", "Add"]


def test_a_tensor_with_many_names_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inbundle.frontend.conversion.MAX_BYTES", 2 * W.nbytes)
    names = ["x", "a", "b", "c", "y"]
    nodes = [helper.make_node("Identity", [old], [new]) for old, new in pairwise(names)]
    graph = imported(tiny(nodes=nodes))
    assert graph.outputs["y"] is graph.inputs[0]


def test_outputs_may_show_inputs_and_constants() -> None:
    model = tiny(nodes=[helper.make_node("Identity", ["x"], ["y"])])
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in ("w", "x"))
    graph = imported(model)
    assert list(graph.outputs) == ["y", "w", "x"]
    assert graph.outputs["y"] is graph.outputs["x"] is graph.inputs[0]
    assert isinstance(graph.outputs["w"], Constant)
    assert isinstance(graph.outputs["x"], Placeholder)


def test_dead_constants_are_dropped_and_unused_inputs_stay() -> None:
    model = tiny(weights=[numpy_helper.from_array(W, "w"), numpy_helper.from_array(W, "dead")])
    model.graph.input.append(helper.make_tensor_value_info("unused", TensorProto.INT8, [1]))
    graph = imported(model)
    assert [value.name for value in graph.constants] == ["w"]
    assert [value.name for value in graph.inputs] == ["x", "unused"]


def test_unnamed_and_equally_named_nodes_get_distinct_names() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"], name="r"),
        helper.make_node("Relu", ["b"], ["y"], name="r"),
    ]
    assert [node.name for node in imported(tiny(nodes=nodes)).nodes] == ["Relu_a", "r", "r__1"]


def test_zero_sized_dimensions_and_not_a_number_are_legal() -> None:
    weights = [numpy_helper.from_array(np.full((2, 3), np.nan, np.float32), "w")]
    model = tiny(weights=weights, nodes=[helper.make_node("Add", ["x", "w"], ["y"])])
    assert np.isnan(imported(model).constants[0].data).all()
    empty = tiny(weights=[numpy_helper.from_array(W[:0], "w")])
    for info in (empty.graph.input[0], empty.graph.output[0]):
        info.type.tensor_type.shape.dim[0].dim_value = 0
    assert imported(empty).outputs["y"].type == TensorType(ElemKind.FLOAT, (0, 3))


@pytest.mark.parametrize("kind", ElemKind)
@pytest.mark.parametrize("raw", [True, False])
def test_initializers_of_every_kind_raw_and_as_numbers(kind: ElemKind, raw: bool) -> None:
    wanted = np.asarray([[0, 1], [1, 3]]).astype(kind.dtype)
    number = helper.np_dtype_to_tensor_dtype(kind.dtype)
    values: Any = wanted.tobytes() if raw else wanted.astype(np.float32).ravel().tolist()
    if not raw and not kind.is_float:
        values = [int(value) for value in values]
    got = array_of(helper.make_tensor("w", number, [2, 2], values, raw=raw), None, "initializer 'w'")
    assert got.dtype == kind.dtype
    np.testing.assert_array_equal(got, wanted)


def test_a_model_of_many_nodes_is_sorted_without_recursion() -> None:
    count = 3000
    nodes = [helper.make_node("Neg", [f"t{i}" if i else "x"], [f"t{i + 1}"]) for i in range(count)]
    nodes.append(helper.make_node("Add", [f"t{count}", "w"], ["y"]))
    assert len(imported(tiny(nodes=nodes[::-1])).nodes) == count + 1
