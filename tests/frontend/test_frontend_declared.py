"""Shapes and types that a model declares and does not compute: what ONNX Runtime runs is compiled, with one warning."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

import inbundle
from inbundle.cli.model_compiler import main
from inbundle.errors import CompileError, CompileWarning
from inbundle.frontend import graph_of_model
from inbundle.options import CompileOptions

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def info(name: str, shape: Sequence[int | str | None] | None, elem: int = FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, elem, shape)


def model(output: ValueInfoProto, between: Sequence[ValueInfoProto] = ()) -> onnx.ModelProto:
    """y = -relu(x + w), where x has shape [2, 3]; what is added is named a, what is rectified b."""
    nodes = [
        helper.make_node("Add", ["x", "w"], ["a"]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Neg", ["b"], ["y"]),
    ]
    weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    graph = helper.make_graph(nodes, "g", [info("x", [2, 3])], [output], [weight], value_info=between)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def pool(kind: str, opset: int) -> onnx.ModelProto:
    """The last window would begin in the padding: ONNX Runtime leaves it out, onnx before opset 22 counts it."""
    attributes = {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1, "pads": [0, 0, 1, 1]}
    nodes = [helper.make_node(kind, ["x"], ["p"], **attributes), helper.make_node("Relu", ["p"], ["y"])]
    graph = helper.make_graph(nodes, "g", [info("x", [1, 1, 3, 3])], [info("y", None)])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return onnx.shape_inference.infer_shapes(proto)


def warned(proto: onnx.ModelProto, **options: object) -> list[str]:
    """The warnings; the graph's outputs and inputs are what is computed."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        graph = graph_of_model(proto, CompileOptions(**options), name="m", base_dir=None)  # type: ignore[arg-type]
    assert graph.outputs["y"].type.shape[-2:] in ((2, 3), (5, 3), (1, 1))
    assert all(issubclass(warning.category, CompileWarning) for warning in found)
    return [str(warning.message) for warning in found]


RIGHT = info("y", [2, 3])
SAYS = "m: {} is declared with {}, but the model computes float<2 x 3>; what it computes counts"
CONFLICTS = {
    "a size": (info("y", [2, 4]), (), SAYS.format("output 'y'", "shape [2, 4]")),
    "no size": (info("y", [0, 3]), (), SAYS.format("output 'y'", "shape [0, 3]")),
    "the rank": (info("y", ["n"]), (), SAYS.format("output 'y'", "shape [n]")),
    "a scalar": (info("y", []), (), SAYS.format("output 'y'", "shape []")),
    "between": (RIGHT, [info("b", [3, 2])], SAYS.format("tensor 'b'", "shape [3, 2]")),
    "the type between": (RIGHT, [info("b", [2, 3], INT64)], SAYS.format("tensor 'b'", "element type int64")),
    "several": (
        info("y", [6]),
        [info("a", [6]), info("b", [6])],
        SAYS.format("output 'y'", "shape [6]").replace("; what", ", and 2 more such; what"),
    ),
}


@pytest.mark.parametrize(("output", "between", "line"), CONFLICTS.values(), ids=list(CONFLICTS))
def test_what_is_computed_counts(output: ValueInfoProto, between: Sequence[ValueInfoProto], line: str) -> None:
    assert warned(model(output, between)) == [line]


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("opset", [11, 21])
def test_a_shape_from_the_inference_of_onnx(kind: str, opset: int) -> None:
    (line,) = warned(pool(kind, opset))
    assert "'y' is declared with shape [1, 1, 2, 2], but the model computes float<1 x 1 x 1 x 1>, and 1 more" in line
    assert warned(pool(kind, 22)) == []


@pytest.mark.parametrize("output", [RIGHT, info("y", [-1, 3]), info("y", ["n", None]), info("y", None)])
def test_what_fits_gives_no_warning(output: ValueInfoProto) -> None:
    between = [info("a", ["n", 3]), info("b", None), info("unknown", [7]), ValueInfoProto(name="y")]
    assert warned(model(output, between)) == []


def test_a_batch_of_the_options_may_differ_everywhere() -> None:
    proto = model(RIGHT, [info("b", [2, 3])])
    proto.graph.node[0].input[1] = "x"
    assert warned(proto, model_input=("x,float,[5,3]",)) == []
    proto.graph.output[0].CopyFrom(info("y", [2, 4]))
    (line,) = warned(proto, model_input=("x,float,[5,3]",))
    assert "output 'y' is declared with shape [2, 4], but the model computes float<5 x 3>" in line


def test_an_output_of_another_type_is_refused() -> None:
    with pytest.raises(CompileError, match="output 'y' is declared with element type int64, but the model computes"):
        graph_of_model(model(info("y", [2, 3], INT64)), CompileOptions(), name="m", base_dir=None)


@pytest.mark.parametrize(
    ("declared", "other"),
    [
        (info("w", [3, 2]), "shape [3, 2]"),
        (info("w", [6]), "shape [6]"),
        (info("w", [2, 3], INT64), "element type int64"),
    ],
)
def test_an_initializer_is_what_its_input_is_declared_to_be(declared: ValueInfoProto, other: str) -> None:
    proto = model(RIGHT)
    proto.graph.input.append(info("w", ["n", 3]))
    assert warned(proto) == []
    proto.graph.input[1].CopyFrom(declared)
    with pytest.raises(
        CompileError, match=re.escape(f"input 'w' is declared with {other}, but its initializer is float")
    ):
        graph_of_model(proto, CompileOptions(), name="m", base_dir=None)


def test_the_command_says_so_in_one_line_and_compiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.onnx"
    onnx.save(pool("MaxPool", 17), path)
    assert main([f"-model={path}", f"-emit-bundle={tmp_path}/b", "-opt-level=0"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"model-compiler: warning: {path}: output 'y' is declared with shape [1, 1, 2, 2], but")
    x = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    assert inbundle.load(tmp_path / "b").run({"x": x})["y"].tolist() == [[[[4.0]]]]
