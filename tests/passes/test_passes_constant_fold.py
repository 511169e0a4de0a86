"""ConstantFold: what depends on constants only becomes constants."""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Constant, Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.passes.constant_fold import fold_constants

X = TensorType(ElemKind.FLOAT, (2, 3))


def test_a_chain_becomes_one_constant() -> None:
    graph = Graph("g")
    x = graph.add_input("x", X)
    c, d = (graph.add_constant(name, np.full((3, 2), number, np.float32)) for name, number in (("c", 2), ("d", 3)))
    turned = graph.add("Transpose", [graph.add("Mul", [c, d]).output], {"perm": (1, 0)}, outputs=["turned"]).output
    graph.outputs = {"y": graph.add("Add", [x, turned]).output, "z": turned}
    fold_constants(graph)
    assert [node.kind for node in graph.nodes] == ["Add"]
    folded = graph.outputs["z"]
    assert isinstance(folded, Constant)
    assert graph.nodes[0].inputs == [x, folded]
    np.testing.assert_array_equal(folded.data, np.full((2, 3), 6, np.float32))


def test_what_the_evaluator_refuses_stays() -> None:
    """An index that is outside its tensor is only found when the node is computed."""
    graph = Graph("g")
    data = graph.add_constant("c", np.zeros(3, np.float32))
    index = graph.add_constant("i", np.zeros(1, np.int64))
    graph.outputs = {"y": graph.add("Gather", [data, index], {"axis": 0}).output}
    index.data = np.array([7])
    fold_constants(graph)
    assert [node.kind for node in graph.nodes] == ["Gather"]
