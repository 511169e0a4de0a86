"""A Graph as a drawing: DOT text, or PDF, SVG, PNG through the program `dot`."""

from __future__ import annotations

import re
import subprocess
import textwrap
import zlib
from collections.abc import Iterable
from pathlib import Path

from inbundle.errors import CompileError
from inbundle.graph.diagram import Arrow, Vertex, diagram
from inbundle.graph.graph import Graph

CONVERTED = ("pdf", "svg", "png")
WIDEST = 60
"""Characters in a line of a box."""
_LIST = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")
_NO_BLANK = "\N{NO-BREAK SPACE}"
_INDENT = "\N{EM SPACE}\N{EM SPACE}"
"""`dot` leaves out blanks at the beginning of a line."""

_COLOURS = (
    "aquamarine",
    "bisque",
    "burlywood1",
    "cadetblue2",
    "cornsilk2",
    "darkolivegreen2",
    "darkseagreen2",
    "gold",
    "honeydew2",
    "khaki",
    "lavender",
    "lightblue",
    "lightcoral",
    "lightgoldenrod",
    "lightpink",
    "lightsalmon",
    "palegreen",
    "plum2",
    "skyblue",
    "tan1",
)


def write_dot(graph: Graph, path: Path) -> None:
    """Write the drawing of `graph` to `path`; the extensions of `CONVERTED` are converted, others hold DOT text.

    Raises:
        CompileError: the file cannot be written, or `dot` is missing or fails.
    """
    text = to_dot(graph)
    extension = path.suffix[1:].lower()
    if extension in CONVERTED:
        _convert(text, path, extension)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write: {error.strerror}", where=(str(path),)) from None


def to_dot(graph: Graph) -> str:
    """The drawing as DOT text: a vertex per node, constant and placeholder, an edge per operand."""
    shown = diagram(graph)
    vertices = sorted(shown.nodes + shown.constants + shown.placeholders, key=lambda vertex: vertex.name)
    lines = ["digraph DAG {", "  rankdir=TB;"]
    lines += [f"  {_vertex(vertex)}" for vertex in vertices]
    lines += [f"  {_edge(vertex, arrow)}" for vertex in vertices for arrow in vertex.arrows]
    return "\n".join([*lines, "}"]) + "\n"


def _convert(text: str, path: Path, extension: str) -> None:
    command = ["dot", f"-T{extension}", "-o", str(path)]
    try:
        subprocess.run(command, input=text, text=True, encoding="utf-8", check=True, capture_output=True)
    except FileNotFoundError:
        hint = "install Graphviz, or give the file the extension .dot"
        raise CompileError("the program dot is missing", where=(str(path),), hint=hint) from None
    except subprocess.CalledProcessError as error:
        raise CompileError(f"dot failed: {error.stderr}", where=(str(path),)) from None


def _vertex(vertex: Vertex) -> str:
    lines = (part for line in vertex.description() for part in _wrapped(line))
    description = "".join(f"{_escape(line)}\\l" for line in lines)
    rows = [_ports(vertex.inputs), description, _ports(vertex.outputs)]
    label = "|".join(f"{{{row}}}" for row in rows if row)
    fill = f"fillcolor={colour(vertex.kind)}"
    if vertex.kind == "Constant":
        fill = "fillcolor=Snow3 color=DeepSkyBlue4"
    return f'{_quoted(vertex.name)} [label="{{{label}}}" shape=record style="filled,rounded" {fill} penwidth=2];'


def _wrapped(line: str) -> list[str]:
    """Long values, such as the kinds in a MetaNode's body, would make a column of boxes too wide to be read. Lists stay
    on one line."""
    if len(line) <= WIDEST:
        return [line]
    lists_as_words = _LIST.sub(lambda found: found[0].replace(" ", _NO_BLANK), line)
    lines = textwrap.wrap(lists_as_words, WIDEST, subsequent_indent=_INDENT, break_on_hyphens=False)
    return [part.replace(_NO_BLANK, " ") for part in lines]


def _ports(names: Iterable[str]) -> str:
    return "|".join(f"<{name}>{name}" for name in names)


def _edge(vertex: Vertex, arrow: Arrow) -> str:
    both = ' [dir="both"]' if arrow.written else ""
    return f"{_quoted(arrow.source)}:{arrow.source_port} -> {_quoted(vertex.name)}:{arrow.port}{both};"


def colour(kind: str) -> str:
    """The same colour for a kind in every run."""
    return _COLOURS[zlib.crc32(kind.encode()) % len(_COLOURS)]


def _quoted(name: str) -> str:
    """A vertex identifier."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escape(text: str) -> str:
    """Text inside a record label."""
    return "".join(f"\\{letter}" if letter in '"<>\\{}|' else letter for letter in text)
