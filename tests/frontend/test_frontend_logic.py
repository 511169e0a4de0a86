"""Comparisons, logic, bit operations and Where: kinds, types, the broadcasting of every opset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import import_node, kinds, one_node_model, onnx_shapes

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType

COMPARISONS = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
LOGIC = ("And", "Or", "Xor")
BITS = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")


def of(elem: ElemKind, *shape: int) -> TensorType:
    return TensorType(elem, shape)


@pytest.mark.parametrize("operator", COMPARISONS)
@pytest.mark.parametrize("elem", [ElemKind.FLOAT, ElemKind.BFLOAT16, ElemKind.INT64, ElemKind.UINT8])
def test_comparisons_give_booleans(operator: str, elem: ElemKind) -> None:
    graph = import_node(operator, {"a": of(elem, 2, 1), "b": of(elem, 3)}, opset=16)
    assert kinds(graph) == [operator.replace("Greater", "Less")]
    assert graph.outputs["y"].type == of(ElemKind.BOOL, 2, 3)
    names = [value.name for value in graph.nodes[0].inputs if value]
    assert names == (["b", "a"] if operator.startswith("Greater") else ["a", "b"])


@pytest.mark.parametrize("operator", [*LOGIC, *BITS])
def test_logic_and_bits(operator: str) -> None:
    elem = ElemKind.INT8 if operator in BITS else ElemKind.BOOL
    operands = {"a": of(elem, 2, 1, 4), "b": of(elem, 3, 1)}
    graph = import_node(operator, operands, opset=18)
    assert kinds(graph) == [operator]
    assert [graph.outputs["y"].type.shape] == onnx_shapes(one_node_model(operator, operands, opset=18))
    assert graph.outputs["y"].type.elem is elem


@pytest.mark.parametrize(("operator", "elem"), [("Not", ElemKind.BOOL), ("BitwiseNot", ElemKind.UINT16)])
def test_not(operator: str, elem: ElemKind) -> None:
    graph = import_node(operator, {"x": of(elem, 2, 3)}, opset=18)
    assert kinds(graph) == [operator]
    assert graph.outputs["y"].type == of(elem, 2, 3)


@pytest.mark.parametrize("operator", ["Equal", "Less", "Greater", *LOGIC])
def test_old_broadcast_places_b_at_axis(operator: str) -> None:
    elem = ElemKind.BOOL if operator in LOGIC else ElemKind.INT32 if operator == "Equal" else ElemKind.FLOAT
    operands = {"a": of(elem, 2, 3, 4), "b": of(elem, 3)}
    graph = import_node(operator, operands, {"broadcast": 1, "axis": 1}, opset=6)
    assert kinds(graph) == ["Reshape", operator.replace("Greater", "Less")]
    assert graph.nodes[0].output.type.shape == (3, 1)
    assert graph.outputs["y"].type == of(ElemKind.BOOL, 2, 3, 4)


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [({}, (True, True)), ({"detect_negative": 0}, (False, True)), ({"detect_positive": 0}, (True, False))],
)
def test_is_inf(attributes: dict[str, Any], kept: tuple[bool, bool]) -> None:
    graph = import_node("IsInf", {"x": (2, 3)}, attributes, opset=10)
    assert graph.nodes[0].attributes == dict(zip(("detect_negative", "detect_positive"), kept, strict=True))
    assert graph.outputs["y"].type == of(ElemKind.BOOL, 2, 3)


def test_is_nan() -> None:
    assert import_node("IsNaN", {"x": (2,)}, opset=9).outputs["y"].type == of(ElemKind.BOOL, 2)


def test_bit_shift() -> None:
    operands = {"a": of(ElemKind.UINT8, 2, 1), "b": of(ElemKind.UINT8, 3)}
    graph = import_node("BitShift", operands, {"direction": "LEFT"}, opset=11)
    assert graph.outputs["y"].type == of(ElemKind.UINT8, 2, 3)
    with pytest.raises(CompileError, match=r"BitShift: direction is 'UP' .it is LEFT or RIGHT"):
        import_node("BitShift", operands, {"direction": "UP"}, opset=11)


@pytest.mark.parametrize("elem", [ElemKind.FLOAT, ElemKind.INT64, ElemKind.BOOL])
def test_where_broadcasts_all_three(elem: ElemKind) -> None:
    operands = {"c": of(ElemKind.BOOL, 2, 1, 1), "x": of(elem, 3, 1), "y0": of(elem, 4)}
    graph = import_node("Where", operands, opset=16)
    assert kinds(graph) == ["Where"]
    assert graph.outputs["y"].type == of(elem, 2, 3, 4)


@pytest.mark.parametrize(
    ("condition", "y", "message"),
    [
        (of(ElemKind.UINT8, 2), of(ElemKind.FLOAT, 2), "input condition is uindex8<2>"),
        (of(ElemKind.BOOL, 2), of(ElemKind.INT32, 2), "inputs X and Y are float<2> and index32<2>"),
        (of(ElemKind.BOOL, 3), of(ElemKind.FLOAT, 2), "shapes 3 and 2 and 2 do not broadcast"),
    ],
)
def test_where_errors(condition: TensorType, y: TensorType, message: str) -> None:
    with pytest.raises(CompileError, match=f"Where: .*{message}"):
        import_node("Where", {"c": condition, "x": (2,), "y0": y}, opset=16)


@pytest.mark.parametrize("elem", [ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.FLOAT64])
def test_a_reciprocal_is_a_quotient(elem: ElemKind) -> None:
    graph = import_node("Reciprocal", {"x": of(elem, 2, 3)}, opset=13)
    assert kinds(graph) == ["Div"]
    assert graph.constants[0].data == np.ones((), elem.dtype)
    assert graph.nodes[0].input(1) is graph.inputs[0]
