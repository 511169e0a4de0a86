"""Unary operators: attributes and their defaults by opset, Clip's bounds in every form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
import pytest
from one_node_model import Operand, import_node, importers_of, kinds

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant
from inbundle.graph.types import ElemKind, TensorType

NEWEST = onnx.defs.onnx_opset_version()
UNARY = importers_of("activation") - {"Clip"}
F32_MAX = float(np.finfo(np.float32).max)


def versions(operator: str) -> list[int]:
    """The opsets at which ONNX changed the operator."""
    schemas = onnx.defs.get_all_schemas_with_history()
    return sorted(schema.since_version for schema in schemas if schema.name == operator and not schema.domain)


@pytest.mark.parametrize(("operator", "opset"), [(name, opset) for name in sorted(UNARY) for opset in versions(name)])
def test_every_version_keeps_the_type(operator: str, opset: int) -> None:
    graph = import_node(operator, {"x": (2, 3)}, opset=opset)
    assert kinds(graph) == [operator]
    assert graph.outputs["y"].type == TensorType(ElemKind.FLOAT, (2, 3))


@pytest.mark.parametrize("operator", sorted(UNARY))
def test_defaults_are_those_of_the_schema(operator: str) -> None:
    schema = onnx.defs.get_schema(operator, NEWEST)
    defaults = {
        name: onnx.helper.get_attribute_value(attribute.default_value) for name, attribute in schema.attributes.items()
    }
    expected = {name: value.decode() if isinstance(value, bytes) else value for name, value in defaults.items()}
    assert import_node(operator, {"x": ()}, opset=NEWEST).nodes[0].attributes == expected


@pytest.mark.parametrize("operator", ["Relu", "Tanh", "Elu"])
def test_consumed_inputs_is_a_hint_only(operator: str) -> None:
    assert kinds(import_node(operator, {"x": (2,)}, {"consumed_inputs": [0]}, opset=1)) == [operator]


def test_given_attributes() -> None:
    (node,) = import_node("HardSigmoid", {"x": (2,)}, {"alpha": 0.25, "beta": 0.75}, opset=6).nodes
    assert node.attributes == {"alpha": 0.25, "beta": 0.75}
    (node,) = import_node("Gelu", {"x": (2,)}, {"approximate": "tanh"}, opset=20).nodes
    assert node.attributes == {"approximate": "tanh"}


def test_unknown_gelu() -> None:
    with pytest.raises(CompileError, match="Gelu: approximate is 'exact'"):
        import_node("Gelu", {"x": (2,)}, {"approximate": "exact"}, opset=20)


@pytest.mark.parametrize(
    ("operator", "elem"), [("Relu", ElemKind.UINT8), ("Neg", ElemKind.UINT32), ("Abs", ElemKind.BOOL)]
)
def test_element_kinds_are_checked(operator: str, elem: ElemKind) -> None:
    with pytest.raises(CompileError, match=f"{operator}: input X is .*must be one of"):
        import_node(operator, {"x": TensorType(elem, (2,))}, opset=14)


# Clip


def clip(operands: dict[str, Operand], attributes: dict[str, Any] | None = None, *, opset: int) -> tuple[Any, Any]:
    (node,) = import_node("Clip", operands, attributes, opset=opset).nodes
    assert node.kind == "Clip"
    return node.attributes["min"], node.attributes["max"]


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize(
    ("attributes", "bounds"),
    [
        ({"min": -1.0, "max": 2.5}, (-1.0, 2.5)),
        ({"min": 0.0}, (0.0, F32_MAX)),
        ({"max": 6.0}, (-F32_MAX, 6.0)),
        ({}, (-F32_MAX, F32_MAX)),
    ],
)
def test_clip_by_attributes(attributes: dict[str, Any], bounds: tuple[float, float], opset: int) -> None:
    assert clip({"x": (2,)}, attributes, opset=opset) == bounds


def scalar(number: float, elem: ElemKind = ElemKind.FLOAT) -> np.ndarray:
    return np.array(number, elem.dtype)


@pytest.mark.parametrize("opset", [11, 12, 13])
@pytest.mark.parametrize(
    ("operands", "bounds"),
    [
        ({"min": scalar(-1), "max": scalar(2.5)}, (-1.0, 2.5)),
        ({"min": scalar(0)}, (0.0, F32_MAX)),
        ({"min": None, "max": scalar(6)}, (-F32_MAX, 6.0)),
        ({"min": np.array([1], np.float32)}, (1.0, F32_MAX)),
        ({"min": scalar(3), "max": scalar(-3)}, (3.0, -3.0)),
        ({}, (-F32_MAX, F32_MAX)),
    ],
)
def test_clip_by_inputs(operands: dict[str, Operand], bounds: tuple[float, float], opset: int) -> None:
    assert clip({"x": (2,), **operands}, opset=opset) == bounds


@pytest.mark.parametrize(
    ("elem", "low", "limits"),
    [
        (ElemKind.INT64, 2**53 + 1, (2**53 + 1, 2**63 - 1)),
        (ElemKind.UINT8, 3, (3, 255)),
        (ElemKind.INT8, None, (-128, 127)),
        (ElemKind.FLOAT16, None, (-65504.0, 65504.0)),
        (ElemKind.FLOAT64, 0.1, (0.1, float(np.finfo(np.float64).max))),
    ],
)
def test_clip_bounds_are_exact(elem: ElemKind, low: float | None, limits: tuple[float, float]) -> None:
    operands: dict[str, Operand] = {"x": TensorType(elem, (2,)), "min": None if low is None else scalar(low, elem)}
    found = clip(operands, opset=13)
    assert found == limits
    assert [type(bound) for bound in found] == [float if elem.is_float else int] * 2


@pytest.mark.parametrize("bounds", [{"min": ()}, {"min": (1,), "max": scalar(2)}, {"min": scalar(math.nan)}])
def test_clip_by_unknown_bounds_is_max_then_min(bounds: dict[str, Operand]) -> None:
    """A NaN is left to Max and Min as well."""
    graph = import_node("Clip", {"x": (), **bounds}, opset=13)
    assert kinds(graph)[-2:] == ["Max", "Min"]
    most = graph.nodes[-1].input(1)
    assert isinstance(most, Constant)
    assert most.data == (2 if "max" in bounds else np.float32(F32_MAX))
    assert graph.outputs["y"].type.shape == ()


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (np.zeros(2, np.float32), "input min is float<2>, a single number is needed"),
        (scalar(1, ElemKind.FLOAT64), "element kinds must agree"),
    ],
)
def test_clip_errors(bound: np.ndarray, message: str) -> None:
    with pytest.raises(CompileError, match=f"Clip: .*{message}"):
        import_node("Clip", {"x": (2,), "min": bound}, opset=13)
