"""A Graph as vertices and arrows, for people: what its text and its DOT drawing show.

As in Glow, a model output is a placeholder of its own that a Save vertex writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inbundle.graph.graph import Attribute, Constant, Graph, Node, NodeOutput, Placeholder, Value
from inbundle.graph.ops import OPS
from inbundle.graph.ops.meta import body_of, is_meta, kind_name
from inbundle.graph.types import TensorType


@dataclass(frozen=True)
class Arrow:
    """From port `source_port` of the vertex `source` to an operand's port; `written` if the operand is written."""

    source: str
    source_port: str
    port: str
    written: bool = False


@dataclass(frozen=True)
class Vertex:
    """A node, constant or placeholder.

    Attributes:
        inputs: operand port -> type, in order.
        members: attribute -> its text.
        outputs: result port -> type, in order.
        users: how many operands read its results.
    """

    name: str
    kind: str
    inputs: dict[str, TensorType]
    members: dict[str, str]
    outputs: dict[str, TensorType]
    users: int
    arrows: tuple[Arrow, ...] = ()

    def description(self) -> list[str]:
        """The kind, then `key : value` lines: name, types of operands, members, users, types of results."""
        pairs = [("Name", printable(self.name)), *self.inputs.items(), *self.members.items()]
        pairs += [("Users", self.users), *self.outputs.items()]
        return [self.kind, *(f"{key} : {value}" for key, value in pairs)]


@dataclass(frozen=True)
class Diagram:
    """Vertices of a graph, each group in order of names."""

    nodes: list[Vertex]
    constants: list[Vertex]
    placeholders: list[Vertex]


def diagram(graph: Graph) -> Diagram:
    """The vertices of `graph`."""
    users = {value: len(readers) for value, readers in graph.users().items()}
    for value in graph.outputs.values():
        users[value] += 1
    nodes = [_node_vertex(node, users) for node in graph.nodes]
    constants = [_storage_vertex(constant, users[constant]) for constant in graph.constants]
    placeholders = [_storage_vertex(placeholder, users[placeholder]) for placeholder in graph.inputs]
    saves, saved = _output_vertices(graph, {vertex.name for vertex in nodes + constants + placeholders})
    return Diagram(_by_name(nodes + saves), _by_name(constants), _by_name(placeholders + saved))


def printable(name: str) -> str:
    """`name` on one line, control characters as escapes."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in name)


def _by_name(vertices: list[Vertex]) -> list[Vertex]:
    return sorted(vertices, key=lambda vertex: vertex.name)


def _node_vertex(node: Node, users: dict[Value, int]) -> Vertex:
    operands = _operands(node)
    return Vertex(
        node.name,
        kind_name(node),
        {port: value.type for port, value in operands.items()},
        _members(node),
        {_result_port(node, output.index): output.type for output in node.outputs},
        sum(users[output] for output in node.outputs),
        tuple(Arrow(*_source(value), port) for port, value in operands.items()),
    )


def _members(node: Node) -> dict[str, str]:
    """Attribute -> its text; of a MetaNode the nodes of its body, by number, with theirs."""
    if not is_meta(node):
        return {name: attribute_text(value) for name, value in node.attributes.items()}
    return {f"body{index}": _one_line(inner) for index, inner in enumerate(body_of(node).nodes)}


def _one_line(node: Node) -> str:
    """`Conv, strides [1, 1], group 1`"""
    return ", ".join([kind_name(node), *(f"{name} {text}" for name, text in _members(node).items())])


def _operands(node: Node) -> dict[str, Value]:
    """Operand port -> value, for the operands that are there; any number of operands are numbered from 0."""
    names: Sequence[str] = OPS[node.kind].inputs
    if names[-1].endswith("*"):
        fixed = len(names) - 1
        names = [*names[:-1], *(f"{names[-1][:-1]}{i}" for i in range(len(node.inputs) - fixed))]
    pairs = zip(names, node.inputs, strict=False)
    return {name.rstrip("?"): value for name, value in pairs if value is not None}


def _result_port(node: Node, index: int) -> str:
    """As operands, any number of results are numbered from 0."""
    names = OPS[node.kind].outputs
    if names[-1].endswith("*"):
        return f"{names[-1][:-1]}{index}"
    return names[index].rstrip("?")


def _source(value: Value) -> tuple[str, str]:
    """Name of the vertex that gives `value`, and the port."""
    if isinstance(value, NodeOutput):
        return value.node.name, _result_port(value.node, value.index)
    return value.name, _STORED


_STORED = "Output"
"""The one port of a constant or placeholder."""


def _storage_vertex(value: Constant | Placeholder, users: int) -> Vertex:
    kind = "Constant" if isinstance(value, Constant) else "Placeholder"
    return Vertex(value.name, kind, {}, {}, {_STORED: value.type}, users)


def _output_vertices(graph: Graph, taken: set[str]) -> tuple[list[Vertex], list[Vertex]]:
    """Per model output the Save and the placeholder that it writes; names differ from those `taken`."""
    saves, saved = [], []
    for output, value in graph.outputs.items():
        name, save = _free_name(output, taken), _free_name(f"{output}_save", taken)
        arrows = (Arrow(*_source(value), "Input"), Arrow(name, _STORED, _STORED, written=True))
        saves.append(Vertex(save, "Save", {"Input": value.type, _STORED: value.type}, {}, {}, 0, arrows))
        saved.append(Vertex(name, "Placeholder", {}, {}, {_STORED: value.type}, 1))
    return saves, saved


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}__{number}"
    taken.add(name)
    return name


def attribute_text(value: Attribute) -> str:
    """`[2, 2]`, `0.5`, `true`, `constant`."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(attribute_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
