"""docs/optimizer.md lists the passes that there are, and its table of numbers is made by the benchmark."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from inbundle.cli.flags import PASSES as FLAGS
from inbundle.ir.passes import PIPELINE as IR_PIPELINE
from inbundle.passes import PIPELINE

REPO = Path(__file__).resolve().parents[2]
TEXT = (REPO / "docs" / "optimizer.md").read_text(encoding="utf-8")


def _listed(section: str) -> list[str]:
    """The names in the first column of the table of a section."""
    table = TEXT.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)[2:]
    return [name for row in rows for name in row.split(", ")]


def test_all_passes_are_listed() -> None:
    for section, names in (
        ("Graph passes", [config.name for config in PIPELINE]),
        ("IR passes", [name for name, _ in IR_PIPELINE]),
    ):
        assert sorted(_listed(section)) == sorted(set(names)), f"docs/optimizer.md, {section}"


def test_all_flags_are_listed() -> None:
    listed = set(re.findall(r"`-([\w-]+)", TEXT))
    hidden_or_elsewhere = {option.name for option in FLAGS if option.hidden or "-all-" in option.name} | {"extension"}
    assert {option.name for option in FLAGS} - hidden_or_elsewhere <= listed


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_optimizer", REPO / "benchmarks" / "optimizer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPO / "benchmarks")
    document = tmp_path / "optimizer.md"
    document.write_text("before\n<!-- benchmarks/optimizer.py -->\nold\n<!-- end -->\nafter\n")
    model = REPO / "examples" / "mnist" / "mnist.onnx"
    assert _benchmark().main(["--update", str(document), str(model)]) == 0
    lines = document.read_text().splitlines()
    assert lines[:2] == ["before", "<!-- benchmarks/optimizer.py -->"]
    assert lines[-2:] == ["<!-- end -->", "after"]
    assert re.match(
        r"\| mnist/mnist.onnx \| 11 → \d+ \| 11 → \d+ \| [\d,]+ → [\d,]+ \|"
        r" \d\.\d\d \| [\d,]+ \| \d\.\d\d \| \de[-+]\d+ \|$",
        lines[4],
    )
    shown = TEXT.split("<!-- benchmarks/optimizer.py -->\n")[1].splitlines()
    assert shown[0] == lines[2]
    assert shown[2].rsplit("|", 2)[0] == lines[4].rsplit("|", 2)[0], "docs/optimizer.md: make the table again"
