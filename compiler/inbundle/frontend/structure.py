"""Structural checks of an ONNX graph: every tensor is produced once, nothing is read that nobody produces, no cycles.

Knows names only; what operators mean is checked elsewhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import onnx

from inbundle.errors import CompileError, UnsupportedError
from inbundle.frontend.node_context import node_name


def sorted_nodes(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """The nodes in topological order: the file's order wherever that is one.

    Raises:
        CompileError: names that are missing, produced twice or read without being produced; cycles.
    """
    _check_boundary(graph)
    producers = _producers(graph)
    _check_names_are_known(graph, producers)
    return _topological(list(graph.node), producers)


def initializer_names(graph: onnx.GraphProto) -> set[str]:
    return {tensor.name for tensor in graph.initializer}


def model_inputs(graph: onnx.GraphProto) -> list[onnx.ValueInfoProto]:
    """The inputs that the application gives; one with an initializer (IR version 3) is a constant."""
    constants = initializer_names(graph)
    return [info for info in graph.input if info.name not in constants]


def _check_boundary(graph: onnx.GraphProto) -> None:
    if not graph.output:
        raise CompileError("the model has no outputs")
    if graph.sparse_initializer:
        name = graph.sparse_initializer[0].values.name
        raise UnsupportedError(f"initializer '{name}' is sparse, which is not supported")
    for role, names in (
        ("input", [info.name for info in graph.input]),
        ("initializer", [tensor.name for tensor in graph.initializer]),
        ("output", [info.name for info in graph.output]),
    ):
        _check_distinct(role, names)


def _check_distinct(role: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name:
            raise CompileError(f"an {role} of the model has no name")
        if name in seen:
            raise CompileError(f"the model has two {role}s '{name}'")
        seen.add(name)


def _producers(graph: onnx.GraphProto) -> dict[str, int]:
    """Tensor -> index of the node that produces it; -1 for inputs and initializers."""
    found = dict.fromkeys((*(info.name for info in graph.input), *initializer_names(graph)), -1)
    for index, node in enumerate(graph.node):
        for output in filter(None, node.output):
            if output in found:
                first = found[output]
                other = f"node '{node_name(graph.node[first])}'" if first >= 0 else "an input or initializer"
                raise CompileError(f"tensor '{output}' is also produced by {other}", where=(_place(node),))
            found[output] = index
    return found


def _place(node: onnx.NodeProto) -> str:
    return f"node '{node_name(node)}'"


def _check_names_are_known(graph: onnx.GraphProto, producers: dict[str, int]) -> None:
    for node in graph.node:
        for name in filter(None, node.input):
            if name not in producers:
                raise CompileError(
                    f"reads '{name}', which is no input, no initializer and no result of a node",
                    where=(_place(node), node.op_type),
                )
    for info in graph.output:
        if info.name not in producers:
            raise CompileError(f"output '{info.name}' is produced by no node")


def _topological(nodes: Sequence[onnx.NodeProto], producers: dict[str, int]) -> list[onnx.NodeProto]:
    """Kahn's algorithm that takes the first ready node of the file."""
    waits_for = [{producers[name] for name in node.input if producers.get(name, -1) >= 0} for node in nodes]
    readers: list[list[int]] = [[] for _ in nodes]
    for index, sources in enumerate(waits_for):
        for source in sources:
            readers[source].append(index)
    missing = [len(sources) for sources in waits_for]
    ready = [index for index, count in enumerate(missing) if count == 0]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers[order[-1]]:
            missing[reader] -= 1
            if missing[reader] == 0:
                heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        _raise_cycle(nodes, waits_for, set(range(len(nodes))) - set(order))
    return [nodes[index] for index in order]


def _raise_cycle(nodes: Sequence[onnx.NodeProto], waits_for: Sequence[set[int]], stuck: set[int]) -> None:
    """Every stuck node waits for a stuck one: following them must come back to a node seen before."""
    path = [min(stuck)]
    while True:
        following = min(waits_for[path[-1]] & stuck)
        if following in path:
            cycle = path[path.index(following) :]
            break
        path.append(following)
    shown = [f"'{node_name(nodes[index])}'" for index in reversed(cycle[:6])]
    raise CompileError(f"the graph has a cycle through node{'s' * (len(cycle) > 1)} {', '.join(shown)}")
