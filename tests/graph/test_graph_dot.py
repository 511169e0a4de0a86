"""The drawing of a Graph."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.dot import colour, to_dot, write_dot
from inbundle.graph.graph import Graph
from inbundle.graph.ops import OPS
from inbundle.graph.types import ElemKind, TensorType

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def _graph(x: str = "x") -> Graph:
    graph = Graph("tiny")
    data = graph.add_input(x, TensorType(ElemKind.FLOAT, (1, 2)))
    w = graph.add_constant("w", np.zeros((1, 2), np.float32))
    graph.outputs["y"] = graph.add("Concat", [data, w], {"axis": 0}, outputs=["y"]).output
    return graph


def test_dot_text() -> None:
    lines = to_dot(_graph()).splitlines()
    assert lines[:2] == ["digraph DAG {", "  rankdir=TB;"]
    assert lines[-1] == "}"
    assert lines[2] == (
        r'  "Concat_y" [label="{{<inputs0>inputs0|<inputs1>inputs1}|'
        r"{Concat\lName : Concat_y\linputs0 : float\<1 x 2\>\linputs1 : float\<1 x 2\>\laxis : 0\l"
        r"Users : 1\lconcat_result : float\<2 x 2\>\l}|{<concat_result>concat_result}}"
        rf'" shape=record style="filled,rounded" fillcolor={colour("Concat")} penwidth=2];'
    )
    assert [line.split('"')[1] for line in lines[2:7]] == ["Concat_y", "w", "x", "y", "y_save"]
    assert "fillcolor=Snow3 color=DeepSkyBlue4" in lines[3]
    assert lines[7:-1] == [
        '  "x":Output -> "Concat_y":inputs0;',
        '  "w":Output -> "Concat_y":inputs1;',
        '  "Concat_y":concat_result -> "y_save":Input;',
        '  "y":Output -> "y_save":Output [dir="both"];',
    ]


def test_special_characters_are_escaped() -> None:
    text = to_dot(_graph('a"b<c>\\{d}|e'))
    assert r'"a\"b<c>\\{d}|e":Output -> "Concat_y":inputs0;' in text
    assert r"Name : a\"b\<c\>\\\{d\}\|e\l" in text


def test_long_values_are_wrapped() -> None:
    graph = Graph("tiny")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (1,) * 40))
    graph.outputs["y"] = graph.add("Transpose", [x], {"perm": tuple(reversed(range(40)))}).output
    (label,) = re.findall(r'"Transpose_transpose" \[label="(.*)" shape', to_dot(graph))
    lines = label.split(r"\l")
    assert max(map(len, lines)) < 100
    assert "".join(line.strip() + " " for line in lines).count("39, 38, 37") == 1
    assert r"perm : [39, 38" in label


def test_lists_stay_on_one_line() -> None:
    graph = Graph("tiny")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (1, 1, 8, 8)))
    attributes = {"kernel_shape": (3, 3), "strides": (2, 2), "pads": (1, 1, 1, 1), "dilations": (1, 1)}
    body = Graph("body")
    inner = body.add("MaxPool", [body.add_input("x", x.type)], attributes, outputs=["y"])
    body.outputs["y"] = inner.output
    graph.outputs["y"] = graph.add("MetaNode", [x], {"function": "Pooled", "body": body}).output
    assert r"strides [2, 2], pads\l" + "\N{EM SPACE}" * 2 + "[1, 1, 1, 1], dilations [1, 1]," in to_dot(graph)


def test_colours_are_stable_and_spread() -> None:
    assert (colour("Conv"), colour("Relu")) == (colour("Conv"), colour("Relu"))
    assert colour("Conv") == "skyblue"
    assert len({colour(kind) for kind in OPS}) > 12


@needs_dot
@pytest.mark.parametrize("name", ["x", 'a"b<c>\\{d}|e', "ä ö", "n:s", "two\nlines"])
def test_dot_reads_every_name(name: str) -> None:
    command = ["dot", "-Tplain"]
    done = subprocess.run(command, input=to_dot(_graph(name)), text=True, capture_output=True, check=True)
    assert done.stderr == ""
    assert sum(line.startswith("node ") for line in done.stdout.splitlines()) == 5
    assert sum(line.startswith("edge ") for line in done.stdout.splitlines()) == 4


def test_write_dot_writes_text(tmp_path: Path) -> None:
    write_dot(_graph(), tmp_path / "g.dot")
    assert (tmp_path / "g.dot").read_text(encoding="utf-8") == to_dot(_graph())


@needs_dot
@pytest.mark.parametrize(("extension", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_write_dot_converts(tmp_path: Path, extension: str, start: bytes) -> None:
    write_dot(_graph(), tmp_path / f"g.{extension}")
    assert (tmp_path / f"g.{extension}").read_bytes().startswith(start)


def test_missing_dot_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompileError, match=r"g\.svg: the program dot is missing \(install Graphviz"):
        write_dot(_graph(), tmp_path / "g.svg")


@pytest.mark.parametrize("name", ["g.dot", pytest.param("g.svg", marks=needs_dot)])
def test_unwritable_path_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(CompileError, match=name):
        write_dot(_graph(), tmp_path / "missing" / name)
