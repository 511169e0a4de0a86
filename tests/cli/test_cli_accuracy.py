"""The accuracy script: example, bundle, files; errors."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inbundle.bundle.runner import Bundle
from inbundle.cli.accuracy import main

REPO = Path(__file__).resolve().parents[2]
EXAMPLE = REPO / "examples" / "mnist"


@pytest.fixture(scope="module")
def bundle(compiled: Callable[..., Bundle]) -> Path:
    return compiled("example").directory


def test_script_prints_top_five_and_the_table(bundle: Path) -> None:
    done = subprocess.run(
        [REPO / "scripts" / "exec_accuracy.sh", "-m", "mnist", "--bundle", bundle], capture_output=True, text=True
    )
    if "No module named" in done.stderr:
        pytest.skip("inbundle is not installed where the script looks for it")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum("top-5: " in line for line in lines) == 100
    assert lines[0].split()[:3] == ["mnist_000.png", "label", "7"]
    assert "top-1                100.00%" in lines
    assert {"precision", "recall", "F1"} <= {line.split()[0] for line in lines if line}


def test_files_and_limit(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--bundle", str(bundle), "--images", str(EXAMPLE / "images"), "--limit=7", "-topk=2"]
    assert main([*words, "--labels", str(EXAMPLE / "ground_truth.txt")]) == 0
    printed = capsys.readouterr().out
    assert printed.count("top-2: ") == 7
    assert "images                     7" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no model"),
        (["-m", "nothing"], "no example 'nothing'"),
        (["--model", "m.onnx"], "no images or labels"),
        (["--model", "m.onnx", "--bundle", "b", "-m", "mnist"], "both --model and --bundle"),
        (["-m", "mnist", "--image-mode=0to2"], "0to2"),
        (["-m", "mnist", "--labels", "none.txt"], "none.txt"),
        (["-m", "mnist", "--topk", "0"], "-topk=0: expected a number of classes above 0"),
    ],
)
def test_errors(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--examples-dir", str(REPO / "examples"), *words]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("label", [10, 255])
def test_labels_must_be_classes(bundle: Path, label: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = (EXAMPLE / "ground_truth.txt").read_text().splitlines()
    (tmp_path / "labels").write_text("\n".join([labels[0], str(label), *labels[2:]]))
    words = ["--bundle", str(bundle), "--images", str(EXAMPLE / "images"), "--labels", str(tmp_path / "labels")]
    assert main(words) == 1
    error = f"label {label} of image 'mnist_001.png' is no class of the model (it has 10 classes, 0 to 9)"
    assert error in capsys.readouterr().err


def test_labels_must_be_as_many_as_images(bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labels").write_text("1\n2\n")
    words = ["--bundle", str(bundle), "--images", str(EXAMPLE / "images"), "--labels", str(tmp_path / "labels")]
    assert main(words) == 1
    assert "2 labels for 100 images" in capsys.readouterr().err
