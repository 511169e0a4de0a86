"""docs/extending.md, done as it says: a convolution of one's own behind a flag, compared for accuracy and speed.

In processes of their own: an extension enters its kinds into the tables of the process that loads it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import inbundle
from inbundle.errors import CompileError

REPO = Path(__file__).resolve().parents[2]
GUIDE = (REPO / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLE = REPO / "examples" / "extension" / "winograd.py"
MODEL = REPO / "examples" / "mnist" / "mnist.onnx"
PYTHON = {
    "model-compiler": f"{sys.executable} -m inbundle.cli.model_compiler",
    "scripts/exec_accuracy.sh": f"{sys.executable} -m inbundle.cli.accuracy",
    "python": sys.executable,
}


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def _run(command: str, **environment: str) -> str:
    """The standard output of a command of the guide."""
    word, _, rest = command.partition(" ")
    done = subprocess.run(
        f"{PYTHON[word]} {rest}",
        shell=True,
        cwd=REPO,
        env={**os.environ, "PYTHONPATH": str(REPO / "compiler"), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The folder with the bundles, and each command of the guide with what it printed."""
    folder = tmp_path_factory.mktemp("extending")
    text = "".join(_blocks("sh")).replace("\\\n", " ").replace("out/", f"{folder}/")
    commands = [re.sub(" +", " ", line) for line in text.splitlines()]
    return folder, {command: _run(command) for command in commands}


def _printed(shown: dict[str, str], *words: str) -> str:
    """The output of the one command that has all of these words."""
    (found,) = [output for command, output in shown.items() if all(word in command for word in words)]
    return found


def test_the_guide_shows_the_file() -> None:
    source = EXAMPLE.read_text(encoding="utf-8")
    assert len(_blocks("python")) >= 5
    for block in _blocks("python"):
        assert block in source


def test_the_flag_brings_the_kernel(shown: tuple[Path, dict[str, str]]) -> None:
    folder, outputs = shown
    log = _printed(outputs, "model-compiler", "-extension")
    assert re.search(r"graph pass \d+ winograd: .*changed conv1, conv2\n", log)
    assert "verify: probabilities: ok" in log
    for name, instructions in (("plain", []), ("winograd", ["conv1", "conv2"])):
        kernels = inbundle.load(folder / name).manifest["kernels"]
        assert [kernel["instruction"] for kernel in kernels if kernel["kind"] == "winograd"] == instructions
    assert inbundle.load(folder / "winograd").manifest["options"]["extension"] == ["winograd.py"]


def test_it_is_as_accurate(shown: tuple[Path, dict[str, str]]) -> None:
    folder, outputs = shown
    plain, winograd = (_printed(outputs, "exec_accuracy", f"{folder}/{name}") for name in ("plain", "winograd"))
    assert "top-1" in plain.lower()
    assert winograd == plain
    image = np.random.default_rng(1).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)
    results = [inbundle.load(folder / name).run({"image": image})["probabilities"] for name in ("plain", "winograd")]
    np.testing.assert_allclose(*results, atol=1e-6)


def test_its_speed_is_measured(shown: tuple[Path, dict[str, str]]) -> None:
    """A row of numbers for each; which is faster is not for a test to say."""
    measured = [output for command, output in shown[1].items() if "benchmarks/latency.py" in command]
    assert len(measured) == 2
    for output in measured:
        heading, _, row = output.strip().splitlines()
        assert heading.startswith("| model | threads | gcc C | gcc Python |")
        assert re.match(r"\| mnist \| 1 \| \d+\.\d \| \d+\.\d \|", row)


def test_tiles_of_a_module_give_the_same_bits(shown: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    words = f"-model={MODEL} -extension=winograd -threads=2 -emit-bundle={tmp_path}/two"
    _run(f"model-compiler {words}", PYTHONPATH=f"{REPO / 'compiler'}{os.pathsep}{EXAMPLE.parent}")
    assert inbundle.load(tmp_path / "two").manifest["options"]["extension"] == ["winograd"]
    image = np.random.default_rng(1).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)
    one, two = (inbundle.load(path).run({"image": image}) for path in (shown[0] / "winograd", tmp_path / "two"))
    assert np.array_equal(one["probabilities"], two["probabilities"])


# --- what can be wrong with an extension ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"-extension=.*own\.py: there is no such file"),
        ("import there_is_no_such_module\n", r"own\.py: cannot be imported \(there is no module 'there_is_no_such"),
        ("1 / 0\n", r"own\.py: fails while it is loaded: ZeroDivisionError"),
        ("import sys\nsys.exit(0)\n", r"own\.py: fails while it is loaded: SystemExit: 0"),
        (
            "def transform_post_lowering(graph):\n    raise SystemExit(0)\n",
            r"own\.py: transform_post_lowering fails: SystemExit: 0",
        ),
        ("x = 1\n", r"own\.py: has no function transform_post_lowering"),
        ("def transform_post_lowering(graph):\n    graph.node\n", r"transform_post_lowering fails: AttributeError"),
        ("def transform_post_lowering(graph):\n    graph.nodes.reverse()\n", r"graph pass own: .*not defined before"),
        (
            "def transform_post_lowering(graph):\n    graph.outputs['probabilities'] = graph.nodes[-2].output\n",
            r"graph pass own: -verify-passes: it changed output 'probabilities'",
        ),
    ],
)
def test_errors_name_the_extension(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CompileError, match=message):
        inbundle.compile(MODEL, tmp_path / "b", extension=str(path), verify_passes=True)
    assert not (tmp_path / "b").exists()


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"-extension=no_such\.one: cannot be imported"):
        inbundle.compile(MODEL, tmp_path / "b", extension="no_such.one")
