"""Broken and unsupported models: one line each that names file, node, operator or flag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, ValueInfoProto, defs, helper, numpy_helper

from inbundle.errors import CompileError
from inbundle.frontend import load_graph
from inbundle.options import CompileOptions

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def info(name: str, shape: Sequence[int | str | None] | None, elem: int = FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, elem, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    *,
    inputs: Sequence[ValueInfoProto] = (info("x", [2, 3]),),
    outputs: Sequence[ValueInfoProto] = (info("y", None),),
    constants: Sequence[TensorProto] = (),
    opsets: Sequence[tuple[str, int]] = (("", 17),),
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*opset) for opset in opsets], ir_version=8)


def relu(**changes: Any) -> onnx.ModelProto:
    """A right model, but for `changes`."""
    return model([node("Relu", ["x"], ["y"], name="r")], **changes)


def weight(dims: Sequence[int], **fields: Any) -> TensorProto:
    return TensorProto(name="w", data_type=fields.pop("data_type", FLOAT), dims=dims, **fields)


def add_weight(tensor: TensorProto) -> onnx.ModelProto:
    return model([node("Add", ["x", "w"], ["y"], name="a")], constants=[tensor])


def external(**entries: str) -> onnx.ModelProto:
    tensor = weight([2, 3], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return add_weight(tensor)


def without_graph() -> onnx.ModelProto:
    return onnx.ModelProto(ir_version=8, producer_name="nobody")


def sparse() -> onnx.ModelProto:
    broken = relu()
    values = numpy_helper.from_array(np.ones(1, np.float32), "w")
    broken.graph.sparse_initializer.add(values=values, dims=[4])
    return broken


def sequence_input() -> onnx.ModelProto:
    sequence = helper.make_tensor_sequence_value_info("x", FLOAT, None)
    return model([node("Relu", ["x"], ["y"])], inputs=[sequence])


def untyped_input() -> onnx.ModelProto:
    return relu(inputs=[ValueInfoProto(name="x")])


def if_node() -> onnx.ModelProto:
    branch = helper.make_graph([node("Relu", ["x"], ["b"])], "branch", [], [info("b", None)])
    choice = node("If", ["c"], ["y"], name="choose", then_branch=branch, else_branch=branch)
    return model([choice], inputs=[info("x", [2]), info("c", [], TensorProto.BOOL)])


def many_unsupported() -> onnx.ModelProto:
    nodes = [node("NonZero", [f"t{i}" if i else "x"], [f"t{i + 1}"], name=f"n{i}") for i in range(5)]
    nodes += [node("Blend", ["t5"], ["u"], name="b", domain="my.ops"), node("Gelu", ["u"], ["y"])]
    return model(nodes, opsets=[("", 17), ("my.ops", 3)])


def broken_function() -> onnx.ModelProto:
    body = helper.make_function(
        "f", "F", ["a"], ["b"], [node("F", ["a"], ["b"], domain="f")], [helper.make_opsetid("f", 1)]
    )
    broken = model([node("F", ["x"], ["y"], domain="f")], opsets=[("", 17), ("f", 1)])
    broken.functions.append(body)
    return broken


NEWEST = defs.onnx_opset_version()
BROKEN: dict[str, tuple[Callable[[], onnx.ModelProto], Sequence[str]]] = {
    "no graph": (without_graph, ["not an ONNX model", "holds no graph"]),
    "no outputs": (lambda: relu(outputs=[]), ["the model has no outputs"]),
    "output of nobody": (lambda: relu(outputs=[info("z", None)]), ["output 'z' is produced by no node"]),
    "two equal outputs": (lambda: relu(outputs=[info("y", None)] * 2), ["two outputs 'y'"]),
    "two equal inputs": (lambda: relu(inputs=[info("x", [1])] * 2), ["two inputs 'x'"]),
    "two equal initializers": (
        lambda: relu(constants=[numpy_helper.from_array(np.ones(1), "w")] * 2),
        ["two initializers 'w'"],
    ),
    "nameless input": (lambda: relu(inputs=[info("", [1])]), ["an input of the model has no name"]),
    "undefined tensor": (
        lambda: model([node("Add", ["x", "w"], ["y"], name="a")]),
        ["node 'a'", "Add", "reads 'w'", "no initializer"],
    ),
    "unnamed node": (lambda: model([node("Add", ["x", "w"], ["y"])]), ["node 'Add_y'", "reads 'w'"]),
    "produced twice": (
        lambda: model([node("Relu", ["x"], ["y"], name="a"), node("Exp", ["x"], ["y"], name="b")]),
        ["node 'b'", "'y' is also produced by node 'a'"],
    ),
    "input produced again": (
        lambda: model([node("Relu", ["x"], ["x"], name="a")], outputs=[info("x", None)]),
        ["node 'a'", "'x' is also produced by an input or initializer"],
    ),
    "cycle": (
        lambda: model(
            [
                node("Add", ["x", "b"], ["a"], name="n1"),
                node("Relu", ["a"], ["b"], name="n2"),
                node("Relu", ["b"], ["y"], name="n3"),
            ]
        ),
        ["cycle through nodes", "'n1'", "'n2'"],
    ),
    "self loop": (
        lambda: model([node("Add", ["x", "y"], ["y"], name="n1")]),
        ["cycle through node 'n1'"],
    ),
    "too many inputs": (
        lambda: model([node("Relu", ["x", "x"], ["y"], name="r")]),
        ["node 'r'", "Relu", "has 2 inputs", "takes 1"],
    ),
    "too few inputs": (
        lambda: model([node("Concat", [], ["y"], name="c", axis=0)]),
        ["node 'c'", "Concat", "has 0 inputs", "at least 1"],
    ),
    "empty input name": (lambda: model([node("Relu", [""], ["y"], name="r")]), ["node 'r'", "input 0 is missing"]),
    "too many outputs": (
        lambda: model([node("Relu", ["x"], ["y", "z"], name="r")]),
        ["node 'r'", "has 2 outputs", "takes 1"],
    ),
    "unknown attribute": (
        lambda: model([node("Relu", ["x"], ["y"], name="r", alpha=1.0)]),
        ["node 'r'", "Relu", "attribute 'alpha'", "no such attribute in opset 17"],
    ),
    "attribute type": (
        lambda: model([node("Transpose", ["x"], ["y"], name="t", perm=1)]),
        ["node 't'", "Transpose", "attribute 'perm'", "the attribute is INT, not INTS"],
    ),
    "missing attribute": (
        lambda: model([node("Concat", ["x"], ["y"], name="c")]),
        ["node 'c'", "Concat", "attribute 'axis'", "missing"],
    ),
    "unsupported operators": (
        many_unsupported,
        [
            "unsupported operators: NonZero (opset 17) at nodes 'n0', 'n1', 'n2' and 2 more; "
            "Blend (my.ops opset 3) at node 'b'; Gelu (not in opset 17) at node 'Gelu_y'"
        ],
    ),
    "subgraph": (if_node, ["unsupported operator: If (opset 17) at node 'choose'"]),
    "no opset": (lambda: relu(opsets=[]), ["'ai.onnx'", "no opset version"]),
    "no opset of a domain": (
        lambda: model([node("F", ["x"], ["y"], domain="my.ops")]),
        ["'my.ops'", "no opset version"],
    ),
    "opset of tomorrow": (
        lambda: relu(opsets=[("", NEWEST + 1)]),
        [f"opset {NEWEST + 1}", f"newer than {NEWEST}", "export the model with an opset up to"],
    ),
    "opset 0": (lambda: relu(opsets=[("", 0)]), ["opset 0", "the oldest is 1"]),
    "broken function": (broken_function, ["cannot inline the model's functions"]),
    "symbol": (
        lambda: relu(inputs=[info("x", ["unk__26", 3, "n"])]),
        ["'unk__26' (input 'x')", "-onnx-define-symbol=unk__26,1 -onnx-define-symbol=n,1"],
    ),
    "unknown dimension": (
        lambda: relu(inputs=[info("x", [None, 3])]),
        ["dimension 0 of input 'x'", "-model-input=x,float,[d0,3]"],
    ),
    "unknown rank": (lambda: relu(inputs=[info("x", None)]), ["input 'x' has no shape", "-model-input=x,float,["]),
    "untyped input": (untyped_input, ["input 'x' has no type"]),
    "negative dimension": (lambda: relu(inputs=[info("x", [-2, 3])]), ["input 'x'", "negative dimension -2"]),
    "absurd input": (lambda: relu(inputs=[info("x", [1 << 20, 1 << 20])]), ["input 'x'", "[1048576, 1048576]"]),
    "absurd result": (
        lambda: model(
            [node("Expand", ["x", "s"], ["y"], name="e")],
            inputs=[info("x", [1])],
            constants=[numpy_helper.from_array(np.asarray([1 << 40]), "s")],
        ),
        ["node 'e'", "Expand", "tensor 'y'", "at most"],
    ),
    "too much memory": (
        lambda: model(
            [node("Exp", ["x"], ["a"]), node("Exp", ["a"], ["b"]), node("Exp", ["b"], ["y"])],
            inputs=[info("x", [1 << 31])],
        ),
        ["tensors of the model up to 'b' take more than 16 GiB"],
    ),
    "constant bomb": (
        lambda: model(
            [node("ConstantOfShape", ["s"], ["y"], name="c")],
            constants=[numpy_helper.from_array(np.asarray([1 << 14, 1 << 14]), "s")],
        ),
        ["node 'c'", "ConstantOfShape", "larger than 64 MiB"],
    ),
    "string input": (lambda: relu(inputs=[info("x", [1], TensorProto.STRING)]), ["input 'x'", "type string"]),
    "complex input": (lambda: relu(inputs=[info("x", [1], TensorProto.COMPLEX64)]), ["input 'x'", "type complex64"]),
    "4-bit input": (lambda: relu(inputs=[info("x", [1], TensorProto.INT4)]), ["input 'x'", "type int4"]),
    "sequence input": (sequence_input, ["input 'x' is a sequence", "only tensors"]),
    "sparse weight": (sparse, ["initializer 'w' is sparse"]),
    "string weight": (
        lambda: add_weight(weight([1], data_type=TensorProto.STRING, string_data=[b"a"])),
        ["initializer 'w'", "type string"],
    ),
    "8-bit float weight": (
        lambda: add_weight(weight([1], data_type=TensorProto.FLOAT8E4M3FN, raw_data=b"a")),
        ["initializer 'w'", "type float8e4m3fn"],
    ),
    "weight without type": (lambda: add_weight(weight([1], data_type=0)), ["initializer 'w'", "no valid element type"]),
    "short raw weight": (
        lambda: add_weight(weight([2, 3], raw_data=bytes(20))),
        ["initializer 'w' of shape [2, 3] needs 24 bytes of data, but has 20"],
    ),
    "long weight": (
        lambda: add_weight(weight([2], float_data=[1, 2, 3])),
        ["initializer 'w' of shape [2] needs 2 numbers in float_data, but has 3"],
    ),
    "weight without data": (lambda: add_weight(weight([2])), ["initializer 'w'", "needs 2 numbers", "has 0"]),
    "negative weight shape": (lambda: add_weight(weight([-1])), ["initializer 'w'", "negative dimension"]),
    "external without place": (lambda: external(offset="0"), ["initializer 'w'", "no valid location"]),
    "external missing": (lambda: external(location="w.bin"), ["initializer 'w'", "'w.bin'", "No such file"]),
    "external outside": (lambda: external(location="../w.bin"), ["initializer 'w'", "outside the model's folder"]),
    "external absolute": (lambda: external(location="/etc/passwd"), ["'/etc/passwd' lies outside"]),
    "external too short": (lambda: external(location="short.bin", length="24"), ["'short.bin' ends 14 bytes before"]),
    "external of other size": (lambda: external(location="short.bin"), ["needs 24 bytes of data, but has 10"]),
    "external bad offset": (lambda: external(location="short.bin", offset="-4"), ["offset '-4'", "no number"]),
    "operand types": (
        lambda: model(
            [node("Add", ["x", "w"], ["y"], name="a")],
            constants=[numpy_helper.from_array(np.ones((2, 3), np.int64), "w")],
        ),
        ["node 'a'", "Add", "index64<2 x 3>"],
    ),
    "output type": (
        lambda: relu(outputs=[info("y", [2, 3], INT64)]),
        ["output 'y' is declared with element type int64, but the model computes float<2 x 3>"],
    ),
    "output type without name": (
        lambda: relu(outputs=[info("y", [2, 3], 99)]),
        ["output 'y' is declared with element type 99, but"],
    ),
    "shape known at run time": (
        lambda: model(
            [node("Reshape", ["x", "s"], ["y"], name="q")], inputs=[info("x", [2, 3]), info("s", [1], INT64)]
        ),
        ["node 'q'", "Reshape", "data-dependent shape", "input 1 ('s')"],
    ),
}


def failure_of(path: Path, options: CompileOptions | None = None) -> str:
    with pytest.raises(CompileError) as failure:
        load_graph(path, options or CompileOptions())
    line = str(failure.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize("case", BROKEN)
def test_broken_model_gives_one_clear_line(case: str, tmp_path: Path) -> None:
    make, mentions = BROKEN[case]
    (tmp_path / "short.bin").write_bytes(bytes(10))
    path = tmp_path / "broken.onnx"
    path.write_bytes(make().SerializeToString())
    line = failure_of(path)
    assert line.startswith(f"{path}: ")
    for text in mentions:
        assert text in line


def test_external_data_behind_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside.bin").write_bytes(bytes(24))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.bin").symlink_to(tmp_path / "outside.bin")
    (folder / "m.onnx").write_bytes(external(location="w.bin").SerializeToString())
    assert "outside the model's folder" in failure_of(folder / "m.onnx")


FILES: dict[str, tuple[bytes, str]] = {
    "empty.onnx": (b"", "the file is empty"),
    "garbled.onnx": (relu().SerializeToString().replace(b"Relu", b"\xff\xfe\xfd\xfc"), "names that are not UTF-8"),
    "blank.pbtxt": (b" \n", "the file is empty"),
    "words.onnx": (b"This is no model.\n", "truncated or not an ONNX model"),
    "truncated.onnx": (relu().SerializeToString()[:-20], "truncated or not an ONNX model"),
    "bad.textproto": (b"ir_version: 8 graph { nodes {} }", "not a valid ONNX text model"),
    "bad.onnxtxt": (b"<ir_version: 8> g (float[1] x) => (", "not a valid ONNX text model"),
    "binary.onnxtxt": (b"\x08\x08\xff\xfe", "not a valid ONNX text model"),
}


@pytest.mark.parametrize("name", FILES)
def test_file_that_is_no_model(name: str, tmp_path: Path) -> None:
    content, message = FILES[name]
    (tmp_path / name).write_bytes(content)
    line = failure_of(tmp_path / name)
    assert line.startswith(f"{tmp_path / name}: ")
    assert message in line


def test_missing_file_and_directory(tmp_path: Path) -> None:
    assert "cannot read the model: No such file or directory" in failure_of(tmp_path / "none.onnx")
    assert "cannot read the model: Is a directory" in failure_of(tmp_path)


@pytest.mark.parametrize("size", range(1, 120, 7))
def test_no_truncation_escapes_as_another_exception(size: int, tmp_path: Path) -> None:
    content = add_weight(numpy_helper.from_array(np.ones((2, 3), np.float32), "w")).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(content[: min(size, len(content) - 1)])
    failure_of(tmp_path / "m.onnx")
