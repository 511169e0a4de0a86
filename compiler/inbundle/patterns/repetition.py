"""A rule again and again, until it matches nowhere; and what shows that this will never be.

A graph that was there before will be there again. A graph that has become much larger than it was will go on growing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Constant, Graph, Node, Value
from inbundle.patterns.rules import Rule, apply_rule

MOST_GROWTH = 32
"""A graph that has so many times the nodes that it had, and a thousand more, grows without end."""
_SMALL = 64
"""Elements up to which constants are told apart by what they hold, others by which they are."""


def apply_until_stable(graph: Graph, rule: Rule) -> None:
    """Applies the rule until it matches nowhere.

    Raises:
        CompileError: it would never end; or see `apply_rule`.
    """
    before = _count(graph)
    most_nodes, most_runs = MOST_GROWTH * before + 1000, before + 100
    seen, runs = {_identity(graph)}, 0
    while apply_rule(graph, rule):
        runs, now, count = runs + 1, _identity(graph), _count(graph)
        if now in seen:
            raise _endless(rule, runs, "it leads back to a graph that was there before")
        if count > most_nodes:
            raise _endless(rule, runs, f"the graph grew from {before} to {count} nodes")
        if runs == most_runs:
            raise _endless(rule, runs, "it still matches")
        seen.add(now)


def _endless(rule: Rule, runs: int, what: str) -> CompileError:
    message = f"`repeat' finds no end: {what}, after {runs} run{'s' * (runs > 1)}"
    return rule.located(CompileError(message, hint="it may match its own result"))


def _count(graph: Graph) -> int:
    """Nodes, with those in bodies of MetaNodes."""
    return sum(1 + sum(map(_count, _bodies(node))) for node in graph.nodes)


def _bodies(node: Node) -> Iterator[Graph]:
    return (value for value in node.attributes.values() if isinstance(value, Graph))


def _identity(graph: Graph) -> object:
    """Equal for graphs that compute the same in the same way, whatever names they have."""
    numbers: dict[Value, int] = {}
    for value in chain(graph.inputs, *(node.outputs for node in graph.nodes)):
        numbers[value] = len(numbers)

    def operand(value: Value | None) -> object:
        return _constant(value) if isinstance(value, Constant) else None if value is None else numbers[value]

    nodes = tuple(
        (node.kind, _attributes(node), tuple(operand(value) for value in node.inputs), len(node.outputs))
        for node in graph.nodes
    )
    return nodes, tuple(operand(value) for value in graph.outputs.values())


def _constant(constant: Constant) -> object:
    return (constant.type, constant.data.tobytes()) if constant.type.elements <= _SMALL else constant


def _attributes(node: Node) -> tuple[tuple[str, object], ...]:
    return tuple((name, _attribute(value)) for name, value in sorted(node.attributes.items()))


def _attribute(value: Attribute) -> object:
    """By its text: 0.0 and -0.0 are equal but do not compute the same."""
    return _identity(value) if isinstance(value, Graph) else repr(value)
