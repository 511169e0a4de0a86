"""MetaNode: a sub-graph seen as one node. Passes do not look into it; lowering unfolds it.

Its operands are the inputs of the graph `body`, its results the body's outputs, in order. Constants of the model that
the body reads are operands too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops.operands import operand_types
from inbundle.graph.ops.spec import REQUIRED, OpSpec, declare
from inbundle.graph.types import TensorType

META = "MetaNode"


def is_meta(node: Node) -> bool:
    return node.kind == META


def kind_name(node: Node) -> str:
    """The kind of a node; of a MetaNode the name of what it stands for."""
    return str(node.attributes["function"]) if is_meta(node) else node.kind


def body_of(node: Node) -> Graph:
    """The sub-graph of a MetaNode."""
    body = node.attributes["body"]
    assert isinstance(body, Graph)
    return body


def _infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    body = attributes["body"]
    types = operand_types(META, inputs, len(body.inputs))
    for index, (given, wanted) in enumerate(zip(types, body.inputs, strict=True)):
        if given != wanted.type:
            raise CompileError(f"input {index} is {given}, the body of {attributes['function']} takes {wanted.type}")
    return [value.type for value in body.outputs.values()]


declare(
    OpSpec(
        META,
        "what the graph `body` computes; `function` is the name of the whole",
        ("inputs*",),
        ("outputs*",),
        _infer,
        {"function": REQUIRED, "body": REQUIRED},
    )
)
