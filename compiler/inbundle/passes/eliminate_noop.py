"""EliminateNoop: nodes that show their first input unchanged are bypassed.

Before:
    %y = Reshape(%x) {shape: [2, 3]}      with %x: float<2 x 3>
    %z = Relu(%y)

After:
    %z = Relu(%x)

Also a Cast to the same element kind, a Transpose that keeps the order, a Slice of everything, a Pad by nothing, an
Expand to the same shape, a Concat of one operand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inbundle.graph.graph import Graph, Node, Value
from inbundle.passes.rewiring import replace_nodes


def bypass_noops(graph: Graph) -> None:
    replace_nodes(graph, _unchanged_input)


def _unchanged_input(node: Node) -> Sequence[Value] | None:
    changes_nothing = _RULES.get(node.kind)
    if changes_nothing is None or node.output.type != node.input(0).type or not changes_nothing(node):
        return None
    return [node.input(0)]


def _always(node: Node) -> bool:
    return True


def _in_order(node: Node) -> bool:
    return node.attributes["perm"] == tuple(range(node.output.type.rank))


def _forward_by_one(node: Node) -> bool:
    """A step matters only where there is a second element."""
    steps = node.integers("steps")
    return all(step == 1 or size <= 1 for step, size in zip(steps, node.output.type.shape, strict=True))


def _by_nothing(node: Node) -> bool:
    return not any(node.integers("pads"))


# Kind -> what must hold beside equal types of input and result.
_RULES: dict[str, Callable[[Node], bool]] = {
    "Cast": _always,
    "Concat": lambda node: len(node.inputs) == 1,
    "Expand": _always,
    "Pad": _by_nothing,
    "Reshape": _always,
    "Slice": _forward_by_one,
    "Transpose": _in_order,
}
