"""Graph passes: what each does, what it must leave alone, and that results stay the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inbundle.graph.graph import Graph, Value
from inbundle.graph.types import ElemKind, TensorType
from inbundle.passes import optimize
from inbundle.passes.cse import merge_equal_values
from inbundle.passes.dce import delete_unused
from inbundle.passes.eliminate_noop import bypass_noops

X = TensorType(ElemKind.FLOAT, (2, 3))


def _graph() -> tuple[Graph, Value]:
    graph = Graph("test")
    return graph, graph.add_input("x", X)


def _kinds(graph: Graph) -> list[str]:
    return [node.kind for node in graph.nodes]


NOOPS: list[tuple[str, dict[str, Any]]] = [
    ("Reshape", {"shape": (2, 3)}),
    ("Cast", {"to": "FLOAT"}),
    ("Transpose", {"perm": (0, 1)}),
    ("Slice", {"starts": (0, 0), "steps": (1, 1), "shape": (2, 3)}),
    ("Pad", {"pads": (0, 0, 0, 0)}),
    ("Expand", {"shape": (2, 3)}),
    ("Concat", {"axis": 0}),
]


@pytest.mark.parametrize(("kind", "attributes"), NOOPS)
def test_noops_are_bypassed(kind: str, attributes: dict[str, Any]) -> None:
    graph, x = _graph()
    noop = graph.add(kind, [x], attributes).output
    relu = graph.add("Relu", [noop])
    graph.outputs = {"noop": noop, "relu": relu.output}
    bypass_noops(graph)
    assert _kinds(graph) == ["Relu"]
    assert relu.inputs == [x]
    assert graph.outputs == {"noop": x, "relu": relu.output}


def test_chains_of_noops_are_bypassed() -> None:
    graph, x = _graph()
    value = x
    for kind, attributes in NOOPS * 3:
        value = graph.add(kind, [value], attributes).output
    graph.outputs = {"y": value}
    bypass_noops(graph)
    assert graph.nodes == []
    assert graph.outputs == {"y": x}


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("Reshape", {"shape": (3, 2)}),
        ("Cast", {"to": "FLOAT64"}),
        ("Slice", {"starts": (0, 2), "steps": (1, -1), "shape": (2, 3)}),
        ("Pad", {"pads": (1, 0, -1, 0)}),
        ("Expand", {"shape": (1, 2, 3)}),
        ("Relu", {}),
    ],
)
def test_nodes_that_change_something_stay(kind: str, attributes: dict[str, Any]) -> None:
    graph, x = _graph()
    graph.outputs = {"y": graph.add(kind, [x], attributes).output}
    bypass_noops(graph)
    assert _kinds(graph) == [kind]


def test_transpose_of_a_square_stays() -> None:
    graph = Graph("test")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (2, 2)))
    graph.outputs = {"y": graph.add("Transpose", [x], {"perm": (1, 0)}).output}
    bypass_noops(graph)
    assert _kinds(graph) == ["Transpose"]


def test_concat_of_two_stays_even_if_one_is_empty() -> None:
    graph, x = _graph()
    empty = graph.add_input("e", TensorType(ElemKind.FLOAT, (0, 3)))
    graph.outputs = {"y": graph.add("Concat", [x, empty], {"axis": 0}).output}
    bypass_noops(graph)
    assert _kinds(graph) == ["Concat"]


def test_equal_constants_and_nodes_become_one() -> None:
    graph, x = _graph()
    first, second = (graph.add_constant(name, np.ones(3, np.float32)) for name in "cd")
    a = graph.add("Add", [x, first]).output
    b = graph.add("Add", [x, second]).output
    graph.outputs = {"y": graph.add("Mul", [a, b]).output, "b": b}
    merge_equal_values(graph)
    assert _kinds(graph) == ["Add", "Mul"]
    assert graph.nodes[1].inputs == [a, a]
    assert graph.outputs["b"] is a


def test_chains_of_equal_nodes_become_one() -> None:
    graph, x = _graph()
    ends = [graph.add("Exp", [graph.add("Relu", [x]).output]).output for _ in range(3)]
    graph.outputs = dict(zip("abc", ends, strict=True))
    merge_equal_values(graph)
    assert _kinds(graph) == ["Relu", "Exp"]
    assert set(graph.outputs.values()) == {ends[0]}


def test_an_absent_operand_at_the_end_makes_no_difference() -> None:
    graph = Graph("test")
    a, b = (graph.add_input(name, TensorType(ElemKind.FLOAT, (2, 2))) for name in "ab")
    ends = [graph.add("Gemm", [a, b, *rest]).output for rest in ([], [None])]
    graph.outputs = dict(zip("yz", ends, strict=True))
    merge_equal_values(graph)
    assert _kinds(graph) == ["Gemm"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Clip", {"min": 0.0, "max": 1.0}), ("Clip", {"min": -0.0, "max": 1.0})),
        (("Relu", {}), ("Abs", {})),
        (("LeakyRelu", {"alpha": 0.1}), ("LeakyRelu", {"alpha": 0.2})),
    ],
)
def test_different_nodes_stay(one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> None:
    graph, x = _graph()
    graph.outputs = {"a": graph.add(one[0], [x], one[1]).output, "b": graph.add(other[0], [x], other[1]).output}
    merge_equal_values(graph)
    assert len(graph.nodes) == 2


def test_operands_in_another_order_stay() -> None:
    graph, x = _graph()
    z = graph.add_input("z", X)
    graph.outputs = {"a": graph.add("Sub", [x, z]).output, "b": graph.add("Sub", [z, x]).output}
    merge_equal_values(graph)
    assert len(graph.nodes) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.zeros(2, np.float32), np.array([0.0, -0.0], np.float32)),
        (np.zeros(2, np.float32), np.zeros((1, 2), np.float32)),
        (np.zeros(2, np.float32), np.zeros(2, np.int32)),
    ],
)
def test_different_constants_stay(one: np.ndarray, other: np.ndarray) -> None:
    graph, _ = _graph()
    graph.outputs = {"a": graph.add_constant("a", one), "b": graph.add_constant("b", other)}
    merge_equal_values(graph)
    assert graph.outputs["a"] is not graph.outputs["b"]


def _max_pool(graph: Graph, outputs: list[str]) -> list[Any]:
    x = graph.add_input("image", TensorType(ElemKind.FLOAT, (1, 1, 4)))
    window = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 0), "dilations": (1,)}
    return list(graph.add("MaxPool", [x], window, outputs=outputs).outputs)


def test_what_nobody_reads_is_deleted() -> None:
    graph, x = _graph()
    unused = graph.add_constant("c", np.ones(3, np.float32))
    graph.add("Exp", [graph.add("Add", [x, unused]).output])
    used = graph.add("Relu", [x]).output
    graph.outputs = {"y": used}
    delete_unused(graph)
    assert _kinds(graph) == ["Relu"]
    assert graph.constants == []
    assert graph.inputs == [x]


def test_constants_that_are_outputs_stay() -> None:
    graph, _ = _graph()
    graph.outputs = {"y": graph.add_constant("c", np.ones(3, np.float32))}
    delete_unused(graph)
    assert len(graph.constants) == 1


@pytest.mark.parametrize(("read", "names"), [((0,), ["y"]), ((1,), ["y", "i"]), ((0, 1), ["y", "i"])])
def test_unread_results_are_dropped_at_the_end_only(read: tuple[int, ...], names: list[str]) -> None:
    graph = Graph("test")
    results = _max_pool(graph, ["y", "i"])
    graph.outputs = {str(index): results[index] for index in read}
    delete_unused(graph)
    assert [output.name for output in graph.nodes[0].outputs] == names


def test_passes_follow_each_other() -> None:
    """Nodes that are equal once a no-op between them is gone leave one node and one constant."""
    graph, x = _graph()
    first, second = (graph.add_constant(name, np.ones(3, np.float32)) for name in "cd")
    same = graph.add("Reshape", [x], {"shape": (2, 3)}).output
    a, b = graph.add("Add", [x, first]).output, graph.add("Add", [same, second]).output
    graph.outputs = {"y": graph.add("Mul", [a, b]).output}
    optimize(graph)
    assert _kinds(graph) == ["Add", "Mul"]
    assert graph.constants == [first]
