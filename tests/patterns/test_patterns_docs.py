"""docs/patterns.md: its example does what the page says, and it lists every function and field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save

from inbundle.driver import optimize_graph
from inbundle.errors import CompileError
from inbundle.frontend import load_graph
from inbundle.graph.graph import Graph
from inbundle.graph.ops.meta import kind_name
from inbundle.options import CompileOptions
from inbundle.pass_manager import PassRun, Watcher
from inbundle.passes import GraphPass, optimize
from inbundle.patterns import pattern_file
from inbundle.patterns.functions import BUILT_IN
from inbundle.patterns.pattern_file import PatternFile

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "patterns.md").read_text(encoding="utf-8")


def _example(name: str) -> str:
    found = re.search(rf"<!-- example: {name} -->\n```\w*\n(.*?)```\n", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def _model(path: Path) -> None:
    rng = np.random.default_rng(0)
    shapes = {"depthwise": (4, 1, 3, 3), "first": (6, 4, 1, 1), "second": (5, 6, 1, 1)}
    weights = [numpy_helper.from_array(rng.normal(size=s).astype(np.float32), n) for n, s in shapes.items()]
    nodes = [
        helper.make_node("Conv", ["x", "depthwise"], ["a"], group=4),
        helper.make_node("Elu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "first"], ["c"]),
        helper.make_node("Conv", ["c", "second"], ["d"]),
        helper.make_node("GlobalAveragePool", ["d"], ["e"]),
        helper.make_node("Softmax", ["e"], ["y"], axis=1),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5, 1, 1])
    graph = helper.make_graph(nodes, "example", [x], [y], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    _model(Path("m.onnx"))
    Path("own.yaml").write_text(_example("own.yaml"), encoding="utf-8")
    graph = load_graph(Path("m.onnx"), CompileOptions())
    optimize_graph(graph, CompileOptions(patterns=Path("own.yaml"), print_graph_passes=True, graph_passes=("none",)))
    shown = capsys.readouterr().out
    log = next(line for line in shown.splitlines() if "Patterns" in line)
    assert log.startswith(_example("log").strip())
    assert [kind_name(node) for node in graph.nodes] == _example("nodes").split()


def test_the_example_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = _example("own.yaml").replace("match: Softmax", "match: Sofmax")
    Path("own.yaml").write_text(wrong, encoding="utf-8")
    with pytest.raises(CompileError) as error:
        PatternFile(Path("own.yaml"))
    assert str(error.value) == _example("error").strip()


def test_all_functions_and_fields_are_listed() -> None:
    listed = set(re.findall(r"`(\w+)", PAGE))
    assert BUILT_IN.keys() <= listed
    schema = json.loads(pattern_file._SCHEMA.read_text(encoding="utf-8"))
    assert schema["properties"].keys() | schema["$defs"]["pattern"]["properties"].keys() <= listed


@pytest.mark.parametrize(
    ("words", "order"),
    [
        (("CSE", "EliminateNoop"), ["Patterns", "CSE", "EliminateNoop"]),
        (("CSE", "Patterns*", "EliminateNoop"), ["CSE", "Patterns", "EliminateNoop"]),
        (("CSE", "-Patterns"), ["CSE"]),
    ],
)
def test_own_patterns_run_first_or_where_they_are_named(words: tuple[str, ...], order: list[str]) -> None:
    seen: list[str] = []

    class Names(Watcher[Graph]):
        def before(self, run: PassRun, unit: Graph) -> None:
            seen.append(run.name)

    own = [GraphPass("Patterns", lambda graph: None, dce_before=False)]
    optimize(Graph("empty"), words, [Names()], own=own)
    assert [name for name in seen if name != "DCE"] == order
