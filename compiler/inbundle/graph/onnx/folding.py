"""Computes at compile time what depends on constants only, by ONNX's reference evaluator."""

from __future__ import annotations

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant, Graph, Node
from inbundle.graph.onnx.evaluator import Evaluator
from inbundle.graph.types import of_array

MAX_GROWN_BYTES = 64 * 2**20


def grows_too_much(result_bytes: int, operand_bytes: int) -> bool:
    """Whether a result is large, and far larger than all operands: it would travel in every bundle."""
    return result_bytes > max(MAX_GROWN_BYTES, 8 * operand_bytes)


def fold_node(node: Node) -> list[np.ndarray] | None:
    """The results of a node whose operands are all constants; None when it is to stay.

    It stays when the result would be huge, and when the evaluator cannot compute it as its types say.
    """
    operands = [value for value in node.inputs if value is not None]
    if not operands or not all(isinstance(value, Constant) for value in operands):
        return None
    if grows_too_much(sum(value.type.bytes for value in node.outputs), sum(value.type.bytes for value in operands)):
        return None
    graph, feeds = _graph_of(node)
    try:
        results = list(Evaluator(graph).run(feeds).values())
    except CompileError:
        return None
    fits = all(of_array(data) == value.type for data, value in zip(results, node.outputs, strict=True))
    return results if fits else None


def _graph_of(node: Node) -> tuple[Graph, dict[str, np.ndarray]]:
    """A graph of this node alone, and its inputs."""
    graph = Graph(node.name)
    feeds: dict[str, np.ndarray] = {}
    operands = []
    for index, value in enumerate(node.inputs):
        if isinstance(value, Constant):
            feeds[f"in{index}"] = value.data
        operands.append(graph.add_input(f"in{index}", value.type) if value is not None else None)
    copy = graph.add(
        node.kind, operands, node.attributes, outputs=[f"out{index}" for index in range(len(node.outputs))]
    )
    graph.outputs = {value.name: value for value in copy.outputs}
    return graph, feeds
