"""Bundles in Python: loading, running, checking arrays, and comparing with the ONNX reference."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import pytest
from handmade_bundle import TILE_KERNELS, WEIGHTS, expected, neuron_parts, tile_parts, written
from onnx import TensorProto, helper

from inbundle.bundle.error_codes import error_text
from inbundle.bundle.parts import BundleParts
from inbundle.bundle.runner import Bundle, aligned_bytes
from inbundle.bundle.targets import resolve
from inbundle.bundle.verify import Difference, difference, reference, verify_bundle
from inbundle.errors import CompileError
from inbundle.options import CompileOptions

REGIONS = ("constantWeight", "mutableWeight", "activations")
X = np.array([[1, -2, 0.5, 4]], np.float32)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("runner"), tile_parts(relocation_model="pic"))


@pytest.fixture(scope="module")
def bundle(directory: Path) -> Bundle:
    return Bundle(directory)


@pytest.mark.parametrize(
    "make",
    [
        tile_parts,
        neuron_parts,
        lambda: tile_parts(entry="infer", bundle_api="dynamic"),
        lambda: tile_parts(threads=4),
        lambda: tile_parts(relocation_model="pic", mattr=("+sse4.2",), compiler="clang"),
    ],
)
def test_it_computes(tmp_path: Path, make: Callable[[], BundleParts]) -> None:
    try:
        parts = make()
    except CompileError as error:
        pytest.skip(str(error))
    bundle = Bundle(written(tmp_path, parts))
    (result,) = bundle.run({"data:0": X}).items()
    assert result[0] == "soft/max"
    np.testing.assert_array_equal(result[1], expected(X))


def test_its_tensors(bundle: Bundle) -> None:
    (data,), (result,) = bundle.inputs, bundle.outputs
    assert (data.name, data.dtype, data.shape) == ("data:0", np.float32, (1, 4))
    assert result.name == "soft/max"
    assert bundle.manifest["network"] == "tiny"


def test_results_are_not_overwritten_by_the_next_run(bundle: Bundle) -> None:
    first = bundle.run({"data:0": X})["soft/max"]
    bundle.run({"data:0": X + 1})
    np.testing.assert_array_equal(first, expected(X))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "tiny: input 'data:0': no value"),
        ({"data": X}, r"tiny: no input 'data' \(inputs: data:0\)"),
        ({"data:0": X[0]}, r"input 'data:0': expected shape \[1, 4\], got \[4\]"),
        ({"data:0": X.astype(np.float64)}, "input 'data:0': expected elements of type float32, got float64"),
        ({"data:0": X - 5000}, "tiny: run failed with code 65: a kernel"),
        ({"data:0": [[1, 2], [3]]}, "tiny: input 'data:0': expected an array, got list"),
        (X, r"tiny: run takes arrays by the names of inputs, not ndarray \(run\({'data:0': array}\)\)"),
        ([X], "by the names of inputs, not list"),
        (None, "by the names of inputs, not NoneType"),
    ],
)
def test_wrong_inputs(bundle: Bundle, values: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        bundle.run(values)


class _Subclass(np.ndarray):
    pass


@pytest.mark.parametrize(
    "values",
    [
        OrderedDict({"data:0": X}),
        MappingProxyType({"data:0": X}),
        {"data:0": np.repeat(X, 2, axis=1)[:, ::2]},
        {"data:0": X.view(_Subclass)},
        {"data:0": np.frombuffer(X.tobytes(), np.float32).reshape(1, 4)},
        {"data:0": [[np.float32(value) for value in X[0]]]},
    ],
    ids=["OrderedDict", "mapping", "strided", "subclass", "read-only", "list"],
)
def test_whatever_holds_the_right_elements(bundle: Bundle, values: Any) -> None:
    np.testing.assert_array_equal(bundle.run(values)["soft/max"], expected(X))


def test_elements_in_the_other_byte_order_are_of_another_type(bundle: Bundle) -> None:
    with pytest.raises(CompileError, match="expected elements of type float32, got "):
        bundle.run({"data:0": X.astype(X.dtype.newbyteorder())})


def test_outputs_are_arrays_of_their_own(bundle: Bundle) -> None:
    result = bundle.run({"data:0": X})["soft/max"]
    assert result.flags.owndata
    assert result.flags.writeable
    assert result.flags.c_contiguous


@pytest.mark.parametrize("wrong", [{"data:0": X[0]}, {"data:0": X - 5000}, {"other": X}])
def test_a_run_that_fails_keeps_its_memory_for_the_next(directory: Path, wrong: Any) -> None:
    bundle = Bundle(directory)
    bundle.run({"data:0": X})
    (regions,) = bundle._free
    with pytest.raises(CompileError):
        bundle.run(wrong)
    assert bundle._free == [regions]
    np.testing.assert_array_equal(bundle.run({"data:0": X})["soft/max"], expected(X))


def test_numbers_of_threads(bundle: Bundle) -> None:
    bundle.set_threads(np.int64(1))
    for wrong in (0, 2, 1.0, True, "1"):
        with pytest.raises(CompileError, match=f"tiny: {wrong!r} threads: expected a whole number, 1 to 1"):
            bundle.set_threads(wrong)


def test_many_threads_at_once(bundle: Bundle) -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        x = X * number
        if any(not np.array_equal(bundle.run({"data:0": x})["soft/max"], expected(x)) for _ in range(200)):
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_bundle_for_another_machine(tmp_path: Path) -> None:
    try:
        parts = tile_parts(target="cortex-m4")
    except CompileError as error:
        pytest.skip(str(error))
    bundle = Bundle(written(tmp_path, parts))
    assert [tensor.name for tensor in bundle.inputs] == ["data:0"]
    for use in (lambda: bundle.run({"data:0": X}), lambda: bundle.entry, bundle.profiler):
        with pytest.raises(CompileError, match="tiny: the bundle was compiled for cortex-m4 and cannot run on this"):
            use()


def _entry(directory: Path, scratch: Path) -> Callable[..., int]:
    library = scratch / "tiny.so"
    resolve(CompileOptions(relocation_model="pic")).link_shared(directory, ["tiny.c"], library)
    entry = ctypes.CDLL(str(library)).tiny
    entry.argtypes = [ctypes.c_void_p] * 3
    return entry


@pytest.mark.parametrize("region", range(3))
@pytest.mark.parametrize("make", [tile_parts, neuron_parts])
def test_every_region_must_be_there_and_aligned(tmp_path: Path, make: Callable[[], BundleParts], region: int) -> None:
    directory = written(tmp_path, make())
    bundle = Bundle(directory)
    weights = np.fromfile(directory / "tiny.weights.bin", np.uint8)
    regions = [aligned_bytes(bundle.manifest["regions"][name]["size"] + 64) for name in REGIONS]
    regions[0][: len(weights)] = weights
    regions[1][:] = 0  # what an input holds must be fit for the kernel
    addresses = [part.ctypes.data for part in regions]
    entry = _entry(directory, tmp_path)
    assert entry(*addresses) == 0
    for offset in (1, 4, 32):
        moved = addresses.copy()
        moved[region] += offset
        assert entry(*moved) == 6
    addresses[region] = None
    assert entry(*addresses) == 6
    assert "NULL or not aligned to 64 bytes" in error_text(6)


def test_a_region_without_bytes_may_be_anywhere(tmp_path: Path) -> None:
    parts = tile_parts()
    constants = {value: place for value, place in parts.plan.places.items() if place.region == "constantWeight"}
    kernel = TILE_KERNELS.replace("(void)tile;", "(void)tile;\n    return 0;")
    parts = replace(parts, plan=replace(parts.plan, places=constants, mutable_bytes=0), kernels_source=kernel)
    directory = written(tmp_path, parts)
    weights = np.fromfile(directory / "tiny.weights.bin", np.uint8)
    constant, activations = aligned_bytes(len(weights)), aligned_bytes(1 << 16)
    constant[:] = weights
    entry = _entry(directory, tmp_path)
    assert [entry(constant.ctypes.data, mutable, activations.ctypes.data) for mutable in (None, 1)] == [0, 0]


# --- verify ------------------------------------------------------------------------------------------------------


def _model(path: Path, factor: float = 2.0, function: str = "Add") -> Path:
    """y = factor * x + w, with the names of the hand-made bundle."""
    nodes = [
        helper.make_node("Mul", ["data:0", "factor"], ["scaled"]),
        helper.make_node(function, ["scaled", "w"], ["soft/max"]),
    ]
    vector = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("data:0", "soft/max")]
    weights = [
        helper.make_tensor("factor", TensorProto.FLOAT, [], [factor]),
        helper.make_tensor("w", TensorProto.FLOAT, [4], WEIGHTS),
    ]
    onnx.save(helper.make_model(helper.make_graph(nodes, "tiny", vector[:1], vector[1:], weights)), path)
    return path


def test_verify_finds_no_difference(directory: Path, tmp_path: Path) -> None:
    (line,) = verify_bundle(directory, _model(tmp_path / "tiny.onnx"), CompileOptions())
    assert line.startswith("verify: soft/max: ok, largest difference 0, largest value 5.")


def test_verify_reports_a_difference_and_fails(directory: Path, tmp_path: Path) -> None:
    lines = verify_bundle(directory, _model(tmp_path / "tiny.onnx", factor=2.5), CompileOptions())
    line = next(lines)
    assert line.startswith("verify: soft/max: FAILED, ")
    value = float(line.split("difference ")[1].split()[0])
    assert 0.25 < value <= 0.5
    assert " at [0, " in line
    with pytest.raises(CompileError, match=r"tiny\.onnx: verify: output 'soft/max' differs .* by more than 0\.000"):
        next(lines)


def test_verify_says_nothing_of_nan_and_infinity(directory: Path, tmp_path: Path) -> None:
    """Products beyond the largest number; the bundle adds."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lines = verify_bundle(directory, _model(tmp_path / "tiny.onnx", 3e38, "Mul"), CompileOptions())
        assert next(lines).startswith("verify: soft/max: FAILED, ")


