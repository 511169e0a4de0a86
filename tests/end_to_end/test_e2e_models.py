"""Real models, compiled with both granularities and several compilers, against the stored reference outputs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reference import reference_runs

from inbundle.bundle.runner import Bundle

DIGIT_NETS = ("mnist", "lenet", "mnist-12", "mnist-net_256x2", "mnist-net_256x4")
MODELS = (*DIGIT_NETS, "ACASXU_run2a_1_1_batch_2000", "ACASXU_run2a_2_3_batch_2000")
TILE_ONLY = ("mnist-12-3outputs", "micro_kws_m_static_fp32", "version-RFB-320")
# Largest difference allowed, absolute. Outputs of the mnist-12 models reach 8,000, where float32 numbers stand 5e-4
# apart: their bound is relative to the largest output (ONNX Runtime's own optimiser changes them by 2e-3).
TOLERANCE = 1e-4
RELATIVE = ("mnist-12", "mnist-12-3outputs")
COMPILERS = {"gcc": {}, "clang": {"compiler": "clang"}}  # gcc is what `cc` is here: bundles of other tests as well


def check_against_reference(bundle: Bundle, shared: Path, model: str) -> None:
    for run in reference_runs(shared / "data" / f"{model}.ref.npz"):
        got = bundle.run({tensor.name: run[tensor.name] for tensor in bundle.inputs})
        for name, value in got.items():
            want = run[name]
            assert value.shape == want.shape
            scale = float(np.abs(want).max()) if model in RELATIVE else 1.0
            assert np.abs(value - want).max() < TOLERANCE * scale, name
            assert np.array_equal(value.argmax(-1), want.argmax(-1)) or model == "version-RFB-320"


def bundles() -> list[tuple[str, str, str]]:
    """A neuron net's C does not depend on the model: the second compiler gets one of them."""
    tiles = [(model, "tile", compiler) for model in MODELS for compiler in ("gcc", "clang")]
    return [*tiles, *((model, "neuron", "gcc") for model in MODELS), ("lenet", "neuron", "clang")]


@pytest.mark.parametrize(("model", "granularity", "compiler"), bundles())
def test_outputs(compiled: Callable[..., Bundle], shared: Path, model: str, granularity: str, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    bundle = compiled(model, granularity=granularity, **COMPILERS[compiler])
    check_against_reference(bundle, shared, model)


@pytest.mark.parametrize("model", TILE_ONLY)
def test_outputs_of_larger_models(compiled: Callable[..., Bundle], shared: Path, model: str) -> None:
    check_against_reference(compiled(model), shared, model)


@pytest.mark.parametrize("model", ["lenet", "mnist-12-3outputs"])
def test_any_number_of_threads_gives_the_same_bits(compiled: Callable[..., Bundle], shared: Path, model: str) -> None:
    run = reference_runs(shared / "data" / f"{model}.ref.npz")[0]
    results = []
    for threads in (1, 2, 4):
        bundle = compiled(model, threads=threads)
        feed = {tensor.name: run[tensor.name] for tensor in bundle.inputs}
        results += [bundle.run(feed) for _ in range(5)]
    for result in results[1:]:
        for name, value in result.items():
            assert np.array_equal(value, results[0][name])


@pytest.mark.parametrize("model", ["lenet", "version-RFB-320"])
def test_buffer_reuse_changes_no_bit(compiled: Callable[..., Bundle], shared: Path, model: str) -> None:
    run = reference_runs(shared / "data" / f"{model}.ref.npz")[0]
    reused, apart = compiled(model), compiled(model, reuse_activation_memory_allocations=False)
    feed = {tensor.name: run[tensor.name] for tensor in reused.inputs}
    want = apart.run(feed)
    for name, value in reused.run(feed).items():
        assert np.array_equal(value, want[name])
    assert reused.manifest["regions"]["activations"]["size"] < apart.manifest["regions"]["activations"]["size"]


@pytest.mark.parametrize("model", ["lenet", "version-RFB-320"])
def test_a_bundle_without_ir_passes_agrees(compiled: Callable[..., Bundle], shared: Path, model: str) -> None:
    """The vector kernels come from IR passes and sum in an order of their own: close, not equal."""
    run = reference_runs(shared / "data" / f"{model}.ref.npz")[0]
    plain, optimised = compiled(model, optimize_ir=False), compiled(model)
    feed = {tensor.name: run[tensor.name] for tensor in plain.inputs}
    want = optimised.run(feed)
    for name, value in plain.run(feed).items():
        np.testing.assert_allclose(value, want[name], rtol=1e-4, atol=1e-5)
