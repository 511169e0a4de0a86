"""Broken models, flags and places: one clear line, exit status 1, nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

F, I64 = TensorProto.FLOAT, TensorProto.INT64
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist" / "mnist.onnx"


def info(name: str, shape: list[object] | None, elem: int = F) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, elem, shape)


def graph_model(
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto] | None = None,
    outputs: list[onnx.ValueInfoProto] | None = None,
    weights: dict[str, np.ndarray] | None = None,
    opset: int = 17,
) -> bytes:
    graph = helper.make_graph(
        nodes,
        "broken",
        inputs if inputs is not None else [info("x", [1, 4])],
        outputs if outputs is not None else [info("y", None)],
        [numpy_helper.from_array(value, name) for name, value in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()


def short_weight() -> bytes:
    tensor = onnx.TensorProto(name="w", data_type=F, dims=[2, 3], raw_data=b"\0" * 20)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [info("x", [1, 2])], [info("y", None)]
    )
    graph.initializer.append(tensor)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def external(location: str) -> bytes:
    tensor = onnx.TensorProto(name="w", data_type=F, dims=[2, 2], data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.append(onnx.StringStringEntryProto(key="location", value=location))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [info("x", [1, 2])], [info("y", None)]
    )
    graph.initializer.append(tensor)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


RELU = helper.make_node("Relu", ["x"], ["y"], name="r")
N = helper.make_node

MODELS: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "empty_file": (lambda: b"", ("empty",)),
    "truncated": (lambda: EXAMPLE.read_bytes()[:50_000], ()),
    "random_bytes": (lambda: np.random.default_rng(0).bytes(3000), ()),
    "text": (lambda: b"This is no model.\n", ()),
    "no_outputs": (lambda: graph_model([RELU], outputs=[]), ("output",)),
    "output_of_nothing": (lambda: graph_model([RELU], outputs=[info("z", None)]), ("'z'",)),
    "undefined_tensor": (lambda: graph_model([N("Add", ["x", "nowhere"], ["y"], name="a")]), ("'nowhere'", "Add")),
    "missing_initializer": (lambda: graph_model([N("MatMul", ["x", "w"], ["y"])]), ("'w'", "MatMul")),
    "cycle": (
        lambda: graph_model([N("Add", ["x", "b"], ["a"]), N("Relu", ["a"], ["b"]), N("Relu", ["a"], ["y"])]),
        ("cycle",),
    ),
    "produced_twice": (lambda: graph_model([RELU, N("Exp", ["x"], ["y"])]), ("'y'",)),
    "unknown_operator": (lambda: graph_model([N("Frobnicate", ["x"], ["y"], name="f")]), ("Frobnicate", "f")),
    "two_unknown_operators": (
        lambda: graph_model([N("Det", ["x"], ["t"], name="d"), N("NonZero", ["t"], ["y"], name="nz")]),
        ("Det", "NonZero", "'d'", "'nz'"),
    ),
    "other_domain": (lambda: graph_model([N("Relu", ["x"], ["y"], domain="my.ops")]), ("my.ops",)),
    "wrong_arity": (lambda: graph_model([N("Relu", ["x", "x"], ["y"], name="r")]), ("Relu", "'r'")),
    "matmul_shapes": (
        lambda: graph_model([N("MatMul", ["x", "w"], ["y"], name="mm")], weights={"w": np.zeros((3, 2), np.float32)}),
        ("MatMul", "'mm'"),
    ),
    "add_types": (
        lambda: graph_model([N("Add", ["x", "w"], ["y"], name="a")], weights={"w": np.zeros(4, np.int64)}),
        ("Add", "'a'"),
    ),
    "conv_channels": (
        lambda: graph_model(
            [N("Conv", ["x", "w"], ["y"], name="c")],
            [info("x", [1, 3, 8, 8])],
            weights={"w": np.zeros((4, 2, 3, 3), np.float32)},
        ),
        ("Conv", "'c'"),
    ),
    "conv_kernel_too_large": (
        lambda: graph_model(
            [N("Conv", ["x", "w"], ["y"], name="c")],
            [info("x", [1, 1, 2, 2])],
            weights={"w": np.zeros((1, 1, 5, 5), np.float32)},
        ),
        ("Conv", "'c'"),
    ),
    "unknown_attribute": (lambda: graph_model([N("Relu", ["x"], ["y"], name="r", slope=2)]), ("slope", "'r'")),
    "attribute_type": (lambda: graph_model([N("Softmax", ["x"], ["y"], name="s", axis="one")]), ("axis", "'s'")),
    "axis_out_of_range": (lambda: graph_model([N("Softmax", ["x"], ["y"], name="s", axis=5)]), ("'s'",)),
    "reshape_size": (
        lambda: graph_model([N("Reshape", ["x", "s"], ["y"], name="rs")], weights={"s": np.array([3, 3])}),
        ("Reshape", "'rs'"),
    ),
    "run_time_shape": (
        lambda: graph_model([N("Reshape", ["x", "s"], ["y"], name="rs")], [info("x", [1, 4]), info("s", [2], I64)]),
        ("'rs'", "'s'"),
    ),
    "symbolic": (lambda: graph_model([RELU], [info("x", ["batch", 4])]), ("-onnx-define-symbol=batch,1",)),
    "unknown_dim": (lambda: graph_model([RELU], [info("x", [None, 4])]), ("-model-input", "'x'")),
    "absurd_shape": (lambda: graph_model([RELU], [info("x", [1 << 20, 1 << 20, 1 << 20])]), ("'x'",)),
    "negative_dim": (lambda: graph_model([RELU], [info("x", [-3, 4])]), ("'x'",)),
    "string_input": (
        lambda: graph_model([N("Identity", ["x"], ["y"])], [info("x", [2], TensorProto.STRING)]),
        ("'x'",),
    ),
    "short_weight": (short_weight, ("'w'",)),
    "external_missing": (lambda: external("weights.data"), ("weights.data",)),
    "external_outside": (lambda: external("../../etc/passwd"), ("passwd",)),
    "future_opset": (lambda: graph_model([RELU], opset=9999), ("9999",)),
    "no_opset": (
        lambda: onnx.ModelProto(
            ir_version=8, graph=onnx.ModelProto.FromString(graph_model([RELU])).graph
        ).SerializeToString(),
        ("opset",),
    ),
}


def run_compiler(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inbundle.cli.model_compiler", *words], capture_output=True, text=True, cwd=cwd
    )


def check_failure(
    done: subprocess.CompletedProcess[str], folder: Path, before: list[str], mentions: tuple[str, ...]
) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("model-compiler: error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    for text in mentions:
        assert text in done.stderr, done.stderr
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("name", MODELS)
def test_broken_model(name: str, tmp_path: Path) -> None:
    make, mentions = MODELS[name]
    file = tmp_path / f"{name}.onnx"
    file.write_bytes(make())
    done = run_compiler(f"-model={file}", f"-emit-bundle={tmp_path}/out")
    check_failure(done, tmp_path, [file.name], (f"{name}.onnx", *mentions))


IMAGE = info("x", [1, 4, 512, 512])
NEURON: dict[str, tuple[Callable[[], bytes], str]] = {
    "arg_max": (
        lambda: graph_model([N("ArgMax", ["x"], ["y"], name="am", axis=1)], outputs=[info("y", None, I64)]),
        "node 'am': ArgMax: has no neuron translation (use -granularity=tile)",
    ),
    "inline_exp": (
        lambda: graph_model([N("Exp", ["x"], ["y"], name="ee")]),
        "node 'ee': Exp: calls a native function (exp), which has no literal form (use -inpla-weights=region)",
    ),
    "nan_literal": (
        lambda: graph_model([N("Add", ["x", "w"], ["y"])], weights={"w": np.full(4, np.nan, np.float32)}),
        "constant 'w': NaN has no literal in Inpla (use -inpla-weights=region)",
    ),
    "too_large": (
        lambda: graph_model([N("MaxPool", ["x"], ["y"], kernel_shape=[6, 6])], [IMAGE]),
        "the model has 38 million scalar operations, too many for one agent each (use -granularity=tile)",
    ),
}


@pytest.mark.parametrize("name", NEURON)
def test_models_without_neurons(name: str, tmp_path: Path) -> None:
    make, message = NEURON[name]
    file = tmp_path / f"{name}.onnx"
    file.write_bytes(make())
    words = ["-granularity=neuron", "-inpla-weights=inline"]
    done = run_compiler(f"-model={file}", f"-emit-bundle={tmp_path}/out", *words)
    check_failure(done, tmp_path, [file.name], ())
    assert done.stderr == f"model-compiler: error: {file}: {message}\n"


FLAGS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "unknown_flag": (["-granularty=tile"], ("-granularty", "-granularity")),
    "bad_choice": (["-granularity=brick"], ("brick", "tile, neuron")),
    "bad_boolean": (["-dump-ir=maybe"], ("maybe", "-dump-ir")),
    "stray_word": (["false"], ("'false'",)),
    "bad_symbol": (["-onnx-define-symbol=batch"], ("-onnx-define-symbol=batch",)),
    "symbol_digits": (["-onnx-define-symbol=batch,\u0663"], ("expected a name and a size",)),
    "zero_symbol": (["-onnx-define-symbol=batch,0"], ("batch,0",)),
    "model_input_unknown": (["-model-input=img,float,[1,1,28,28]"], ("img", "image")),
    "model_input_syntax": (["-model-input=image,float,1,1,28,28"], ("-model-input",)),
    "model_input_type": (["-model-input=image,double,[1,1,28,28]"], ("double",)),
    "model_input_rank": (["-model-input=image,float,[1,784]"], ("image",)),
    "model_input_dim": (["-model-input=image,float,[1,1,28,29]"], ("image",)),
    "inline_needs_neuron": (["-inpla-weights=inline"], ("-granularity=neuron",)),
    "inline_natives": (["-granularity=neuron", "-inpla-weights=inline"], ("softmax", "-inpla-weights=region")),
    "backend": (["-backend=Interpreter"], ("CPU",)),
    "network_name": (["-network-name=int"], ("int", "-network-name")),
    "unknown_target": (["-target=z80"], ("z80",)),
    "unknown_compiler": (["-llvm-compiler=/no/such/cc"], ("/no/such/cc",)),
    "threads": (["-threads=0"], ("-threads",)),
    "two_models": (["-model=other.onnx"], ("-model",)),
}


@pytest.mark.parametrize("name", FLAGS)
def test_bad_flags(name: str, tmp_path: Path) -> None:
    words, mentions = FLAGS[name]
    done = run_compiler(f"-model={EXAMPLE}", f"-emit-bundle={tmp_path}/out", *words)
    check_failure(done, tmp_path, [], mentions)


@pytest.mark.parametrize(
    ("words", "mentions"),
    [
        (["-model=none.onnx", "-emit-bundle=out"], ("none.onnx",)),
        (["-model=.", "-emit-bundle=out"], ("directory",)),
        ([f"-model={EXAMPLE}", "-emit-bundle=no/such/parent"], ("no/such",)),
        ([f"-model={EXAMPLE}", "-emit-bundle=/proc/out"], ("/proc/out",)),
        ([f"-model={EXAMPLE}"], ("-emit-bundle",)),
        (["-emit-bundle=out"], ("-model",)),
        ([f"-model={EXAMPLE}", "-emit-bundle="], ("-emit-bundle: the value is empty",)),
        (["-model=", "-emit-bundle=out"], ("-model: the value is empty",)),
    ],
)
def test_bad_places(words: list[str], mentions: tuple[str, ...], tmp_path: Path) -> None:
    check_failure(run_compiler(*words, cwd=tmp_path), tmp_path, [], mentions)


def test_a_file_where_the_bundle_should_go(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    done = run_compiler(f"-model={EXAMPLE}", f"-emit-bundle={tmp_path}/out")
    check_failure(done, tmp_path, ["out"], ("out",))
    assert (tmp_path / "out").read_text() == "mine"


def test_nan_weights_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "nan_weights.onnx").write_bytes(
        graph_model([N("Add", ["x", "w"], ["y"])], weights={"w": np.full(4, np.nan, np.float32)})
    )
    done = run_compiler(f"-model={tmp_path}/nan_weights.onnx", f"-emit-bundle={tmp_path}/out")
    assert (done.returncode, done.stderr) == (0, "")


def test_zero_sized_dimensions_compile(tmp_path: Path) -> None:
    (tmp_path / "zero.onnx").write_bytes(graph_model([RELU], [info("x", [0, 4])]))
    done = run_compiler(f"-model={tmp_path}/zero.onnx", f"-emit-bundle={tmp_path}/out")
    assert (done.returncode, done.stderr) == (0, "")
