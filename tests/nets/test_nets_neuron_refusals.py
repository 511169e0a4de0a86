"""What the neuron translation refuses, and that it says so in terms of the model: nodes, operators, tensors."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Placeholder
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.planner import plan
from inbundle.lowering import lower
from inbundle.nets.neuron import translate
from inbundle.nets.printer import to_script


def graph_with_input(*shape: int, elem: ElemKind = ElemKind.FLOAT) -> tuple[Graph, Placeholder]:
    graph = Graph("g")
    return graph, graph.add_input("x", TensorType(elem, shape))


def script(graph: Graph, weights: str = "inline") -> str:
    function = lower(graph)
    return to_script(translate(function, plan(function), name="m", weights=weights))


def refusal(graph: Graph, weights: str = "inline") -> str:
    with pytest.raises(CompileError) as failure:
        script(graph, weights)
    return str(failure.value)


def test_a_refused_node_is_named_with_its_operator_and_once() -> None:
    graph, x = graph_with_input(3)
    graph.outputs["y"] = graph.add("ArgMax", [x], {"axis": 0, "keepdims": True}, name="am").output
    expected = "node 'am': ArgMax: has no neuron translation (use -granularity=tile)"
    assert refusal(graph, "region") == expected


def test_all_refused_nodes_are_named_but_not_what_only_copies_their_results() -> None:
    graph, x = graph_with_input(3)
    for name in ("a", "b"):
        graph.outputs[name] = graph.add("ArgMin", [x], {"axis": 0, "keepdims": name == "a"}, name=f"node_{name}").output
    parts = [graph.outputs["a"], graph.add_constant("c", np.arange(2))]
    graph.outputs["joined"] = graph.add("Concat", parts, {"axis": 0}, name="cat").output
    message = refusal(graph)
    assert message.startswith("3 nodes have no neuron translation: node 'node_a': ArgMin: ")
    assert message.count("node '") == 3
    assert "node 'node_b': ArgMin: " in message
    assert "node 'cat': Concat: the result is index64<3>; only float tensors are translated to neurons" in message


def test_a_pools_refused_indices_are_not_refused_again_as_an_output() -> None:
    graph, x = graph_with_input(1, 1, 4, 4)
    window = {"kernel_shape": (2, 2), "strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1)}
    pool = graph.add("MaxPool", [x], window, name="mp", outputs=["values", "indices"])
    graph.outputs.update(values=pool.outputs[0], indices=pool.outputs[1])
    assert refusal(graph).startswith("node 'mp': MaxPool: its Indices output has no neuron translation")


def test_an_output_that_no_node_computes_is_named_itself() -> None:
    graph, x = graph_with_input(2, elem=ElemKind.INT64)
    graph.outputs["y"] = x
    expected = "output 'y': the result is index64<2>; only float tensors are translated to neurons"
    assert refusal(graph).startswith(expected)


def test_operands_are_named_only_where_the_model_names_them() -> None:
    graph, x = graph_with_input(2, elem=ElemKind.INT64)
    graph.outputs["y"] = graph.add("Cast", [x], {"to": "FLOAT"}, name="c").output
    assert refusal(graph).startswith("node 'c': Cast: 'x' is index64<2>; only float")
    graph, x = graph_with_input(2)
    index = graph.add("ArgMax", [x], {"axis": 0, "keepdims": True}, name="am").output
    graph.outputs["y"] = graph.add("Cast", [index], {"to": "FLOAT"}, name="c").output
    assert "node 'c': Cast: an operand is index64<1>; only float" in refusal(graph)


def test_natives_in_an_inline_script_are_refused_under_the_operators_name() -> None:
    graph, x = graph_with_input(2)
    graph.outputs["y"] = graph.add("Exp", [x], name="ee").output
    expected = "node 'ee': Exp: calls a native function (exp), which has no literal form (use -inpla-weights=region)"
    assert refusal(graph) == expected


def test_a_constant_that_is_not_a_number_is_named() -> None:
    graph, x = graph_with_input(3)
    w = graph.add_constant("w", np.array([1, np.nan, 2], np.float32))
    graph.outputs["y"] = graph.add("Add", [x, w], name="a").output
    assert refusal(graph) == "constant 'w': NaN has no literal in Inpla (use -inpla-weights=region)"
    assert "weight(" in script(graph, "region")


def test_an_output_that_shows_such_a_constant_is_refused_as_well() -> None:
    graph, _ = graph_with_input(1)
    graph.outputs["y"] = graph.add_constant("w", np.array([np.nan], np.float32))
    assert refusal(graph).startswith("constant 'w': NaN")


def test_elements_that_the_net_does_not_hold_may_be_anything() -> None:
    graph, x = graph_with_input(1)
    w = graph.add_constant("w", np.array([np.nan, 2], np.float32))
    half = graph.add("Slice", [w], {"starts": (1,), "steps": (1,), "shape": (1,)}).output
    graph.outputs["y"] = graph.add("Add", [x, half]).output
    assert "2.0" in script(graph)


@pytest.mark.parametrize("weights", ["inline", "region"])
def test_a_node_whose_parameters_give_no_number_is_named(weights: str) -> None:
    graph, x = graph_with_input(1, 2)
    scale, bias, mean, variance = (graph.add_constant(n, np.array([1, -2], np.float32)) for n in ("s", "b", "m", "v"))
    operands = [x, scale, bias, mean, variance]
    graph.outputs["y"] = graph.add("BatchNormalization", operands, {"epsilon": 0.0}, name="bn").output
    expected = "node 'bn': BatchNormalization: NaN has no literal in Inpla (use -granularity=tile)"
    assert refusal(graph, weights) == expected


def test_an_attribute_that_is_not_a_number_is_named() -> None:
    graph, x = graph_with_input(2)
    graph.outputs["y"] = graph.add("LeakyRelu", [x], {"alpha": float("nan")}, name="lr").output
    expected = "node 'lr': LeakyRelu: its Alpha is NaN, which has no literal in Inpla (use -granularity=tile)"
    assert refusal(graph, "region") == expected
