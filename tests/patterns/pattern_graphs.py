"""Small graphs for the tests of patterns."""

from __future__ import annotations

import random

import numpy as np

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.types import ElemKind, TensorType

X = TensorType(ElemKind.FLOAT, (2, 3))
LETTERS = {"R": "Relu", "E": "Exp", "T": "Tanh", "A": "Add"}


def chain(kinds: str) -> tuple[Graph, list[Node]]:
    """A chain of nodes, a letter of LETTERS each: `RET` is Relu -> Exp -> Tanh."""
    graph = Graph("chain")
    value: Value = graph.add_input("x", X)
    nodes = []
    for letter in kinds:
        nodes.append(graph.add(LETTERS[letter], [value] * (2 if letter == "A" else 1)))
        value = nodes[-1].output
    graph.outputs = {"y": value}
    return graph, nodes


def random_web(seed: int, nodes: int = 12) -> Graph:
    """A graph of the kinds of LETTERS in which values have any number of readers."""
    rng = random.Random(seed)
    graph = Graph(f"web{seed}")
    values: list[Value] = [graph.add_input("x", X), graph.add_constant("c", np.ones((2, 3), np.float32))]
    for _ in range(nodes):
        kind = rng.choice(sorted(LETTERS.values()))
        values.append(graph.add(kind, [rng.choice(values[-4:]) for _ in range(1 + (kind == "Add"))]).output)
    graph.outputs = {"y": values[-1], "z": rng.choice(values)}
    return graph


def letters(nodes: list[Node] | tuple[Node, ...]) -> str:
    """The kinds of nodes as letters."""
    return "".join(letter for node in nodes for letter, kind in LETTERS.items() if kind == node.kind)
