"""What compilers get wrong about ONNX, with values: right results follow from the operator's text at that opset."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import inbundle
from inbundle import backend

F = TensorProto.FLOAT


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, tuple[int, ...]],
    outputs: list[str],
    constants: dict[str, np.ndarray] | None = None,
    *,
    opset: int,
    elem: int = F,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "case",
        [helper.make_tensor_value_info(name, elem, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, elem, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def f32(*values: float, shape: tuple[int, ...] = ()) -> np.ndarray:
    array = np.array(values, np.float32)
    return array.reshape(shape) if shape else array


def run(proto: onnx.ModelProto, *inputs: np.ndarray) -> np.ndarray:
    return backend.run_model(proto, list(inputs))[0]


def test_batch_normalization_does_not_fold_through_a_relu() -> None:
    proto = model(
        [
            helper.make_node("Conv", ["x", "w"], ["c"]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("BatchNormalization", ["r", "s", "b", "m", "v"], ["y"], epsilon=0.0),
        ],
        {"x": (1, 1, 1, 2)},
        ["y"],
        {"w": f32(-1, shape=(1, 1, 1, 1)), "s": f32(2), "b": f32(3), "m": f32(0.5), "v": f32(1)},
        opset=17,
    )
    assert run(proto, f32(1, -2, shape=(1, 1, 1, 2))).ravel().tolist() == [2, 6]


@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 2), (3, 1), (3, 2), None, "empty"])
def test_gemm_takes_a_bias_of_any_broadcastable_shape(shape) -> None:
    a, b = f32(1, 0, 0, 1, 1, 1, shape=(3, 2)), f32(1, 2, 3, 4, shape=(2, 2))
    constants = {"b": b}
    names = ["a", "b"]
    if shape == "empty":
        names.append("")
    elif shape is not None:
        names.append("c")
        constants["c"] = np.full(shape, 10, np.float32)
    node = helper.make_node("Gemm", names, ["y"], alpha=0.5, beta=2.0, transB=1)
    got = run(model([node], {"a": (3, 2)}, ["y"], constants, opset=17), a)
    want = [20.5, 21.5, 21, 22, 21.5, 23.5] if "c" in constants else (a @ b.T / 2).ravel().tolist()
    assert got.shape == (3, 2)
    assert got.ravel().tolist() == want


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_same_padding_counts_the_dilated_kernel(auto_pad: str) -> None:
    node = helper.make_node("Conv", ["x", "w"], ["y"], auto_pad=auto_pad, dilations=[2, 2], kernel_shape=[2, 2])
    proto = model([node], {"x": (1, 1, 3, 3)}, ["y"], {"w": f32(1, 10, 100, 1000, shape=(1, 1, 2, 2))}, opset=17)
    got = run(proto, f32(*range(1, 10), shape=(1, 1, 3, 3)))
    assert got.ravel().tolist() == [5000, 6400, 500, 8020, 9731, 802, 50, 64, 5]


@pytest.mark.parametrize(("opset", "want"), [(11, 0.25), (13, 0.5)])
def test_softmax_default_axis_changed_at_opset_13(opset: int, want: float) -> None:
    proto = model([helper.make_node("Softmax", ["x"], ["y"])], {"x": (1, 2, 1, 2)}, ["y"], opset=opset)
    assert run(proto, np.zeros((1, 2, 1, 2), np.float32)).ravel().tolist() == [want] * 4


def test_a_scalar_gather_index_drops_the_axis() -> None:
    proto = model(
        [helper.make_node("Gather", ["x", "i"], ["y"], axis=1)], {"x": (2, 3)}, ["y"], {"i": np.array(-1)}, opset=13
    )
    got = run(proto, f32(0, 1, 2, 3, 4, 5, shape=(2, 3)))
    assert got.shape == (2,)
    assert got.tolist() == [2, 5]


def test_shapes_computed_in_the_graph() -> None:
    proto = model(
        [
            helper.make_node("Shape", ["x"], ["s"]),
            helper.make_node("Gather", ["s", "zero"], ["g"]),
            helper.make_node("Unsqueeze", ["g", "axes"], ["u"]),
            helper.make_node("Concat", ["u", "rest"], ["t"], axis=0),
            helper.make_node("Reshape", ["x", "t"], ["y"]),
        ],
        {"x": (2, 1, 3)},
        ["y"],
        {"zero": np.array(0), "axes": np.array([0]), "rest": np.array([-1])},
        opset=13,
    )
    assert run(proto, np.zeros((2, 1, 3), np.float32)).shape == (2, 3)


@pytest.mark.parametrize("weights", ["region", "inline"])
def test_nothing_in_and_nothing_out(weights: str) -> None:
    proto = model([helper.make_node("Relu", ["x"], ["y"])], {"x": (0, 2)}, ["y"], opset=17)
    nothing = np.zeros((0, 2), np.float32)
    for options in ({}, {"granularity": "neuron", "inpla_weights": weights}):
        assert backend.run_model(proto, [nothing], **options)[0].shape == (0, 2)


def test_names_that_are_no_c_identifiers_and_collide(tmp_path: Path) -> None:
    names = ["x-1", "x:1", "x_1", "1"]
    nodes = [
        helper.make_node("Add", ["x-1", "x:1"], ["t"]),
        helper.make_node("Sub", ["t", "x_1"], ["u"]),
        helper.make_node("Add", ["u", "1"], ["out_1"]),
    ]
    proto = model(nodes, dict.fromkeys(names, (2,)), ["out_1"], opset=17)
    bundle = inbundle.compile(proto, tmp_path / "b", network_name="names")
    got = bundle.run({name: f32(10**i, 2 * 10**i) for i, name in enumerate(names)})["out_1"]
    assert got.tolist() == [1 + 10 - 100 + 1000, 2 * (1 + 10 - 100 + 1000)]
    header = (tmp_path / "b" / "names.h").read_text()
    macros = [line.split()[1] for line in header.splitlines() if line.startswith("#define NAMES_")]
    assert len(set(macros)) == len(macros)
    subprocess.run(["gcc", "-fsyntax-only", "-x", "c", str(tmp_path / "b" / "names.h")], check=True)


def test_a_batch_that_contradicts_a_baked_in_reshape(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Reshape", ["x", "shape"], ["y"], name="flatten_it")],
        {"x": (1, 4)},
        ["y"],
        {"shape": np.array([1, 4])},
        opset=17,
    )
    onnx.save(proto, tmp_path / "m.onnx")
    words = [f"-model={tmp_path}/m.onnx", "-model-input=x,float,[2,4]", f"-emit-bundle={tmp_path}/b"]
    done = subprocess.run([sys.executable, "-m", "inbundle.cli.model_compiler", *words], capture_output=True, text=True)
    assert done.returncode == 1
    assert "Reshape" in done.stderr
    assert "flatten_it" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "b").exists()


def test_more_operators_than_a_byte_counts() -> None:
    count = 300
    nodes = [helper.make_node("Add", [f"t{i}", "one"], [f"t{i + 1}"]) for i in range(count)]
    proto = model(nodes, {"t0": (3,)}, [f"t{count}"], {"one": f32(1)}, opset=17)
    assert run(proto, f32(0, 1, 2)).tolist() == [300, 301, 302]


def test_an_output_without_a_type_takes_the_computed_one() -> None:
    proto = model([helper.make_node("Neg", ["x"], ["y"])], {"x": (2,)}, ["y"], opset=17)
    proto.graph.output[0].type.Clear()
    proto.graph.output[0].type.SetInParent()
    assert run(proto, f32(1, -2)).tolist() == [-1, 2]
