"""A Graph as an ONNX model; MetaNodes become calls of functions of the model, in a domain of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from inbundle import __version__
from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Graph, Node, NodeOutput, Placeholder, Value
from inbundle.graph.names import NameScope
from inbundle.graph.onnx.nodes import IR_VERSION, OPSET, elem_number, export
from inbundle.graph.ops.meta import body_of, is_meta
from inbundle.graph.types import TensorType

DOMAIN = "inbundle"
"""The domain of the model's functions."""


def write_onnx(graph: Graph, path: Path) -> None:
    """Write `graph` as a checked ONNX model to `path`.

    Raises:
        CompileError: see `to_model`; or the file cannot be written.
    """
    try:
        onnx.save(to_model(graph), path)
    except OSError as error:
        raise CompileError(f"cannot write: {error.strerror}", where=(str(path),)) from None
    except ValueError:  # protobuf's message of 2 GiB at most
        raise CompileError("a model of over 2 GiB cannot be written", where=(str(path),)) from None


def to_model(graph: Graph, *, constants: bool = True) -> onnx.ModelProto:
    """The ONNX model that computes what `graph` does; inputs and outputs have its names.

    Args:
        constants: False makes them inputs, which a caller that runs the model gives without copying them.

    Raises:
        CompileError: a node that cannot be said in ONNX.
    """
    functions = _Functions()
    body = _Body(graph, functions)
    body.write_nodes()
    parameters = [*graph.inputs, *(() if constants else graph.constants)]
    proto = helper.make_graph(
        body.nodes,
        graph.name or "graph",
        [_info(body.names[value], value.type) for value in parameters],
        [_info(name, value.type) for name, value in graph.outputs.items()],
        initializer=[
            *([numpy_helper.from_array(c.data, body.names[c]) for c in graph.constants] if constants else ()),
            *(numpy_helper.from_array(data, name) for name, data in body.parts.items()),
        ],
        value_info=[_info(name, type) for name, type in body.between()],
    )
    return helper.make_model(
        proto,
        functions=functions.protos,
        opset_imports=_opsets(),
        ir_version=IR_VERSION,
        producer_name="inbundle",
        producer_version=__version__,
    )


def _opsets() -> list[onnx.OperatorSetIdProto]:
    return [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]


def _info(name: str, type: TensorType) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, elem_number(type.elem), type.shape)


class _Functions:
    """The functions of the model: one for each different body."""

    def __init__(self) -> None:
        self.protos: list[onnx.FunctionProto] = []
        self._names = NameScope()
        self._known: dict[tuple[str, bytes], str] = {}

    def name_of(self, node: Node) -> str:
        """The function that a MetaNode calls."""
        wanted = str(node.attributes["function"])
        proto = self._function(body_of(node))
        key = wanted, proto.SerializeToString(deterministic=True)
        if key not in self._known:
            self._known[key] = proto.name = self._names.take(wanted)
            self.protos.append(proto)
        return self._known[key]

    def _function(self, graph: Graph) -> onnx.FunctionProto:
        """Without its name. A function has no initializers: its constants are nodes."""
        body = _Body(graph, self)
        body.write_nodes()
        constants = {**{body.names[c]: c.data for c in graph.constants}, **body.parts}
        nodes = [
            helper.make_node("Constant", [], [name], value=numpy_helper.from_array(data, name))
            for name, data in constants.items()
        ]
        inputs = [body.names[value] for value in graph.inputs]
        return helper.make_function(DOMAIN, "", inputs, list(graph.outputs), [*nodes, *body.nodes], _opsets())


class _Body:
    """The nodes of a graph in ONNX, and the names of its values there.

    Attributes:
        names: value -> its name in ONNX.
        parts: constants that only the ONNX form of a node needs.
    """

    def __init__(self, graph: Graph, functions: _Functions) -> None:
        self.graph = graph
        self.functions = functions
        self.nodes: list[onnx.NodeProto] = []
        self.names: dict[Value, str] = {}
        self.parts: dict[str, np.ndarray] = {}
        self.scope = NameScope()
        self._name_values()

    def _name_values(self) -> None:
        """Inputs and outputs keep their names; a value in between may have to give up its own."""
        for placeholder in self.graph.inputs:
            self.names[placeholder] = self.scope.take(placeholder.name)
        for name, value in self.graph.outputs.items():
            if self._is_shown_by_itself(name, value):
                continue
            taken = self.scope.take(name)
            assert taken == name, f"output {name} has the name of an input that it does not show"
            if isinstance(value, NodeOutput):
                self.names.setdefault(value, name)
        for value in self.graph.values():
            if value not in self.names and value.name:
                self.names[value] = self.scope.take(value.name)

    def _is_shown_by_itself(self, name: str, value: Value) -> bool:
        return isinstance(value, Placeholder) and value.name == name

    def write_nodes(self) -> None:
        """All nodes, and an Identity for each output that is not simply a node's result."""
        for node in self.graph.nodes:
            if is_meta(node):
                self._write_call(node)
            else:
                export(_NodeSink(node, self))
        for name, value in self.graph.outputs.items():
            if self.names[value] != name:
                shown = self.scope.take(f"{name}_identity")
                self.nodes.append(helper.make_node("Identity", [self.names[value]], [name], name=shown))

    def between(self) -> list[tuple[str, TensorType]]:
        """Names and types of the values that are neither inputs nor outputs nor constants."""
        shown = set(self.graph.outputs)
        results = [value for node in self.graph.nodes for value in node.outputs if value.name]
        return [(self.names[value], value.type) for value in results if self.names[value] not in shown]

    def operands(self, node: Node) -> list[str]:
        return ["" if value is None else self.names[value] for value in node.inputs]

    def results(self, node: Node) -> list[str]:
        return [self.names[value] if value.name else "" for value in node.outputs]

    def _write_call(self, node: Node) -> None:
        name = self.functions.name_of(node)
        call = helper.make_node(name, self.operands(node), self.results(node), name=node.name, domain=DOMAIN)
        self.nodes.append(call)


@dataclass
class _NodeSink:
    """Takes the ONNX form of one node into a body; see `graph/onnx/nodes.py`."""

    node: Node
    body: _Body
    inputs: Sequence[str] = field(init=False)
    outputs: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        self.inputs, self.outputs = self.body.operands(self.node), self.body.results(self.node)

    def emit(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Attribute]
    ) -> None:
        is_last = list(outputs) == list(self.outputs)
        name = self.node.name if is_last else self.fresh(operator.lower())
        proto = helper.make_node(operator, list(inputs), list(outputs), name=name)
        proto.attribute.extend(_attribute(operator, key, value) for key, value in attributes.items() if value != ())
        self.body.nodes.append(proto)

    def constant(self, part: str, data: np.ndarray) -> str:
        name = self.fresh(part)
        self.body.parts[name] = data
        return name

    def fresh(self, part: str) -> str:
        return self.body.scope.take(f"{self.node.name}_{part}")


def _attribute(operator: str, name: str, value: Attribute) -> onnx.AttributeProto:
    """An attribute of the type that the operator declares: an integer may stand for a float or a boolean here."""
    declared = onnx.defs.get_schema(operator, OPSET, "").attributes[name].type
    if declared == onnx.defs.OpSchema.AttrType.FLOAT:
        value = float(value)  # type: ignore[arg-type]
    elif declared == onnx.defs.OpSchema.AttrType.INT:
        value = int(value)  # type: ignore[arg-type]
    return helper.make_attribute(name, list(value) if isinstance(value, tuple) else value)
