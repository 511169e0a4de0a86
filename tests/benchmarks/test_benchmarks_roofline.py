"""The roofline benchmark: what a layer has to do, its bound, the rows. How fast this machine is is not for a test."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from calls import built
from onnx import TensorProto, helper, numpy_helper
from roofline import Load, Machine, bound_of, loads, main, parsed_machine
from shared_models import EXAMPLE

from inbundle.options import CompileOptions

TEXT = "multiply_add 100.0 0\nL1 200.0 1000\nL2 100.0 50000\nDRAM 10.0 0\n"
MACHINE = Machine(100.0, (("L1", 200.0, 1000.0), ("L2", 100.0, 50000.0), ("DRAM", 10.0, float("inf"))))


def test_the_machine_is_read() -> None:
    assert parsed_machine(TEXT) == MACHINE
    assert [MACHINE.level(size)[0] for size in (1000, 1001, 50001)] == ["L1", "L2", "DRAM"]
    assert str(MACHINE) == "one core: 100 GFLOP/s, 200 GB/s from L1, 100 GB/s from L2, 10 GB/s from DRAM"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_machine_is_measured_in_lines_of_three(tmp_path: Path, compiler: str) -> None:
    source = Path(built.__code__.co_filename).with_name("machine.c")
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler, *flags, str(source)], check=True)


def test_the_larger_time_is_the_bound() -> None:
    compute = bound_of(Load(1e6, 800, 100), MACHINE, working_set=2000)
    assert (compute.microseconds, compute.by) == (pytest.approx(10.0), "compute")
    weights = bound_of(Load(1e3, 40000, 100), MACHINE, working_set=60000)
    assert (weights.microseconds, weights.by) == (pytest.approx(4.001), "DRAM")
    buffers = bound_of(Load(0.0, 10, 20000), MACHINE, working_set=500)
    assert (buffers.microseconds, buffers.by) == (pytest.approx(0.20005), "L2")


def _convolution(folder: Path, kernel: int, stride: int) -> Path:
    """32 x 20 x 20 -> 48 channels, `kernel` wide, padded."""
    rng = np.random.default_rng(1)
    filters = numpy_helper.from_array(rng.normal(size=(48, 32, kernel, kernel)).astype(np.float32), "w")
    pads = [kernel // 2] * 4
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[stride] * 2, pads=pads)
    size = 20 // stride
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 20, 20])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 48, size, size])],
        [filters],
    )
    path = folder / "conv.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def _of_kind(found: dict[str, Load], kind: str) -> Load:
    (load,) = [load for native, load in found.items() if native.startswith(kind)]
    return load


def test_a_convolution_has_its_products_and_operands(tmp_path: Path) -> None:
    load = _of_kind(loads(_convolution(tmp_path, 3, 2), CompileOptions(target="x86_64")), "nhwcconvolution")
    assert load.flop == 2 * 48 * 32 * 9 * 100
    assert load.constant_bytes == 4 * (48 * 32 * 9 + 48)
    assert load.other_bytes == 4 * (32 * 400 + 48 * 100)


def test_winograd_has_fewer_products(tmp_path: Path) -> None:
    load = _of_kind(loads(_convolution(tmp_path, 3, 1), CompileOptions(target="x86_64")), "nhwcwinograd")
    assert load.flop == 2 * 36 * 48 * 32 * 25  # tiles of 4 x 4 pixels


def test_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "0.05", "--worst", "3", str(EXAMPLE)]) == 0
    machine, _, summary, headings, *rows = capsys.readouterr().out.rstrip().splitlines()
    assert re.match(r"one core: \d+ GFLOP/s, \d+ GB/s from L1, ", machine)
    assert re.match(r"mnist: a run \d+\.\d\d µs, outside of tasks \d+\.\d\d; sum of bounds \d+\.\d\d", summary)
    assert headings.split()[:4] == ["layer", "kind", "MFLOP", "KB"]
    assert len(rows) == 3
    lost = [float(row.split()[-1]) for row in rows]
    assert lost == sorted(lost, reverse=True)
