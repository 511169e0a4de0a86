"""Symbols and `-model-input`: Glow's rules for the types of the model's inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model
from inbundle.frontend.model_input import parse_model_input
from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.options import CompileOptions


def model(**shapes: Any) -> onnx.ModelProto:
    """One Identity per input; the outputs have the inputs' declared shapes."""
    nodes = [helper.make_node("Abs", [name], [f"{name}_out"]) for name in shapes]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    outputs = [helper.make_tensor_value_info(f"{name}_out", TensorProto.FLOAT, dims) for name, dims in shapes.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def load(proto: onnx.ModelProto, *texts: str, **symbols: int) -> Graph:
    options = CompileOptions(model_input=texts, onnx_define_symbol=symbols)
    return graph_of_model(proto, options, name="m", base_dir=None)


def shapes(graph: Graph) -> list[tuple[int, ...]]:
    return [value.type.shape for value in graph.inputs]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x", TensorType(ElemKind.FLOAT, (1,))),
        ("x,float,[1,2,3]", TensorType(ElemKind.FLOAT, (1, 2, 3))),
        ("a:0,float16,[4]", TensorType(ElemKind.FLOAT16, (4,))),
        ("x,bfloat16,[n,2]", TensorType(ElemKind.BFLOAT16, (7, 2))),
        ("x,int32,[]", TensorType(ElemKind.INT32, ())),
        ("x,int64,[0]", TensorType(ElemKind.INT64, (0,))),
        ("x,bool,[1]", TensorType(ElemKind.BOOL, (1,))),
        ("x,uint8,[1]", TensorType(ElemKind.UINT8, (1,))),
    ],
)
def test_text_is_read(text: str, wanted: TensorType) -> None:
    parsed = parse_model_input(text, {"n": 7})
    assert parsed.type == wanted
    assert parsed.name == text.split(",")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the name is missing"),
        (",float,[1]", "the name is missing"),
        ("x,float", "the shape is missing"),
        ("x,", "unknown type ''"),
        ("x,[1,2]", r"unknown type '\[1'"),
        ("x,double,[1]", "unknown type 'double'"),
        ("x,float,1,2", "'1,2' is no shape in brackets"),
        ("x,float,[1,2", "is no shape in brackets"),
        ("x,float,[1,2]]", r"the dimension '2\]' is neither"),
        ("x,float,[1,,2]", "the dimension '' is neither"),
        ("x,float,[-1]", "the dimension '-1' is neither"),
        ("x,float,[1.5]", "the dimension '1.5' is neither"),
        ("x,float,[0x4]", "the dimension '0x4' is neither"),
        ("x,float,[m]", "the dimension 'm' is neither a number nor a defined symbol; defined symbols: n"),
        ("x, float,[1]", "blanks are not allowed"),
        ("x,int8q,0.5,3,[1]", "the quantised type 'int8q' is not supported"),
        ("x,float,[99999999,99999999]", "at most"),
    ],
)
def test_text_of_another_form_is_refused_with_the_option(text: str, message: str) -> None:
    with pytest.raises(CompileError, match=message) as failure:
        parse_model_input(text, {"n": 7})
    assert str(failure.value).startswith(f"-model-input={text}: ")


def test_symbols_are_bound() -> None:
    graph = load(model(x=["n", 3, "m"], y=["n"]), n=2, m=5)
    assert shapes(graph) == [(2, 3, 5), (2,)]


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        ({}, "undefined symbols 'n' .input 'x'., 'm' .input 'x'. .add for example -onnx-define-symbol=n,1 -onnx"),
        ({"n": 1}, "undefined symbol 'm' .input 'x'. .add for example -onnx-define-symbol=m,1"),
        ({"n": 0, "m": 1}, "-onnx-define-symbol=n,0: expected a size above 0"),
        ({"n": -3, "m": 1}, "-onnx-define-symbol=n,-3: expected a size above 0"),
    ],
)
def test_symbols_that_do_not_fit(symbols: dict[str, int], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        load(model(x=["n", "m"], y=["n"]), **symbols)


def test_symbols_that_the_model_does_not_use_are_no_error() -> None:
    """Build scripts give all their models the same flags."""
    assert shapes(load(model(x=[1]), n=3)) == [(1,)]
    assert shapes(load(model(x=["n"]), n=3, k=4)) == [(3,)]


def test_an_unused_symbol_does_not_stand_for_a_missing_one() -> None:
    with pytest.raises(CompileError, match=r"undefined symbols 'n' .*, 'm' .*symbol=n,1 -onnx-define-symbol=m,1\)"):
        load(model(x=["n", "m"]), k=4)


def test_the_batch_may_be_overridden_and_then_differs_in_the_outputs_too() -> None:
    graph = load(model(x=[1, 3]), "x,float,[4,3]")
    assert shapes(graph) == [(4, 3)]
    assert graph.outputs["x_out"].type.shape == (4, 3)


def test_a_symbol_may_be_a_dimension_of_the_option() -> None:
    assert shapes(load(model(x=["n", 3]), "x,float,[n,3]", n=6)) == [(6, 3)]
    assert shapes(load(model(x=[1, 3]), "x,float,[k,3]", k=6)) == [(6, 3)]


def test_a_defined_symbol_and_another_batch() -> None:
    assert shapes(load(model(x=["n", 3]), "x,float,[2,3]", n=1)) == [(2, 3)]


def test_unknown_dimensions_and_ranks_come_from_the_option() -> None:
    assert shapes(load(model(x=[None, None], y=None), "x,float,[2,3]", "y,float,[5]")) == [(2, 3), (5,)]


def test_the_element_type_is_the_options() -> None:
    graph = load(model(x=[2]), "x,float16,[2]")
    assert graph.outputs["x_out"].type == TensorType(ElemKind.FLOAT16, (2,))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            ["x,float,[1,3]"],
            "input 'y' is missing: with one -model-input all inputs must be given .add -model-input=y,",
        ),
        (["x,float,[1,3]", "y,float,[1]", "z,float,[1]"], "-model-input=z,float,.1.: .* no input 'z' .inputs: x, y"),
        (["x,float,[1,3]", "x,float,[1,3]"], "input 'x' is given twice"),
        (["x", "y,float,[1]"], r"-model-input=x: input 'x' has rank 2 in the model: \[1,3\]"),
        (["x,float,[1,4]", "y,float,[1]"], r"dimension 1 of input 'x' is 3 in the model: \[1,3\] .only dimension 0"),
        (["x,float,[3]", "y,float,[1]"], "input 'x' has rank 2"),
    ],
)
def test_options_that_contradict_the_model(texts: list[str], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        load(model(x=[1, 3], y=[1]), *texts)


def test_a_symbol_stays_needed_with_an_option() -> None:
    with pytest.raises(CompileError, match="undefined symbol 'n'"):
        load(model(x=["n", 3]), "x,float,[1,3]")


def test_an_initializer_among_the_inputs_is_a_constant() -> None:
    proto = model(x=[2], w=[2])
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(2, np.float32), "w"))
    proto.ir_version = 3
    graph = load(proto, "x,float,[2]")
    assert [value.name for value in graph.inputs] == ["x"]
    with pytest.raises(CompileError, match="no input 'w'"):
        load(proto, "x,float,[2]", "w,float,[2]")
