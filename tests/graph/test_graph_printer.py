"""The text of a Graph."""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Graph
from inbundle.graph.printer import to_text
from inbundle.graph.types import ElemKind, TensorType

EXPECTED = """\
Graph structure of tiny

LeakyRelu
Name : LeakyRelu_r
X : float<1 x 3>
alpha : 0.5
Users : 1
Y : float<1 x 3>

MatMul
Name : MatMul_m
A : float<1 x 2>
B : float<2 x 3>
Users : 1
Y : float<1 x 3>

Save
Name : r_save
Input : float<1 x 3>
Output : float<1 x 3>
Users : 0

Constant
Name : w
Users : 1
Output : float<2 x 3>

Placeholder
Name : r
Users : 1
Output : float<1 x 3>

Placeholder
Name : x
Users : 1
Output : float<1 x 2>
"""


def _float(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def test_groups_are_sorted_by_name() -> None:
    graph = Graph("tiny")
    x = graph.add_input("x", _float(1, 2))
    w = graph.add_constant("w", np.zeros((2, 3), np.float32))
    m = graph.add("MatMul", [x, w], outputs=["m"]).output
    graph.outputs["r"] = graph.add("LeakyRelu", [m], {"alpha": 0.5}, outputs=["r"]).output
    assert to_text(graph) == EXPECTED


def test_members_of_every_type() -> None:
    graph = Graph("pool")
    window = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 1), "dilations": (1,), "ceil_mode": True}
    node = graph.add("MaxPool", [graph.add_input("x", _float(1, 1, 4))], window, outputs=["y", "i"])
    graph.outputs = {"y": node.outputs[0], "i": node.outputs[1]}
    text = to_text(graph)
    assert (
        "kernel_shape : [2]\nstrides : [1]\npads : [0, 1]\ndilations : [1]\nceil_mode : true\nstorage_order : 0\n"
        in text
    )
    assert "Users : 2\nY : float<1 x 1 x 4>\nIndices : index64<1 x 1 x 4>\n" in text


def test_an_output_may_show_an_input_and_names_stay_apart() -> None:
    graph = Graph("identity")
    x = graph.add_input("x", _float(2))
    graph.outputs = {"x": x, "y": x}
    text = to_text(graph)
    assert "Placeholder\nName : x\nUsers : 2\n" in text
    assert "Placeholder\nName : x__1\nUsers : 1\n" in text


def test_control_characters_do_not_break_lines() -> None:
    graph = Graph("two\nlines")
    graph.outputs["y"] = graph.add_input("a\tb", _float(2))
    assert to_text(graph).startswith("Graph structure of two\\nlines\n")
    assert "Name : a\\tb\n" in to_text(graph)


def test_meta_nodes_show_what_they_are_made_of() -> None:
    body = Graph("Act")
    x = body.add_input("x", TensorType(ElemKind.FLOAT, (2,)))
    body.outputs = {"y": body.add("LeakyRelu", [body.add("Neg", [x]).output], {"alpha": 0.5}).output}
    graph = Graph("g")
    value = graph.add_input("v", TensorType(ElemKind.FLOAT, (2,)))
    node = graph.add("MetaNode", [value], {"function": "Act", "body": body}, name="m")
    graph.outputs = {"z": node.output}
    paragraph = next(text for text in to_text(graph).split("\n\n") if text.startswith("Act\n"))
    assert paragraph.splitlines() == [
        "Act",
        "Name : m",
        "inputs0 : float<2>",
        "body0 : Neg",
        "body1 : LeakyRelu, alpha 0.5",
        "Users : 1",
        "outputs0 : float<2>",
    ]
