"""A bundle's script gives through the command `inpla` what the bundle gives, bit for bit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import inbundle
from inbundle.bundle.runner import Bundle

SHAPE = (1, 1, 6, 6)


def write_model(path: Path, end: str) -> None:
    """Conv, Relu, MaxPool, Gemm, and what `end` is."""
    rng = np.random.default_rng(7)
    weights = {"k": (2, 1, 3, 3), "c": (2,), "w": (8, 5), "b": (5,)}
    initializers = [
        numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name) for name, shape in weights.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "k", "c"], ["conv"]),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("MaxPool", ["relu"], ["pool"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["pool"], ["flat"]),
        helper.make_node("Gemm", ["flat", "w", "b"], ["gemm"]),
        helper.make_node(end, ["gemm"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 5))]
    graph = helper.make_graph(nodes, "small", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def compile_model(folder: Path, end: str, **options: object) -> tuple[Bundle, np.ndarray]:
    """The bundle, and the input it is to be run with."""
    x = np.random.default_rng(8).standard_normal(SHAPE).astype(np.float32)
    np.save(folder / "x.npy", x)
    write_model(folder / "small.onnx", end)
    return inbundle.compile(
        folder / "small.onnx", folder / "b", granularity="neuron", relocation_model="pic", **options
    ), x


def run(inpla: Path, bundle: Bundle, *options: str) -> str:
    done = subprocess.run(
        [str(inpla), *options, "-f", "small.in"], cwd=bundle.directory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-1000:]
    return done.stdout


def script_options(bundle: Bundle) -> list[str]:
    """What the script itself says it is to be run with."""
    return re.findall(r"-\w+=[\w.]+", bundle.directory.joinpath("small.in").read_text().splitlines()[2])


@pytest.mark.parametrize("options", [["-dialect=float", "-print=shortest"], [], ["-t", "2"]])
def test_inline_weights(inpla: Path, tmp_path: Path, options: list[str]) -> None:
    bundle, x = compile_model(tmp_path, "LeakyRelu", inpla_weights="inline", inpla_input=tmp_path / "x.npy")
    assert script_options(bundle) == ["-dialect=float", "-print=shortest"]
    last = run(inpla, bundle, *options).splitlines()[-1]
    got = [np.float32(value) for value in re.findall(r"Concrete\((\S+?)\)", last)]
    assert np.array_equal(got, bundle.run({"x": x})["y"].ravel())


@pytest.mark.parametrize("options", [[], ["-t", "2"]])
def test_weights_of_the_region(inpla: Path, tmp_path: Path, options: list[str]) -> None:
    bundle, x = compile_model(tmp_path, "Softmax")
    mutable = np.zeros(bundle.manifest["regions"]["mutableWeight"]["size"], np.uint8)
    bundle.inputs[0].view(mutable)[...] = x
    mutable.tofile(tmp_path / "x.raw")
    assert script_options(bundle) == ["-weights=small.weights.bin", "-inputs=FILE"]
    text = run(inpla, bundle, *options, "-weights=small.weights.bin", f"-inputs={tmp_path}/x.raw", "-print=shortest")
    stored = {int(index): np.float32(value) for index, value in re.findall(r"^output\((\d+)\) = (\S+)$", text, re.M)}
    first = bundle.outputs[0].offset // 4
    assert list(stored) == [first + i for i in range(5)]
    assert np.array_equal(list(stored.values()), bundle.run({"x": x})["y"].ravel())


def test_a_region_that_is_too_short_is_named(inpla: Path, tmp_path: Path) -> None:
    bundle, _ = compile_model(tmp_path, "Softmax")
    for options, missing in ([], "-inputs"), (["-inputs=small.in"], "-weights"):
        given = "/dev/null" if missing == "-weights" else "small.weights.bin"
        words = [str(inpla), "-f", "small.in", f"-weights={given}", *options]
        done = subprocess.run(words, cwd=bundle.directory, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"has failed: the file of {missing} has no such number" in done.stdout.splitlines()[-1]