def test_verify_keeps_to_one_line_per_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("inbundle.bundle.verify._compare", lambda *_: {"a\nb\x1b[2J": Difference()})
    lines = verify_bundle(tmp_path, tmp_path / "m.onnx", CompileOptions())
    assert list(lines) == [r"verify: a\nb\x1b[2J: ok, no elements"]


@pytest.mark.parametrize(
    ("dtype", "difference_of_one", "fails"),
    [(np.float32, 0.9e-4, False), (np.float32, 1.1e-4, True), (np.float16, 2e-3, False), (np.float16, 8e-3, True)],
)
@pytest.mark.parametrize("magnitude", [1, 8])
def test_what_is_rounding(dtype: type, difference_of_one: float, fails: bool, magnitude: int) -> None:
    expected = np.array([0, magnitude], dtype)
    actual = np.array([difference_of_one * magnitude, magnitude], dtype)
    assert difference(actual, expected, "y").is_failure is fails
    assert not difference(np.array([0, 1e-5], dtype), np.array([0, 2e-5], dtype), "y").is_failure


def test_verify_of_another_model(directory: Path, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    onnx.save(helper.make_model(helper.make_graph([node], "g", tensors[:1], tensors[1:])), tmp_path / "tiny.onnx")
    with pytest.raises(CompileError, match=r"tiny\.onnx: the ONNX reference evaluator failed"):
        list(verify_bundle(directory, tmp_path / "tiny.onnx", CompileOptions()))


def test_the_difference_of_infinities_and_nan() -> None:
    special = np.array([np.inf, -np.inf, np.nan, 1], np.float32)
    assert difference(special, special.copy(), "y").value == 0
    assert difference(special, np.array([np.inf, np.inf, np.nan, 1], np.float32), "y").value == np.inf
    assert difference(special, np.array([np.inf, -np.inf, 0, 1], np.float32), "y").index == (2,)
    assert str(difference(special[:0], special[:0], "y")) == "no elements"


def test_outputs_of_another_shape_or_type() -> None:
    with pytest.raises(CompileError, match=r"output 'y' is float32\[4\], not float64\[4\] as in the reference"):
        difference(np.zeros(4, np.float32), np.zeros(4), "y")


@pytest.mark.parametrize("kind", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_softmax_of_old_opsets_goes_over_all_dimensions_from_its_axis_on(
    tmp_path: Path, kind: str, axis: int | None
) -> None:
    node = helper.make_node(kind, ["x"], ["y"], **({} if axis is None else {"axis": axis}))
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3, 4]) for name in "xy"]
    graph = helper.make_graph([node], "g", tensors[:1], tensors[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)]), tmp_path / "m.onnx")
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    (y,) = reference(tmp_path / "m.onnx").run(None, {"x": x})
    first = (1 if axis is None else axis) % 3
    rows = np.exp(y if kind == "LogSoftmax" else np.log(y)).reshape(int(np.prod(x.shape[:first])), -1)
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
    exponentials = np.exp(x.reshape(rows.shape))
    np.testing.assert_allclose(rows, exponentials / exponentials.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(
    ("opset", "attributes"),
    [(6, {"is_test": 1}), (7, {}), (7, {"spatial": 0}), (8, {"momentum": 0.5}), (9, {}), (13, {}), (14, {}), (15, {})],
)
def test_batch_normalization_of_every_opset_is_for_inference(
    tmp_path: Path, opset: int, attributes: dict[str, Any]
) -> None:
    shape = (3, 4, 5) if "spatial" in attributes else (3,)
    generator = np.random.default_rng(opset)
    x = generator.normal(size=(2, 3, 4, 5)).astype(np.float32)
    parameters = {name: generator.uniform(0.5, 2, shape).astype(np.float32) for name in ("s", "b", "m", "v")}
    node = helper.make_node("BatchNormalization", ["x", *parameters], ["y"], epsilon=0.25, **attributes)
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name in "xy"]
    constants = [onnx.numpy_helper.from_array(value, name) for name, value in parameters.items()]
    graph = helper.make_graph([node], "g", tensors[:1], tensors[1:], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]), tmp_path / "m.onnx")
    (y,) = reference(tmp_path / "m.onnx").run(None, {"x": x})
    s, b, m, v = (a if a.ndim > 1 else a[:, None, None] for a in parameters.values())
    np.testing.assert_allclose(y, s * (x - m) / np.sqrt(v + 0.25) + b, rtol=1e-5, atol=1e-6)


def test_the_kernel_error_is_the_one_returned(tmp_path: Path) -> None:
    parts = replace(tile_parts(), kernels_source=TILE_KERNELS.replace("return 1;", "return 7;"))
    with pytest.raises(CompileError, match="code 71: error 7 of a kernel"):
        Bundle(written(tmp_path, parts)).run({"data:0": X - 5000})
