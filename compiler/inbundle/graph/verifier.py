"""Checks the invariants of a Graph between passes; a violation is a bug of the pass before, not of the model."""

from __future__ import annotations

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops import OPS
from inbundle.graph.ops.meta import body_of, is_meta
from inbundle.graph.types import of_array


def verify(graph: Graph) -> None:
    """Check that names are unique, operands are defined before their use and types are those that inference gives.

    Raises:
        CompileError: the first violation, with the node where it is.
    """
    _check_names(graph)
    _check_constants(graph)
    defined: set[Value] = {*graph.inputs, *graph.constants}
    for node in graph.nodes:
        try:
            _check_operands(node, defined)
            _check_results(node)
        except CompileError as error:
            raise error.at(graph.name, f"node '{node.name}'", node.kind) from None
        defined.update(node.outputs)
    for name, value in graph.outputs.items():
        if value not in defined:
            raise CompileError(f"output '{name}' shows '{value.name}', which is not in the graph", where=(graph.name,))


def _check_names(graph: Graph) -> None:
    names = [value.name for value in graph.values() if value.name] + [node.name for node in graph.nodes]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise CompileError(f"the name '{name}' is there twice", where=(graph.name,))
        seen.add(name)


def _check_constants(graph: Graph) -> None:
    for constant in graph.constants:
        if of_array(constant.data) != constant.type:
            raise CompileError(
                f"constant '{constant.name}' is {constant.type}, its data {of_array(constant.data)}",
                where=(graph.name,),
            )


def _check_operands(node: Node, defined: set[Value]) -> None:
    for index, value in enumerate(node.inputs):
        if value is not None and value not in defined:
            raise CompileError(f"input {index} ('{value.name}') is not defined before the node")


def _check_results(node: Node) -> None:
    if node.kind not in OPS:
        raise CompileError("the kind is not declared in graph/ops")
    if is_meta(node):
        verify(body_of(node))
    spec = OPS[node.kind]
    if spec.complete(dict(node.attributes)) != node.attributes:
        raise CompileError("an attribute is missing")
    types = spec.infer(node.inputs, dict(node.attributes))
    if not 1 <= len(node.outputs) <= len(types):
        raise CompileError(f"has {len(node.outputs)} results, the kind gives {len(types)}")
    for index, (output, type) in enumerate(zip(node.outputs, types, strict=False)):
        if output.node is not node or output.index != index:
            raise CompileError(f"result {index} ('{output.name}') belongs to another node or place")
        if output.type != type:
            raise CompileError(f"result {index} ('{output.name}') is {output.type}, inference gives {type}")
