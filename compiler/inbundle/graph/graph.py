"""Graph: a typed dataflow graph of placeholders, constants and nodes.

Nodes stand in topological order in `Graph.nodes`. Every value has a static type. What a kind means, which attributes
it has and how its output types follow from its inputs is declared in `graph/ops`; this module knows no operator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from inbundle.graph.names import NameScope
from inbundle.graph.types import TensorType, of_array

Attribute: TypeAlias = "int | float | str | bool | tuple[int, ...] | tuple[float, ...] | Graph"
"""A Graph is the body of a MetaNode, see graph/ops/meta.py."""


class Attributed:
    """What has attributes by name: a node of a graph, an instruction of the IR. Which, and of what types, its kind
    declares."""

    attributes: dict[str, Attribute]

    def integer(self, name: str) -> int:
        value = self.attributes[name]
        assert isinstance(value, int), f"{name} is {value!r}"
        return int(value)

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.attributes[name]
        assert isinstance(value, tuple), f"{name} is {value!r}"
        return tuple(int(number) for number in value)

    def number(self, name: str) -> float:
        value = self.attributes[name]
        assert isinstance(value, int | float), f"{name} is {value!r}"
        return value

    def text(self, name: str) -> str:
        value = self.attributes[name]
        assert isinstance(value, str), f"{name} is {value!r}"
        return value


@dataclass(eq=False)
class Value:
    """A tensor: the name is that of the ONNX tensor where there is one, and unique in the graph."""

    name: str
    type: TensorType


@dataclass(eq=False)
class Placeholder(Value):
    """An input of the model, given by the application at run time."""


@dataclass(eq=False)
class Constant(Value):
    """A tensor known at compile time; `data.shape == type.shape`."""

    data: np.ndarray


@dataclass(eq=False)
class NodeOutput(Value):
    """Result number `index` of `node`."""

    node: Node
    index: int


@dataclass(eq=False)
class Node(Attributed):
    """One operation. An absent optional input is None; an unused optional output is not in `outputs` at the end,
    and carries an empty name in the middle."""

    kind: str
    name: str
    inputs: list[Value | None]
    attributes: dict[str, Attribute]
    outputs: list[NodeOutput] = field(default_factory=list)

    @property
    def output(self) -> NodeOutput:
        return self.outputs[0]

    def input(self, index: int) -> Value:
        """Input `index`, which must be there."""
        value = self.inputs[index]
        assert value is not None, f"{self.name}: input {index} is absent"
        return value

    def has_input(self, index: int) -> bool:
        return index < len(self.inputs) and self.inputs[index] is not None


class Graph:
    """A model in normal form.

    `outputs` maps the name of each model output, in the model's order, to the value it shows; an output may show a
    placeholder or a constant, and two outputs may show one value.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.inputs: list[Placeholder] = []
        self.constants: list[Constant] = []
        self.nodes: list[Node] = []
        self.outputs: dict[str, Value] = {}
        self._names = NameScope()

    def unique_name(self, wanted: str) -> str:
        """`wanted` or a name like it that no value or node has; it is taken from now on."""
        return self._names.take(wanted)

    def add_input(self, name: str, type: TensorType) -> Placeholder:
        value = Placeholder(self.unique_name(name), type)
        self.inputs.append(value)
        return value

    def add_constant(self, name: str, data: np.ndarray) -> Constant:
        data = np.ascontiguousarray(data).reshape(np.shape(data))
        value = Constant(self.unique_name(name), of_array(data), data)
        self.constants.append(value)
        return value

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        name: str = "",
        outputs: Sequence[str] = (),
    ) -> Node:
        """Append a node whose output types are inferred from its kind.

        Args:
            name: the node's name; default `KIND_firstOutput`.
            outputs: wanted names of the results; default: derived from the node's name. Their number may not exceed
                the number of results the kind has.

        Raises:
            CompileError: inputs or attributes that the kind does not accept.
        """
        from inbundle.graph.ops import OPS

        spec = OPS[kind]
        attrs = spec.complete(dict(attributes or {}))
        types = spec.infer(list(inputs), attrs)
        wanted = list(outputs) or [f"{name or kind.lower()}"]
        while len(wanted) > 1 and not wanted[-1]:
            wanted.pop()
        node = Node(kind, self.unique_name(name or f"{kind}_{wanted[0]}"), list(inputs), attrs)
        for index, (output, type) in enumerate(zip(wanted, types, strict=False)):
            node.outputs.append(NodeOutput(self.unique_name(output) if output else "", type, node, index))
        self.nodes.append(node)
        return node

    def values(self) -> Iterator[Value]:
        yield from self.inputs
        yield from self.constants
        for node in self.nodes:
            yield from node.outputs

    def replace(self, old: Value, new: Value) -> None:
        """Let every reader of `old`, model outputs included, read `new`."""
        for node in self.nodes:
            node.inputs = [new if value is old else value for value in node.inputs]
        for name, value in self.outputs.items():
            if value is old:
                self.outputs[name] = new

    def users(self) -> dict[Value, list[Node]]:
        """Value -> nodes that read it, in graph order, once per operand."""
        found: dict[Value, list[Node]] = {value: [] for value in self.values()}
        for node in self.nodes:
            for value in node.inputs:
                if value is not None:
                    found.setdefault(value, []).append(node)
        return found
