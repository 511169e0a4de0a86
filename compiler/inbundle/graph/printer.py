"""A Graph as text, as `-dump-graph` shows it."""

from __future__ import annotations

from inbundle.graph.diagram import diagram, printable
from inbundle.graph.graph import Graph


def to_text(graph: Graph) -> str:
    """A headline, then a paragraph per node, constant and placeholder, each group sorted by name."""
    shown = diagram(graph)
    paragraphs = [[f"Graph structure of {printable(graph.name)}"]]
    paragraphs += [vertex.description() for vertex in shown.nodes + shown.constants + shown.placeholders]
    return "\n\n".join("\n".join(lines) for lines in paragraphs) + "\n"
