"""A Graph as an ONNX model, and run in ONNX's reference evaluator."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_growth import Growth
from graph_makers import MAKERS
from inbundle.difference import difference
from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import evaluate, to_model, write_onnx
from inbundle.graph.onnx.folding import fold_node, grows_too_much
from inbundle.graph.ops import OPS
from inbundle.graph.ops.meta import META
from inbundle.graph.types import ElemKind, TensorType
from inbundle.lowering import lower
from inbundle.options import CompileOptions
from ir_interpreter import run as run_ir
from random_graphs import grow, random_graph, random_inputs

FLOAT23 = TensorType(ElemKind.FLOAT, (2, 3))


def check_same(actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert list(actual) == list(expected)
    for name, array in expected.items():
        found = difference(actual[name], array, name)
        assert not found.is_failure, f"{name}: {found}"


def test_every_kind_has_a_maker() -> None:
    """tests/graph_makers.py: a new kind is tried by all tests on random graphs."""
    assert sorted(set(OPS) - {META}) == sorted(MAKERS)


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_each_kind_is_the_onnx_operator(kind: str) -> None:
    """The model is valid, says the types that the graph has, and computes what the IR of the node does."""
    tried = 0
    for seed in range(12):
        growth = Growth(random.Random(seed))
        for shape in ((2, 3), (1, 2, 5, 4), (2, 4, 3), (1, 2, 3, 4, 3)):
            growth.input(shape)
        growth.add("ArgMax", [growth.values[0]], {"axis": 1})
        if not grow(growth, MAKERS[kind]):
            continue
        tried += 1
        graph = growth.graph
        graph.outputs = {f"o{index}": value for index, value in enumerate(graph.nodes[-1].outputs)}
        onnx.checker.check_model(to_model(graph), full_check=True)
        inputs = random_inputs(graph, seed)
        check_same(evaluate(graph, inputs), run_ir(lower(graph), inputs))
    assert tried > 5


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_back(seed: int, tmp_path: Path) -> None:
    graph = random_graph(seed)
    write_onnx(graph, tmp_path / "m.onnx")
    again = graph_of_model(onnx.load(tmp_path / "m.onnx"), CompileOptions(), name="m", base_dir=None)
    assert [(value.name, value.type) for value in again.inputs] == [(v.name, v.type) for v in graph.inputs]
    inputs = random_inputs(graph, seed)
    check_same(evaluate(again, inputs), evaluate(graph, inputs))


def _graph() -> tuple[Graph, Any]:
    graph = Graph("g")
    return graph, graph.add_input("x", FLOAT23)


def _names(model: onnx.ModelProto) -> list[str]:
    return [f"{node.op_type} {','.join(node.input)} -> {','.join(node.output)}" for node in model.graph.node]


def test_names_of_outputs_are_kept() -> None:
    """An output that shows an input, a constant, or what another output shows, is an Identity; `x` needs none."""
    graph, x = _graph()
    y = graph.add("Relu", [x], outputs=["y"]).output
    c = graph.add_constant("c", np.ones(2, np.float32))
    graph.outputs = {"x": x, "a": y, "b": y, "c": c, "again": x}
    model = to_model(graph)
    onnx.checker.check_model(model, full_check=True)
    assert [info.name for info in model.graph.output] == list(graph.outputs)
    assert _names(model) == ["Relu x -> a", "Identity a -> b", "Identity c__1 -> c", "Identity x -> again"]


def test_a_value_in_between_gives_up_the_name_of_an_output() -> None:
    graph, x = _graph()
    y = graph.add("Relu", [x], outputs=["y"]).output
    graph.outputs = {"y": graph.add("Exp", [y], outputs=["z"]).output}
    assert _names(to_model(graph)) == ["Relu x -> y__1", "Exp y__1 -> y"]


def _activation_body(kind: str) -> Graph:
    body = Graph("body")
    x = body.add_input("x", FLOAT23)
    one = body.add_constant("one", np.ones((), np.float32))
    body.outputs = {"r": body.add(kind, [body.add("Add", [x, one]).output]).output, "x_again": x}
    return body


def test_meta_nodes_are_functions() -> None:
    """One function per body; the frontend expands them again."""
    graph, x = _graph()
    values = [x]
    for kind in ("Relu", "Exp", "Relu"):
        attributes = {"function": "AddAct", "body": _activation_body(kind)}
        values += graph.add(META, [values[-1]], attributes, outputs=["r", "same"]).outputs[:1]
    graph.outputs = {"y": values[-1]}
    model = to_model(graph)
    onnx.checker.check_model(model, full_check=True)
    assert [function.name for function in model.functions] == ["AddAct", "AddAct__1"]
    assert [node.op_type for node in model.graph.node] == ["AddAct", "AddAct__1", "AddAct"]
    inputs = random_inputs(graph, 1)
    want = np.maximum(np.exp(np.maximum(inputs["x"] + 1, 0) + 1) + 1, 0)
    np.testing.assert_allclose(evaluate(graph, inputs)["y"], want, rtol=1e-6)
    again = graph_of_model(model, CompileOptions(), name="m", base_dir=None)
    assert [node.kind for node in again.nodes] == ["Add", "Relu", "Add", "Exp", "Add", "Relu"]


def test_a_kind_that_onnx_has_not_is_named() -> None:
    graph, x = _graph()
    graph.outputs = {"y": graph.add("Relu", [x], name="n").output}
    graph.nodes[0].kind = "Rectify"
    with pytest.raises(CompileError, match="node 'n': Rectify: ONNX has no such operator"):
        to_model(graph)


def test_what_the_evaluator_cannot_do_is_a_compile_error() -> None:
    graph, x = _graph()
    graph.outputs = {"y": graph.add("Relu", [x]).output}
    with pytest.raises(CompileError, match="g: the ONNX reference evaluator failed"):
        evaluate(graph, {})


def test_unwritable_file(tmp_path: Path) -> None:
    graph, x = _graph()
    graph.outputs = {"x": x}
    with pytest.raises(CompileError, match=r"gone/m\.onnx: cannot write"):
        write_onnx(graph, tmp_path / "gone" / "m.onnx")


# --- nodes on constants --------------------------------------------------------------------------------------------


def test_a_node_on_constants_is_computed() -> None:
    graph, x = _graph()
    c = graph.add_constant("c", np.arange(6, dtype=np.float32).reshape(2, 3))
    for kind, attributes, want in (
        ("Transpose", {"perm": (1, 0)}, c.data.T),
        ("Slice", {"starts": (1, 2), "steps": (1, -2), "shape": (1, 2)}, c.data[1:, ::-2]),
        ("Pad", {"pads": (-1, 0, 0, 1), "value": 7.0}, np.array([[3, 4, 5, 7]], np.float32)),
    ):
        results = fold_node(graph.add(kind, [c], attributes))
        assert results is not None
        np.testing.assert_array_equal(results[0], want)
    assert fold_node(graph.add("Add", [x, c])) is None


def test_both_results_of_a_pool_are_computed() -> None:
    graph = Graph("g")
    c = graph.add_constant("c", np.array([[[1, 5, 2, 8]]], np.float32))
    window = {"kernel_shape": (2,), "strides": (2,), "pads": (0, 0), "dilations": (1,)}
    results = fold_node(graph.add("MaxPool", [c], window, outputs=["y", "i"]))
    assert results is not None
    assert [result.tolist() for result in results] == [[[[5, 8]]], [[[1, 3]]]]


def test_small_operands_do_not_become_huge_constants() -> None:
    graph = Graph("g")
    c = graph.add_constant("c", np.ones(1, np.float32))
    assert fold_node(graph.add("Expand", [c], {"shape": (1 << 25,)})) is None
    assert not grows_too_much(1 << 20, 4)
    assert grows_too_much(1 << 27, 1 << 20)
    assert not grows_too_much(1 << 27, 1 << 26)


def test_shifts_of_signed_integers_have_no_form_yet() -> None:
    graph = Graph("g")
    x = graph.add_input("x", TensorType(ElemKind.INT8, (3,)))
    graph.outputs["y"] = graph.add("BitShift", [x, x], {"direction": "LEFT"}, name="n").output
    with pytest.raises(CompileError, match="node 'n': BitShift: ONNX has no BitShift of index8<3> in opset"):
        to_model(graph)
