"""Letting readers of some values read others: one walk for all replacements of a pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inbundle.graph.graph import Graph, Node, Value


def replace_nodes(
    graph: Graph,
    replacement: Callable[[Node], Sequence[Value] | None],
    replaced: Mapping[Value, Value] | None = None,
) -> None:
    """Drop the nodes for which `replacement` gives values; their readers, model outputs included, read those instead.

    Args:
        replacement: called for each node in order, when its inputs are replaced already; one value per result, or
            None for a node that stays.
        replaced: value -> value to read instead, from the start.
    """
    now: dict[Value, Value] = dict(replaced or {})
    kept = []
    for node in graph.nodes:
        node.inputs = [now.get(value, value) if value is not None else None for value in node.inputs]
        values = replacement(node)
        if values is None:
            kept.append(node)
        else:
            now.update(zip(node.outputs, values, strict=True))
    graph.nodes[:] = kept
    graph.outputs = {name: now.get(value, value) for name, value in graph.outputs.items()}
