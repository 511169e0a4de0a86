"""Gemm and MatMul: normal form, every opset's form, output shapes as NumPy and ONNX have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_node_model import Operand, import_node, kinds, one_node_model, onnx_shapes

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType

GEMM: dict[str, Operand] = {"a": (3, 2), "b": (2, 4)}


@pytest.mark.parametrize("opset", [7, 9, 11, 13])
@pytest.mark.parametrize("c", [(), (1,), (4,), (1, 4), (3, 1), (3, 4)])
def test_gemm_takes_c_of_any_broadcastable_shape(c: tuple[int, ...], opset: int) -> None:
    graph = import_node("Gemm", {**GEMM, "c": c}, opset=opset)
    assert kinds(graph) == ["Gemm"]
    assert graph.nodes[0].input(2).type.shape == c
    assert graph.outputs["y"].type.shape == (3, 4)


@pytest.mark.parametrize("operands", [GEMM, {**GEMM, "c": None}])
def test_gemm_without_c(operands: dict[str, Operand]) -> None:
    assert not import_node("Gemm", operands, opset=11).nodes[0].has_input(2)


def test_gemm_attributes() -> None:
    operands = {"a": (2, 3), "b": (4, 2)}
    given = {"alpha": 0.5, "beta": 2.0, "transA": 1, "transB": 1}
    graph = import_node("Gemm", operands, given, opset=13)
    assert graph.nodes[0].attributes == {"alpha": 0.5, "beta": 2.0, "transA": True, "transB": True}
    assert graph.outputs["y"].type.shape == (3, 4)


@pytest.mark.parametrize("opset", [1, 6])
def test_old_gemm_broadcasts_c_only_when_told(opset: int) -> None:
    assert kinds(import_node("Gemm", {**GEMM, "c": (3, 4)}, opset=opset)) == ["Gemm"]
    assert kinds(import_node("Gemm", {**GEMM, "c": (4,)}, {"broadcast": 1}, opset=opset)) == ["Gemm"]
    with pytest.raises(CompileError, match=r"attribute 'broadcast': input C is float<4>.*must be 1"):
        import_node("Gemm", {**GEMM, "c": (4,)}, opset=opset)


@pytest.mark.parametrize(
    ("operands", "attributes", "message"),
    [
        ({"a": (3, 2), "b": (4, 2)}, {}, "A of 3 x 2 and B of 4 x 2 do not multiply"),
        ({"a": (3, 2), "b": (2, 4)}, {"transA": 1}, r"do not multiply \(transA 1, transB 0\)"),
        ({"a": (1, 3, 2), "b": (2, 4)}, {}, "input A is float<1 x 3 x 2>, a matrix is needed"),
        ({"a": (3, 2), "b": (2, 4), "c": (3,)}, {}, "C is float<3>, which does not broadcast to 3 x 4"),
        ({"a": (3, 2), "b": (2, 4), "c": (1, 3, 4)}, {}, "does not broadcast to 3 x 4"),
        ({"a": (3, 2), "b": TensorType(ElemKind.FLOAT64, (2, 4))}, {}, "element kinds must agree"),
        ({"a": TensorType(ElemKind.INT8, (3, 2)), "b": TensorType(ElemKind.INT8, (2, 4))}, {}, "must be one of float"),
    ],
)
def test_gemm_errors(operands: dict[str, Operand], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=f"node 'node': Gemm: .*{message}"):
        import_node("Gemm", operands, attributes, opset=13)


@st.composite
def matmul_shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes that multiply, of rank 1 to 5; batch dimensions broadcast."""
    rows, inner, columns = (draw(st.integers(1, 4)) for _ in range(3))
    batch = draw(st.lists(st.integers(1, 3), max_size=3))

    def leading() -> tuple[int, ...]:
        kept = batch[draw(st.integers(0, len(batch))) :]
        return tuple(draw(st.sampled_from((1, size))) for size in kept)

    left = draw(st.sampled_from([(inner,), (*leading(), rows, inner)]))
    right = draw(st.sampled_from([(inner,), (*leading(), inner, columns)]))
    return left, right


@settings(max_examples=150, deadline=None)
@given(matmul_shapes(), st.sampled_from((1, 9, 13)))
def test_matmul_shapes(shapes: tuple[tuple[int, ...], tuple[int, ...]], opset: int) -> None:
    a, b = shapes
    graph = import_node("MatMul", {"a": a, "b": b}, opset=opset)
    assert kinds(graph) == ["MatMul"]
    assert graph.outputs["y"].type.shape == np.matmul(np.zeros(a), np.zeros(b)).shape
    assert [graph.outputs["y"].type.shape] == onnx_shapes(one_node_model("MatMul", {"a": a, "b": b}, opset=opset))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ((2, 3), (2, 3), "A of 2 x 3 and B of 2 x 3 do not multiply"),
        ((3,), (2,), "A of 3 and B of 2 do not multiply"),
        ((), (2,), "scalar has no matrix product"),
        ((2, 1, 3), (4, 3, 1), "shapes 2 and 4 do not broadcast"),
    ],
)
def test_matmul_errors(a: tuple[int, ...], b: tuple[int, ...], message: str) -> None:
    with pytest.raises(CompileError, match=f"MatMul: .*{message}"):
        import_node("MatMul", {"a": a, "b": b}, opset=13)
