"""The script that is written is the program that runs: read back, it is the same program and gives the same C."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reference import reference_runs

from inbundle.bundle.runner import Bundle
from inbundle.nets.cgen import generate
from inbundle.nets.image import encode
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script

ACAS = "ACASXU_run2a_1_1_batch_2000"


def check_script(directory: Path, network: str) -> None:
    script = (directory / f"{network}.in").read_text()
    program = parse(script, network)
    assert generate(program) in (directory / f"{network}.c").read_text()
    weights = (directory / f"{network}.weights.bin").read_bytes()
    assert encode(program).data.rstrip(b"\0") in weights
    head = [line[3:] for line in script.splitlines()[1:5] if line.startswith("// ")]
    again = to_script(program, head[:1])
    assert again.split("\n\n", 1)[1].split("// The net.")[1] == script.split("// The net.")[1]


@pytest.mark.parametrize("options", [{}, {"threads": 4}, {"granularity": "neuron"}])
def test_example_model(compiled: Callable[..., Bundle], options: dict[str, object]) -> None:
    check_script(compiled("example", **options).directory, "mnist")


@pytest.mark.parametrize("model", ["lenet", "mnist", "mnist-12", "version-RFB-320", ACAS])
def test_tile_scripts_of_real_models(compiled: Callable[..., Bundle], model: str) -> None:
    bundle = compiled(model)
    check_script(bundle.directory, bundle.manifest["network"])


@pytest.mark.parametrize("weights", ["region", "inline"])
def test_neuron_scripts_of_real_models(compiled: Callable[..., Bundle], weights: str) -> None:
    bundle = compiled(ACAS, granularity="neuron", inpla_weights=weights)
    check_script(bundle.directory, bundle.manifest["network"])


def test_inline_script_with_its_input(compiled: Callable[..., Bundle], shared: Path, tmp_path: Path) -> None:
    """The values of the file stand in the script as literals; the bundle still takes the application's input."""
    run = reference_runs(shared / "data" / f"{ACAS}.ref.npz")[0]
    np.savez(tmp_path / "in.npz", input=run["input"])
    bundle = compiled(ACAS, granularity="neuron", inpla_weights="inline", inpla_input=tmp_path / "in.npz")
    network = bundle.manifest["network"]
    program = parse((bundle.directory / f"{network}.in").read_text(), network)
    assert program.input_values is not None
    assert np.array_equal(program.input_values, run["input"].ravel())
    assert len(program.outputs) == 5
    assert not program.natives
    got = bundle.run({"input": run["input"]})["linear_7_Add"]
    assert np.abs(got - run["linear_7_Add"]).max() < 1e-4


@pytest.mark.parametrize("suffix", ["npy", "raw"])
def test_other_forms_of_input_values(shared: Path, tmp_path: Path, suffix: str) -> None:
    values = np.linspace(-0.5, 0.5, 5, dtype=np.float32).reshape(1, 1, 1, 5)
    file = tmp_path / f"x.{suffix}"
    np.save(file, values) if suffix == "npy" else values.tofile(file)
    words = ["-granularity=neuron", "-inpla-weights=inline", f"-inpla-input={file}", f"-emit-bundle={tmp_path}/b"]
    model = f"-model={shared}/data/{ACAS}.onnx"
    command = [sys.executable, "-m", "inbundle.cli.model_compiler", model, "-network-name=acas", *words]
    subprocess.run(command, check=True)
    program = parse((tmp_path / "b" / "acas.in").read_text(), "acas")
    assert program.input_values is not None
    assert np.array_equal(program.input_values, values.ravel())


def test_wrong_input_values(shared: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(7, np.float32))
    words = ["-granularity=neuron", "-inpla-weights=inline", f"-inpla-input={tmp_path}/x.npy", "-emit-bundle=b"]
    command = [sys.executable, "-m", "inbundle.cli.model_compiler", f"-model={shared}/data/{ACAS}.onnx", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "x.npy" in done.stderr
    assert "7 values" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "b").exists()
