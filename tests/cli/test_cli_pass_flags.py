"""The flags that choose and show passes, through the library and on standard output."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import inbundle
from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.passes import PASSES, GraphPass

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist" / "mnist.onnx"


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Compiles the example in a folder of its own, without optimising the C; returns standard output."""
    monkeypatch.chdir(tmp_path)

    def compile(**options: object) -> str:
        inbundle.compile(EXAMPLE, "b", opt_level="0", **options)
        return capsys.readouterr().out

    return compile


def test_logs_name_the_passes_in_order(compiled) -> None:
    lines = compiled(graph_passes=("CSE", "EliminateNoop"), print_graph_passes=True, print_ir_passes=True).splitlines()
    graph, ir = ([line for line in lines if line.startswith(label)] for label in ("graph pass", "IR pass"))
    assert len(graph) + len(ir) == len(lines)
    assert [line.split()[3] for line in graph] == ["DCE:", "CSE:", "EliminateNoop:"]
    assert [line.split()[2] for line in ir] == [str(number + 1) for number in range(len(ir))]
    assert "-> " in "".join(ir)


def test_dumps_before_and_after_passes(compiled, tmp_path: Path) -> None:
    shown = compiled(
        graph_passes=("CSE", "DCE"),
        dump_graph_after_passes="CSE",
        dump_graph_before_all_passes=True,
        dump_ir_before_passes=("ScalarConstants", "HoistDealloc"),
        dump_ir_after_passes="ScalarConstants",
    )
    drawings = [f"mnist_{name}_0.dot" for name in ("PrePass_DCE_n1", "PrePass_CSE_n2", "PostPass_CSE_n2")]
    for name in drawings:
        assert (tmp_path / name).read_text().startswith("digraph DAG")
        assert f"Graph written to {name}\n" in shown
    assert shown.count("IR before pass") == 2
    assert shown.count("IR after pass") == 1
    assert shown.count("function mnist\n") == 3


def test_passes_can_be_stopped(compiled) -> None:
    shown = compiled(
        stop_graph_passes_after_num=2, stop_ir_passes_after_num=0, print_graph_passes=True, print_ir_passes=True
    )
    assert [line.split()[:3] for line in shown.splitlines()] == [["graph", "pass", "1"], ["graph", "pass", "2"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph_passes": "CES"}, "-graph-passes: there is no pass 'CES'"),
        ({"dump_ir_after_passes": "CSE"}, "-dump-ir-after-passes: there is no pass 'CSE'.*DSE"),
        ({"dump_graph_before_passes": "DSE"}, "-dump-graph-before-passes: there is no pass 'DSE'.*CSE"),
        (
            {"dump_ir_after_passes": "DSE", "optimize_ir": False},
            "-dump-ir-after-passes: no IR pass runs .*-optimize-ir",
        ),
        ({"dump_ir_before_all_passes": True, "granularity": "neuron"}, "-dump-ir-before-all-passes: no IR pass runs"),
        ({"stop_ir_passes_after_num": -1}, "-stop-ir-passes-after-num=-1"),
    ],
)
def test_what_is_not_there_is_named(compiled, options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=message):
        compiled(**options)
    assert not (tmp_path / "b").exists()


def test_the_manifest_records_what_was_chosen(compiled, tmp_path: Path) -> None:
    compiled(graph_passes=("default", "-CSE"), print_ir_passes=True)
    options = inbundle.load(tmp_path / "b").manifest["options"]
    assert options["graph_passes"] == ["default", "-CSE"]
    assert "print_ir_passes" not in options


PATTERN = "patterns: [{name: Blocks, match: Conv -> Relu, wrap: ConvRelu}]"


@pytest.mark.parametrize(("patterns", "functions"), [("", []), (PATTERN, ["ConvRelu", "ConvRelu__1"])])
def test_the_optimised_graph_as_onnx(compiled, tmp_path: Path, patterns: str, functions: list[str]) -> None:
    """MetaNodes are functions; a function whose body is another has a name of its own."""
    (tmp_path / "own.yaml").write_text(patterns)
    own = {"patterns": "own.yaml"} if patterns else {}
    compiled(dump_onnx="o.onnx", verify_passes=True, graph_passes=("default", "-FuseNodes"), **own)
    written = onnx.load(tmp_path / "o.onnx")
    onnx.checker.check_model(written, full_check=True)
    assert [function.name for function in written.functions] == functions
    original = onnx.load(EXAMPLE)
    feeds = {"image": np.random.default_rng(1).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)}
    want, got = (ReferenceEvaluator(model).run(["probabilities"], feeds)[0] for model in (original, written))
    np.testing.assert_allclose(got, want, atol=1e-5)


def test_a_pass_that_changes_results_stops_the_compilation(compiled, tmp_path: Path, monkeypatch) -> None:
    def double(graph: Graph) -> None:
        graph.outputs["probabilities"] = graph.add("Add", [graph.outputs["probabilities"]] * 2).output

    monkeypatch.setitem(PASSES, "CSE", GraphPass("CSE", double))
    with pytest.raises(CompileError, match="graph pass CSE: -verify-passes: it changed output 'probabilities'"):
        compiled(graph_passes="CSE", verify_passes=True)
    assert not (tmp_path / "b").exists()
