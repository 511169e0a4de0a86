"""Real models on emulated boards and processors: the same outputs as on this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inbundle
from inbundle.bundle import target_data
from inbundle.bundle.runner import Bundle
from inbundle.bundle.target_data import Target
from inbundle.bundle.verify import random_input
from inbundle.bundle.weights import to_text
from inbundle.errors import CompileError

REPO = Path(__file__).resolve().parents[2]
EXAMPLE = REPO / "examples" / "mnist" / "mnist.onnx"


@pytest.mark.parametrize("target", target_data.boards(), ids=lambda target: target.name)
@pytest.mark.parametrize("model", ["example", "lenet"])
def test_a_model_on_a_board(tmp_path: Path, request: pytest.FixtureRequest, target: Target, model: str) -> None:
    assert target.board
    for command in ("make", target.compilers[0].command, target.board.run.split()[0]):
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")
    path = EXAMPLE if model == "example" else request.getfixturevalue("shared") / "data" / "lenet.onnx"
    symbols = {} if model == "example" else {"unk__26": 1}
    bundle = inbundle.compile(
        path, tmp_path / "out", network_name="net", relocation_model="pic", onnx_define_symbol=symbols
    )
    inputs = {tensor.name: random_input(tensor, np.random.default_rng(3)) for tensor in bundle.inputs}
    (tmp_path / "out" / "x.txt").write_bytes(to_text(b"".join(array.tobytes() for array in inputs.values())))
    words = ["make", "-s", f"TARGET={target.name}", "INPUTS=x.txt", "CFLAGS=", "run"]
    done = subprocess.run(words, cwd=tmp_path / "out", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    printed = [float(line.split(" = ")[1]) for line in done.stdout.splitlines()]
    outputs = np.concatenate([array.ravel() for array in bundle.run(inputs).values()])
    np.testing.assert_allclose(printed, outputs, atol=1e-5)


# Compile options, the compiler that links the example, how to run it.
PROCESSORS = {
    "armv7-neon": ({"target": "armv7a-linux-gnueabihf", "mattr": ("+neon",), "threads": 2}, "", "qemu-arm"),
    "riscv64-v": (
        {"target": "riscv64", "march": "rv64gcv", "compiler": "clang", "threads": 2},
        "clang --target=riscv64-linux-gnu",
        "qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=256",
    ),
    "riscv64": ({"target": "riscv64"}, "", "qemu-riscv64"),
}


@pytest.fixture(scope="module")
def digit(compiled: Callable[..., Bundle]) -> tuple[np.ndarray, np.ndarray]:
    """An input of the example, and its output on this machine."""
    here = compiled("example")
    x = random_input(here.inputs[0], np.random.default_rng(3))
    (y,) = here.run({here.inputs[0].name: x}).values()
    return x, y


@pytest.mark.parametrize(("options", "compiler", "run"), PROCESSORS.values(), ids=list(PROCESSORS))
def test_a_model_on_another_processor(
    tmp_path: Path, digit: tuple[np.ndarray, np.ndarray], options: dict[str, Any], compiler: str, run: str
) -> None:
    if not shutil.which("make") or not shutil.which(run.split()[0]):
        pytest.skip(f"{run.split()[0]} is not installed")
    try:
        there = inbundle.compile(EXAMPLE, tmp_path / "there", **options)
    except CompileError as error:
        pytest.skip(str(error))
    words = [
        "make",
        "-s",
        "LDFLAGS=-static",
        "CFLAGS=-O1 -Wall -Wextra -Werror",
        *([f"CC={compiler}"] if compiler else []),
    ]
    done = subprocess.run(words, cwd=there.directory, capture_output=True, text=True, timeout=300)
    if "cannot find" in done.stderr:
        pytest.skip("no C library for it")
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    (program,) = there.directory.glob("main-*.elf")
    x, y = digit
    command = [*run.split(), str(program), "--stream"]
    computed = subprocess.run(command, input=x.tobytes(), capture_output=True, check=True, timeout=60).stdout
    np.testing.assert_allclose(np.frombuffer(computed, np.float32), y.ravel(), atol=1e-6)
