"""Neuron programs as the bundle uses them: written as a script and read back, and reduced by the engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from engine_run import run_on_engine
from neuron_runs import MODES, Model

import ir_interpreter
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.planner import plan
from inbundle.nets.neuron import translate
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import Program

REGIONS = """
static float mutable_weight[1024];
static float native_input(void *user, inpla_int i) { (void)user; return mutable_weight[i] + 0.125f * (float)(i + 1); }
static float native_weight(void *user, inpla_int i) { (void)user; return 0.5f - 0.25f * (float)(i % 5); }
static inpla_int native_output(void *user, inpla_int i, float x)
{
    (void)user;
    return printf("%.9g\\n", (double)x) < 0 && i;
}
"""


def small_cnn() -> Model:
    """Convolution, PRelu, pool, dense, Clip; every constant is what `native_weight` says at its place."""
    model = Model()
    window = {"Kernels": (2, 2), "Strides": (1, 1), "Pads": (1, 0, 0, 1), "Dilations": (1, 1)}
    x = model.input(1, 1, 4, 4, value=np.float32(0.125) * np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4))
    value = model.emit(
        "convolution", (1, 2, 4, 4), [x, weights(model, 2, 1, 2, 2), weights(model, 2)], **window, Group=1
    )
    value = model.emit("prelu", (1, 2, 4, 4), [value, weights(model, 1, 2, 1, 1)])
    pooling = window | {"Strides": (2, 2), "Pads": (0, 0, 0, 0)}
    value = model.emit("maxpool", (1, 2, 2, 2), [value], **pooling, StorageOrder=0)
    flat = model.function.view(value, value.type.with_shape((1, 8)))
    value = model.emit("matmul", (1, 3), [flat, weights(model, 8, 3)])
    model.output(model.emit("clip", (1, 3), [value], Min=-1.0, Max=20.0))
    hoist_dealloc(model.function)
    return model


def weights(model: Model, *shape: int):
    """A constant that starts at a multiple of 16 floats of its region, as the planner places it."""
    first = sum(16 * -(-v.type.elements // 16) for v in model.function.variables if v.data is not None)
    numbers = np.arange(first, first + int(np.prod(shape)), dtype=np.float32)
    return model.constant((np.float32(0.5) - np.float32(0.25) * (numbers % 5)).reshape(shape))


def program_of(model: Model, weights: str) -> Program:
    return translate(model.function, plan(model.function), name="cnn", weights=weights)


@pytest.mark.parametrize("mode", MODES)
def test_the_script_reads_back(mode: str) -> None:
    program = program_of(small_cnn(), mode)
    assert parse(to_script(program), program.name) == program


def test_inline_on_the_engine(tmp_path: Path) -> None:
    model = small_cnn()
    program = program_of(model, "inline")
    inputs = tuple(float(value) for value in model.values["x"].ravel())
    result = run_on_engine(program, tmp_path, inputs=inputs, section_cells=64)
    want = ir_interpreter.run(model.function, model.values)["y"].ravel()
    np.testing.assert_allclose(result.outputs, want, rtol=1e-5)
    assert result.interactions == program.net.interactions
    assert result.live_cells == 0


def test_region_on_the_engine(tmp_path: Path) -> None:
    model = small_cnn()
    program = program_of(model, "region")
    result = run_on_engine(program, tmp_path, natives=REGIONS, results={"done": "Ready"}, section_cells=64)
    want = ir_interpreter.run(model.function, model.values)["y"].ravel()
    np.testing.assert_allclose(sorted(result.outputs[:-1]), sorted(want), rtol=1e-5)
    assert result.outputs[-1] == 0
    assert result.interactions == program.net.interactions
    assert result.live_cells == 0
