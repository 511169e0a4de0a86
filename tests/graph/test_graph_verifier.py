"""The verifier finds each kind of damage a pass could do to a graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Placeholder
from inbundle.graph.types import ElemKind, TensorType
from inbundle.graph.verifier import verify

TYPE = TensorType(ElemKind.FLOAT, (2, 3))


def sound() -> Graph:
    """y = transpose(reshape(concat(x, w)))"""
    graph = Graph("g")
    x, w = graph.add_input("x", TYPE), graph.add_constant("w", np.zeros((2, 3), np.float32))
    joined = graph.add("Concat", [x, w], {"axis": 0}, name="join", outputs=["joined"])
    flat = graph.add("Reshape", [joined.output], {"shape": (12, 1)}, name="flat")
    graph.outputs["y"] = graph.add("Transpose", [flat.output], {"perm": (1, 0)}, name="turned").output
    return graph


def swap_nodes(graph: Graph) -> None:
    graph.nodes[0], graph.nodes[1] = graph.nodes[1], graph.nodes[0]


def rename(graph: Graph) -> None:
    graph.nodes[1].output.name = "x"


def forget_constant(graph: Graph) -> None:
    graph.constants.clear()


def change_type(graph: Graph) -> None:
    graph.nodes[1].output.type = TYPE


def change_attribute(graph: Graph) -> None:
    graph.nodes[2].attributes["perm"] = (0, 1)


def lose_attribute(graph: Graph) -> None:
    del graph.nodes[2].attributes["perm"]


def foreign_output(graph: Graph) -> None:
    graph.outputs["y"] = Placeholder("z", TYPE)


def unknown_kind(graph: Graph) -> None:
    graph.nodes[0].kind = "Join"


def other_data(graph: Graph) -> None:
    graph.constants[0].data = np.zeros(6, np.float32)


def drop_results(graph: Graph) -> None:
    graph.nodes[2].outputs.clear()


def adopt_result(graph: Graph) -> None:
    graph.nodes[1].output.node = graph.nodes[2]


DAMAGES: list[tuple[Callable[[Graph], None], str]] = [
    (swap_nodes, r"g: node 'flat': Reshape: input 0 \('joined'\) is not defined before the node"),
    (rename, "g: the name 'x' is there twice"),
    (forget_constant, r"node 'join': Concat: input 1 \('w'\) is not defined"),
    (change_type, r"node 'flat': Reshape: result 0 .* is float<2 x 3>, inference gives float<12 x 1>"),
    (change_attribute, r"node 'turned': Transpose: result 0 .* is float<1 x 12>, inference gives float<12 x 1>"),
    (lose_attribute, "node 'turned': Transpose: Transpose needs the attribute 'perm'"),
    (foreign_output, "g: output 'y' shows 'z', which is not in the graph"),
    (unknown_kind, "node 'join': Join: the kind is not declared"),
    (other_data, "constant 'w' is float<2 x 3>, its data float<6>"),
    (drop_results, "node 'turned': Transpose: has 0 results, the kind gives 1"),
    (adopt_result, "node 'flat': Reshape: result 0 .* belongs to another node"),
]


def test_a_sound_graph_passes() -> None:
    verify(sound())


@pytest.mark.parametrize(("damage", "message"), DAMAGES)
def test_damage_is_found(damage: Callable[[Graph], None], message: str) -> None:
    graph = sound()
    damage(graph)
    with pytest.raises(CompileError, match=message):
        verify(graph)
