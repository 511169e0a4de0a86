"""Binary and variadic element-wise operators: broadcasting of every opset, chains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_node_model import Operand, import_node, kinds, one_node_model, onnx_shapes

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant
from inbundle.graph.types import ElemKind, TensorType

BINARY = ("Add", "Sub", "Mul", "Div", "Pow")
VARIADIC = {"Min": "Min", "Max": "Max", "Sum": "Add"}


@st.composite
def broadcastable(draw: st.DrawFn, count: int) -> list[tuple[int, ...]]:
    target = draw(st.lists(st.integers(0, 4), max_size=4))
    shapes = []
    for _ in range(count):
        kept = target[draw(st.integers(0, len(target))) :]
        shapes.append(tuple(draw(st.sampled_from((1, size))) for size in kept))
    return shapes


@settings(max_examples=80, deadline=None)
@given(broadcastable(2), st.sampled_from(BINARY), st.sampled_from((7, 13, 14)))
def test_binary_shapes(shapes: list[tuple[int, ...]], operator: str, opset: int) -> None:
    operands: dict[str, Operand] = {"a": shapes[0], "b": shapes[1]}
    graph = import_node(operator, operands, opset=opset)
    assert kinds(graph) == [operator]
    assert graph.outputs["y"].type.shape == np.broadcast_shapes(*shapes)
    assert [graph.outputs["y"].type.shape] == onnx_shapes(one_node_model(operator, operands, opset=opset))


@settings(max_examples=60, deadline=None)
@given(broadcastable(3), st.sampled_from(sorted(VARIADIC)), st.sampled_from((8, 13)))
def test_variadic_is_a_chain(shapes: list[tuple[int, ...]], operator: str, opset: int) -> None:
    graph = import_node(operator, {"a": shapes[0], "b": shapes[1], "c": shapes[2]}, opset=opset)
    assert kinds(graph) == [VARIADIC[operator]] * 2
    first, last = graph.nodes
    assert [value.name for value in first.inputs if value] == ["a", "b"]
    assert last.inputs[0] is first.output
    assert graph.outputs["y"] is last.output
    assert last.output.name == "y"
    assert last.output.type.shape == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("opset", [1, 6, 8, 13])
@pytest.mark.parametrize("operator", ["Min", "Max", "Sum", "Mean"])
def test_variadic_of_one_is_that_input(operator: str, opset: int) -> None:
    graph = import_node(operator, {"a": (2, 3)}, opset=opset)
    assert graph.nodes == []
    assert graph.outputs["y"] is graph.inputs[0]


@pytest.mark.parametrize("opset", [1, 6, 8, 13])
@pytest.mark.parametrize("elem", [ElemKind.FLOAT, ElemKind.FLOAT64])
def test_mean_divides_by_the_number_of_inputs(elem: ElemKind, opset: int) -> None:
    x = TensorType(elem, (2, 3))
    graph = import_node("Mean", {"a": x, "b": x, "c": x}, opset=opset)
    assert kinds(graph) == ["Add", "Add", "Div"]
    count = graph.nodes[-1].input(1)
    assert isinstance(count, Constant)
    assert count.data.dtype == elem.dtype
    assert count.data == 3


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize("operator", ["Min", "Max", "Sum", "Mean"])
def test_old_variadic_does_not_broadcast(operator: str, opset: int) -> None:
    with pytest.raises(CompileError, match=f"{operator}: inputs are float<2 x 3> and float<3>.*below opset 8"):
        import_node(operator, {"a": (2, 3), "b": (3,)}, opset=opset)


# Opsets 1 to 6


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize("operator", BINARY)
@pytest.mark.parametrize(
    ("b", "attributes", "placed"),
    [
        ((2, 3, 4, 5), {}, (2, 3, 4, 5)),
        ((), {"broadcast": 1}, ()),
        ((1, 1), {"broadcast": 1}, ()),
        ((5,), {"broadcast": 1}, (5,)),
        ((4, 5), {"broadcast": 1}, (4, 5)),
        ((3, 4), {"broadcast": 1, "axis": 1}, (3, 4, 1)),
        ((2,), {"broadcast": 1, "axis": 0}, (2, 1, 1, 1)),
        ((3, 4), {"broadcast": 1, "axis": -3}, (3, 4, 1)),
        ((2, 3, 4, 5), {"broadcast": 1}, (2, 3, 4, 5)),
    ],
)
def test_old_broadcast_places_b_at_axis(
    operator: str, b: tuple[int, ...], attributes: dict[str, Any], placed: tuple[int, ...], opset: int
) -> None:
    graph = import_node(operator, {"a": (2, 3, 4, 5), "b": b}, attributes, opset=opset)
    assert kinds(graph) == ([] if b == placed else ["Reshape"]) + [operator]
    assert graph.nodes[-1].input(1).type.shape == placed
    assert graph.outputs["y"].type.shape == (2, 3, 4, 5)


def test_old_broadcast_of_a_constant_needs_no_node() -> None:
    graph = import_node(
        "Add", {"a": (2, 3, 4), "b": np.arange(3, dtype=np.float32)}, {"broadcast": 1, "axis": 1}, opset=6
    )
    assert kinds(graph) == ["Add"]
    (constant,) = graph.constants
    assert constant.data.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("b", "attributes", "message"),
    [
        ((4,), {}, "attribute 'broadcast': inputs are float<2 x 3 x 4> and float<4>.*must be 1"),
        ((3,), {"broadcast": 1}, "attribute 'axis': input B of 3 is no run .* 2 x 3 x 4, that starts at 2"),
        ((4,), {"broadcast": 1, "axis": 1}, ".* that starts at 1"),
        ((4,), {"broadcast": 1, "axis": 3}, ".* that starts at 3"),
        ((5, 2, 3, 4), {"broadcast": 1}, "attribute 'axis'"),
    ],
)
def test_old_broadcast_errors(b: tuple[int, ...], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=f"node 'node': Add: {message}"):
        import_node("Add", {"a": (2, 3, 4), "b": b}, attributes, opset=6)


def test_consumed_inputs_is_a_hint_only() -> None:
    assert kinds(import_node("Add", {"a": (2,), "b": (2,)}, {"consumed_inputs": [1, 0]}, opset=1)) == ["Add"]


# Types


def test_pow_keeps_the_type_of_its_base() -> None:
    operands = {"a": TensorType(ElemKind.INT32, (2, 3)), "b": TensorType(ElemKind.FLOAT, (3,))}
    assert import_node("Pow", operands, opset=13).outputs["y"].type == TensorType(ElemKind.INT32, (2, 3))


@pytest.mark.parametrize("operator", ["Add", "Div", "Max"])
@pytest.mark.parametrize("elem", [ElemKind.INT8, ElemKind.UINT64, ElemKind.FLOAT16, ElemKind.BFLOAT16])
def test_binary_keeps_element_kinds(operator: str, elem: ElemKind) -> None:
    graph = import_node(operator, {"a": TensorType(elem, (2, 1)), "b": TensorType(elem, (3,))}, opset=14)
    assert graph.outputs["y"].type == TensorType(elem, (2, 3))


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (TensorType(ElemKind.INT32, (2, 3)), "element kinds must agree"),
        (TensorType(ElemKind.FLOAT, (2,)), "shapes 2 x 3 and 2 do not broadcast"),
    ],
)
def test_binary_errors(b: TensorType, message: str) -> None:
    with pytest.raises(CompileError, match=f"node 'node': Add: .*{message}"):
        import_node("Add", {"a": (2, 3), "b": b}, opset=14)


# PRelu


@pytest.mark.parametrize(
    ("slope", "opset", "placed"),
    [
        ((1,), 1, ()),
        ((3,), 1, (3, 1, 1)),
        ((3,), 6, (3, 1, 1)),
        ((1, 3, 1, 1), 6, (1, 3, 1, 1)),
        ((2, 3, 4, 3), 6, (2, 3, 4, 3)),
        ((3,), 7, (3,)),
        ((3, 1, 1), 7, (3, 1, 1)),
        ((), 9, ()),
        ((4, 1), 16, (4, 1)),
    ],
)
def test_prelu_slope(slope: tuple[int, ...], opset: int, placed: tuple[int, ...]) -> None:
    """Below opset 7 a slope of rank 1 counts channels; X has 3 channels and a last dimension of 3."""
    graph = import_node("PRelu", {"x": (2, 3, 4, 3), "slope": slope}, opset=opset)
    assert graph.nodes[-1].input(1).type.shape == placed
    assert graph.outputs["y"].type.shape == (2, 3, 4, 3)


@pytest.mark.parametrize("slope", [(5,), (7, 1, 3, 1, 1)])
def test_prelu_slope_broadcasts_one_way(slope: tuple[int, ...]) -> None:
    with pytest.raises(CompileError, match=r"PRelu: input slope is .* does not broadcast to X.*C x 1 x 1"):
        import_node("PRelu", {"x": (2, 3, 4, 1), "slope": slope}, opset=9)
