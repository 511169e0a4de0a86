"""`model-compiler` as a command: progress, options of Glow that are not ours, options as the library takes them."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

import inbundle
from inbundle.cli.glow_options import GLOW_ONLY
from inbundle.cli.model_compiler import LINE, main
from inbundle.errors import CompileError
from inbundle.options import CompileOptions

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist" / "mnist.onnx"
COMMAND = [sys.executable, "-m", "inbundle.cli.model_compiler", f"-model={EXAMPLE}"]


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([*COMMAND, f"-emit-bundle={tmp_path}/b"], stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "[1/6] loading" in shown
    assert "[6/6] building the object" in shown
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


def test_silent_when_piped(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, f"-emit-bundle={tmp_path}/b"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_dumps(tmp_path: Path) -> None:
    words = [f"-emit-bundle={tmp_path}/b", "-dump-ir", "-dump-graph", f"-dump-graph-DAG={tmp_path}/g.dot"]
    words.append(f"-dump-graph-DAG-before-compile={tmp_path}/before.dot")
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
    assert done.returncode == 0
    assert "function mnist\n" in done.stdout
    assert "Save" in done.stdout
    for name in ("g.dot", "before.dot"):
        assert (tmp_path / name).read_text().startswith("digraph DAG")
        assert f"Graph written to {tmp_path}/{name}\n" in done.stdout


def test_dumps_stand_on_lines_of_their_own_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([*COMMAND, f"-emit-bundle={tmp_path}/b", "-dump-ir"], stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "\r\x1b[Kfunction mnist" in shown


def test_verify_is_for_this_machine(tmp_path: Path) -> None:
    words = [f"-emit-bundle={tmp_path}/b", "-verify", "-target=arm"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
    assert done.returncode == 1
    assert "-verify" in done.stderr
    assert not (tmp_path / "b").exists()


def test_verify(tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, f"-emit-bundle={tmp_path}/b", "-verify"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "probabilities: ok, largest difference" in done.stdout


def test_options_of_glow_that_are_not_ours_are_named_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"-model={EXAMPLE}", "-emit-bundle=b", "-bundle-code-model=small"]) == 1
    assert "-bundle-code-model is an option of Glow" in capsys.readouterr().err
    assert not GLOW_ONLY & {option.name for option in LINE.options}


def test_help_shows_defaults() -> None:
    assert "(default: tile)" in LINE.help_text()
    assert "(default: true)" in LINE.help_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"granularity": "brick"}, "-granularity: there is no 'brick'.*tile, neuron"),
        ({"threads": 0}, "-threads=0"),
        ({"threads": "2"}, "-threads=2"),
        ({"optimize_ir": "yes"}, "-optimize-ir: expected true or false"),
        ({"network_name": 3}, "-network-name: expected text"),
        ({"onnx_define_symbol": {"n": 0}}, "n,0"),
        ({"onnx_define_symbol": "n"}, "-onnx-define-symbol=n"),
        ({"onnx_define_symbol": 3}, "-onnx-define-symbol: expected a text or a list of texts, not 3"),
        ({"model_input": 3}, "-model-input: expected a text or a list of texts, not 3"),
        ({"extension": [3]}, "-extension: expected a text or a list of texts, not .3."),
        ({"patterns": 3}, "-patterns: expected the path of a file, not 3"),
        ({"thread": 2}, "there is no option 'thread' .did you mean 'threads'"),
        ({"xyzzy": 2}, "there is no option 'xyzzy' .options: model_input, "),
        ({"verify": True}, "verify is an option of the command alone .model-compiler -verify"),
        ({"inpla_weights": "inline"}, "-granularity=neuron"),
        ({"granularity": "neuron", "tile_split": "rows"}, "-tile-split=rows: a neuron net has no tiles"),
    ],
)
def test_library_options_are_checked_like_the_flags(options: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=message):
        inbundle.compile(EXAMPLE, tmp_path / "b", **options)
    assert not (tmp_path / "b").exists()


def test_models_and_directories_are_paths(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="expected the path of a model or a ModelProto, not 3"):
        inbundle.compile(3, tmp_path / "b")  # type: ignore[arg-type]
    for call in (lambda: inbundle.compile(EXAMPLE, 3), lambda: inbundle.load(3)):  # type: ignore[arg-type]
        with pytest.raises(CompileError, match="expected the path of a bundle's directory, not 3"):
            call()


def test_what_is_no_model_is_named_before_what_its_name_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "int.onnx").write_bytes(b"\xff" * 64)
    with pytest.raises(CompileError, match=r"int\.onnx: the file is truncated or not an ONNX model"):
        inbundle.compile(tmp_path / "int.onnx", tmp_path / "b")


def test_numbers_of_numpy_are_numbers() -> None:
    options = CompileOptions(threads=np.int64(2), onnx_define_symbol={"n": np.int32(3)})  # type: ignore[arg-type]
    assert (options.threads, options.onnx_define_symbol) == (2, {"n": 3})
    assert type(options.threads) is int


def test_library_takes_texts_as_the_flags_do() -> None:
    options = CompileOptions(onnx_define_symbol="n,2", model_input="x,float,[1]", inpla_input="v.npy")
    assert options.onnx_define_symbol == {"n": 2}
    assert options.model_input == ("x,float,[1]",)
    assert options.inpla_input == Path("v.npy")


@pytest.mark.parametrize(
    "words",
    [
        ["-dump-onnx=m.onnx", "-emit-bundle=b"],
        ["-dump-onnx=link", "-emit-bundle=b"],
        ["-dump-graph-DAG=./m.onnx", "-emit-bundle=b"],
        ["-dump-graph-DAG-before-compile=hard", "-emit-bundle=b"],
        ["-dump-onnx=weights", "-emit-bundle=b"],
        ["-dump-onnx=p.yaml", "-patterns=p.yaml", "-emit-bundle=b"],
        ["-dump-graph-DAG=e.py", "-extension=e.py", "-emit-bundle=b"],
        ["-emit-bundle=.", "-network-name=weights"],
    ],
    ids=lambda words: words[0],
)
def test_no_input_is_written_over(tmp_path: Path, words: list[str]) -> None:
    model = onnx.load(EXAMPLE)
    location = "weights.weights.bin" if "-emit-bundle=." in words else "weights"
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location=location, size_threshold=0)
    (tmp_path / "link").symlink_to("m.onnx")
    (tmp_path / "hard").hardlink_to(tmp_path / "m.onnx")
    (tmp_path / "p.yaml").write_text("patterns: []\n")
    (tmp_path / "e.py").write_text("def transform_post_lowering(graph):\n    pass\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    command = [sys.executable, "-m", "inbundle.cli.model_compiler", "-model=m.onnx", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert re.fullmatch(r"model-compiler: error: -\S+: \S+ is read, it cannot be written too \(.*\)\n", done.stderr)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert not (tmp_path / "b").exists()
