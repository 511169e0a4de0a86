"""Names of networks, entries and tensors."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbundle.bundle.names import HEADER_MACROS, entry_name, legalize, network_name, tensor_names
from inbundle.errors import CompileError

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("gpu_0/data", "gpu_0_data"),
        ("input:0", "input_0"),
        ("conv.w", "conv_w"),
        ("1x", "A1x"),
        ("", "A"),
        ("1", "A1"),
        ("a-b c", "a_b_c"),
        ("größe", "gr__e"),
        ("Data", "Data"),
        ("_x", "_x"),
        ("x" * 500, "x" * 500),
    ],
)
def test_legalize(name: str, legal: str) -> None:
    assert legalize(name) == legal


def test_long_names_are_cut_and_stay_apart() -> None:
    first, second = legalize("x" * 501), legalize("x" * 502)
    assert re.fullmatch(r"x{500}_trunc_[0-9]+", first)
    assert int(first.rpartition("_")[2]) < 2**64
    assert first != second


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("mnist.onnx", "mnist"),
        ("models/mnist-12.onnx", "mnist_12"),
        ("a.b.onnx", "a_b"),
        ("caffe2/resnet50/", "resnet50"),
        ("caffe2/resnet50.v2/", "resnet50"),
        ("model", "model"),
        (".onnx", "A"),
        ("3d.onnx", "A3d"),
        ("..", "__"),
        (".", "_"),
    ],
)
def test_network_name_from_the_model_path(model: str, name: str) -> None:
    assert network_name(model) == name


def test_a_wanted_network_name_is_legalised_and_not_cut() -> None:
    assert network_name("mnist.onnx", "my.net") == "my_net"


@pytest.mark.parametrize(
    "name",
    ["int", "main", "class", "log", "expf", "read", "linux", "inpla_run", "_Bool", "co_await", "main_run", "pad_edge"],
)
def test_names_that_a_c_or_cxx_program_cannot_have(name: str) -> None:
    with pytest.raises(CompileError, match=f"cannot be called '{name}'.*") as caught:
        entry_name(name)
    assert "-network-name=" in str(caught.value)


def test_the_entry_may_have_a_name_of_its_own() -> None:
    assert entry_name("int", "infer") == "infer"
    assert entry_name("mnist") == "mnist"
    with pytest.raises(CompileError, match="-main-entry-name="):
        entry_name("mnist", "while")


@pytest.mark.parametrize(("model", "wanted"), [("main.onnx", ""), ("mnist.onnx", "main")])
def test_no_network_has_the_name_of_the_example_application(model: str, wanted: str) -> None:
    with pytest.raises(CompileError, match=r"cannot be called 'main': main\.c is"):
        network_name(model, wanted)


@pytest.mark.parametrize(
    "name", ["mnist", "conv1", "Class", "half", "self", "model", "final_l", "run", "inputs", "tensor"]
)
def test_ordinary_names_are_free(name: str) -> None:
    assert entry_name(name) == name


def test_tensors_that_become_equal_get_numbers() -> None:
    assert tensor_names(["x-1", "x:1", "x_1", "1"], ["x.1"]) == ["x_1", "x_1__1", "x_1__2", "A1", "x_1__3"]


def test_a_number_replaces_a_number() -> None:
    assert tensor_names(["y__7", "y:_7"], []) == ["y__7", "y__1"]


def test_a_number_at_the_end_of_an_operator_name_stays() -> None:
    assert tensor_names([], ["y__7"], operators=["y__7"]) == ["y__7__1"]


def test_an_output_called_like_an_operator_gets_a_number() -> None:
    assert tensor_names(["data"], ["softmax"], operators=["conv", "softmax"]) == ["data", "softmax__1"]


def test_no_tensor_takes_a_macro_of_the_header() -> None:
    assert tensor_names(["MEM_ALIGN"], ["WEIGHTS_ATTRIBUTE"]) == ["MEM_ALIGN__1", "WEIGHTS_ATTRIBUTE__1"]


@given(st.lists(st.text(alphabet="a1_:-", max_size=4), max_size=12), st.lists(st.text(alphabet="a1_:-", max_size=4)))
def test_all_tensor_names_differ_and_are_identifiers(inputs: list[str], outputs: list[str]) -> None:
    names = tensor_names(inputs, outputs)
    assert len(set(names) | set(HEADER_MACROS)) == len(inputs) + len(outputs) + len(HEADER_MACROS)
    assert all(IDENTIFIER.fullmatch(name) for name in names)


@pytest.mark.parametrize("name", ["GLOW", "glow", "inpla", "INBUNDLE"])
def test_no_network_has_macros_that_every_bundle_has(name: str) -> None:
    with pytest.raises(CompileError, match="macros that start with"):
        network_name("m.onnx", name)
