"""Real models on emulated boards: the same outputs as on this machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import inbundle
from inbundle.bundle import target_data
from inbundle.bundle.target_data import Target
from inbundle.bundle.verify import random_input
from inbundle.bundle.weights import to_text

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
