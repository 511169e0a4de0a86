"""CSE: equal constants become one, and nodes of equal kind, attributes and operands become one.

Before:
    %a = Add(%x, %c1)                     with %c1 and %c2 the same bytes of one type
    %b = Add(%x, %c2)
    %y = Mul(%a, %b)

After:
    %a = Add(%x, %c1)
    %y = Mul(%a, %a)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.graph.types import TensorType
from inbundle.passes.rewiring import replace_nodes

_NodeKey = tuple[str, tuple[int | None, ...], str, int]


def merge_equal_values(graph: Graph) -> None:
    first: dict[_NodeKey, Node] = {}

    def earlier(node: Node) -> Sequence[Value] | None:
        found = first.setdefault(_node_key(node), node)
        return None if found is node else found.outputs

    replace_nodes(graph, earlier, _equal_constants(graph))


def _equal_constants(graph: Graph) -> dict[Value, Value]:
    """Constant -> the first one that is equal to it."""
    first: dict[tuple[TensorType, bytes], Constant] = {}
    return {constant: first.setdefault(_constant_key(constant), constant) for constant in graph.constants}


def _constant_key(constant: Constant) -> tuple[TensorType, bytes]:
    return constant.type, hashlib.blake2b(constant.data.tobytes()).digest()


def _node_key(node: Node) -> _NodeKey:
    """Attributes by their text, because 0.0 and -0.0, or 1 and 1.0, are equal but do not compute the same."""
    return node.kind, _operands(node), repr(node.attributes), len(node.outputs)


def _operands(node: Node) -> tuple[int | None, ...]:
    """An absent operand at the end is none."""
    operands = [None if value is None else id(value) for value in node.inputs]
    while operands and operands[-1] is None:
        operands.pop()
    return tuple(operands)
