"""Softmax of both meanings, BatchNormalization of every opset."""

from __future__ import annotations

from typing import Any

import pytest
from one_node_model import Operand, import_node, kinds

from inbundle.errors import CompileError, UnsupportedError
from inbundle.graph.types import ElemKind, TensorType

SOFTMAX = pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])


@SOFTMAX
@pytest.mark.parametrize(("attributes", "axis"), [({}, 2), ({"axis": 0}, 0), ({"axis": -2}, 1)])
def test_softmax_normalizes_one_axis(operator: str, attributes: dict[str, Any], axis: int) -> None:
    graph = import_node(operator, {"x": (2, 3, 4)}, attributes, opset=13)
    assert kinds(graph) == [operator]
    assert graph.nodes[0].attributes == {"axis": axis}


@SOFTMAX
@pytest.mark.parametrize("opset", [1, 11])
@pytest.mark.parametrize(
    ("attributes", "matrix"),
    [({}, (2, 12)), ({"axis": 1}, (2, 12)), ({"axis": 0}, (1, 24)), ({"axis": -2}, (2, 12))],
)
def test_old_softmax_flattens_to_a_matrix(
    operator: str, attributes: dict[str, Any], matrix: tuple[int, int], opset: int
) -> None:
    graph = import_node(operator, {"x": (2, 3, 4)}, attributes, opset=opset)
    assert kinds(graph) == ["Reshape", operator, "Reshape"]
    rows = graph.nodes[1]
    assert rows.attributes == {"axis": 1}
    assert rows.output.type.shape == matrix
    assert graph.outputs["y"].type.shape == (2, 3, 4)
    assert graph.outputs["y"].name == "y"


@pytest.mark.parametrize(("shape", "attributes"), [((2, 3), {}), ((2, 3, 4), {"axis": 2}), ((5,), {"axis": 0})])
def test_old_softmax_of_the_last_axis_needs_no_flattening(shape: tuple[int, ...], attributes: dict[str, Any]) -> None:
    graph = import_node("Softmax", {"x": shape}, attributes, opset=11)
    assert kinds(graph) == ["Softmax"]
    assert graph.nodes[0].attributes == {"axis": len(shape) - 1}


@pytest.mark.parametrize(
    ("shape", "attributes", "opset"),
    [((2, 3), {"axis": 2}, 13), ((2,), {}, 11), ((), {}, 13), ((2,), {"axis": -2}, 13)],
)
def test_softmax_axis_out_of_range(shape: tuple[int, ...], attributes: dict[str, Any], opset: int) -> None:
    with pytest.raises(CompileError, match=r"Softmax: attribute 'axis': axis .* is outside"):
        import_node("Softmax", {"x": shape}, attributes, opset=opset)


# BatchNormalization


def operands(x: tuple[int, ...], statistics: tuple[int, ...]) -> dict[str, Operand]:
    return {"x": x, "scale": statistics, "b": statistics, "mean": statistics, "var": statistics}


@pytest.mark.parametrize(
    ("opset", "attributes"),
    [
        (1, {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]}),
        (6, {"is_test": 1, "spatial": 1}),
        (7, {"spatial": 1}),
        (9, {}),
        (14, {"training_mode": 0}),
        (15, {}),
    ],
)
@pytest.mark.parametrize("x", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5, 6)])
def test_batch_normalization_of_every_opset(x: tuple[int, ...], opset: int, attributes: dict[str, Any]) -> None:
    graph = import_node("BatchNormalization", operands(x, (3,)), {**attributes, "epsilon": 0.25}, opset=opset)
    assert kinds(graph) == ["BatchNormalization"]
    assert graph.nodes[0].attributes == {"epsilon": 0.25}
    assert graph.outputs["y"].type.shape == x


@pytest.mark.parametrize(("opset", "attributes"), [(6, {"is_test": 1}), (7, {})])
def test_batch_normalization_per_element_flattens_to_channels(opset: int, attributes: dict[str, Any]) -> None:
    given = {**attributes, "spatial": 0}
    graph = import_node("BatchNormalization", operands((2, 3, 4), (3, 4)), given, opset=opset)
    assert kinds(graph) == ["Reshape"] * 5 + ["BatchNormalization", "Reshape"]
    assert [value.type.shape for value in graph.nodes[5].inputs if value] == [(2, 12)] + [(12,)] * 4
    assert graph.outputs["y"].type.shape == (2, 3, 4)


def test_batch_normalization_of_a_vector_has_one_channel() -> None:
    graph = import_node("BatchNormalization", operands((4,), (1,)), opset=15)
    assert kinds(graph) == ["Reshape", "BatchNormalization", "Reshape"]
    assert graph.nodes[1].output.type.shape == (4, 1)
    assert graph.outputs["y"].type.shape == (4,)


def test_batch_normalization_computes_in_the_widest_kind() -> None:
    given = operands((2, 3), (3,)) | {"x": TensorType(ElemKind.FLOAT16, (2, 3))}
    graph = import_node("BatchNormalization", given, opset=15)
    assert kinds(graph) == ["Cast", "BatchNormalization", "Cast"]
    assert graph.nodes[1].output.type.elem is ElemKind.FLOAT
    assert graph.outputs["y"].type == TensorType(ElemKind.FLOAT16, (2, 3))


def test_batch_normalization_of_both_half_precisions_computes_in_float() -> None:
    statistics = TensorType(ElemKind.BFLOAT16, (3,))
    given = dict.fromkeys(("x", "scale", "b", "mean", "var"), statistics)
    graph = import_node("BatchNormalization", given | {"x": TensorType(ElemKind.FLOAT16, (2, 3))}, opset=15)
    assert [node.output.type.elem for node in graph.nodes if node.kind == "BatchNormalization"] == [ElemKind.FLOAT]
    assert graph.outputs["y"].type == TensorType(ElemKind.FLOAT16, (2, 3))


@pytest.mark.parametrize(
    ("opset", "attributes", "outputs", "message"),
    [
        (6, {}, ("y",), "attribute 'is_test': training"),
        (14, {"training_mode": 1}, ("y",), "attribute 'training_mode': training"),
        (9, {}, ("y", "mean_out"), "output 'mean_out' exists in training only"),
        (15, {}, ("y", "", "var_out"), "output 'var_out' exists in training only"),
    ],
)
def test_training_is_refused(opset: int, attributes: dict[str, Any], outputs: tuple[str, ...], message: str) -> None:
    with pytest.raises(UnsupportedError, match=f"BatchNormalization: {message}.*export the model for inference"):
        import_node("BatchNormalization", operands((2, 3), (3,)), attributes, opset=opset, outputs=outputs)


@pytest.mark.parametrize(
    ("x", "statistics", "message"),
    [((2, 3, 4), (4,), "input scale is float<4>, 3 is needed"), ((), (1,), "batch and channel dimensions are needed")],
)
def test_batch_normalization_errors(x: tuple[int, ...], statistics: tuple[int, ...], message: str) -> None:
    with pytest.raises(CompileError, match=f"BatchNormalization: .*{message}"):
        import_node("BatchNormalization", operands(x, statistics), opset=15)


# InstanceNormalization, GroupNormalization, LayerNormalization


@pytest.mark.parametrize("opset", [1, 6, 22])
def test_instance_normalization(opset: int) -> None:
    graph = import_node("InstanceNormalization", {"x": (2, 3, 4, 5), "s": (3,), "b": (3,)}, opset=opset)
    assert kinds(graph) == ["InstanceNormalization"]
    assert graph.nodes[0].attributes == {"epsilon": pytest.approx(1e-5)}


@pytest.mark.parametrize(("opset", "parameter"), [(18, 2), (21, 6)])
def test_group_normalization_has_a_scale_per_group_or_per_channel(opset: int, parameter: int) -> None:
    operands = {"x": (2, 6, 4), "s": (parameter,), "b": (parameter,)}
    graph = import_node("GroupNormalization", operands, {"num_groups": 2}, opset=opset)
    assert kinds(graph) == ["Reshape", "Expand", "Reshape"] * 2 * (opset == 18) + ["GroupNormalization"]
    assert [value.type.shape for value in graph.nodes[-1].inputs if value] == [(2, 6, 4), (6,), (6,)]


@pytest.mark.parametrize(
    ("opset", "groups", "message"), [(18, 4, "for 4 groups of an X of"), (21, 4, "which 4 groups do not divide")]
)
def test_group_normalization_errors(opset: int, groups: int, message: str) -> None:
    with pytest.raises(CompileError, match=f"GroupNormalization: .*{message}"):
        import_node("GroupNormalization", {"x": (2, 6), "s": (6,), "b": (6,)}, {"num_groups": groups}, opset=opset)


@pytest.mark.parametrize(("axis", "outputs"), [(-1, ("y",)), (1, ("y", "mean")), (1, ("y", "", "deviation"))])
def test_layer_normalization_computes_statistics_where_they_are_asked_for(axis: int, outputs: tuple[str, ...]) -> None:
    operands = {"x": (2, 3, 4), "s": (4,), "b": (4,)}
    graph = import_node("LayerNormalization", operands, {"axis": axis}, opset=17, outputs=outputs)
    assert kinds(graph)[0] == "LayerNormalization"
    assert graph.nodes[0].attributes["axis"] == axis % 3
    assert ("Div" in kinds(graph)) == (len(outputs) > 1)
    for name in outputs[1:]:
        assert not name or graph.outputs[name].type.shape == (2, *(1 for _ in range(2)))


def test_layer_normalization_scale_must_broadcast() -> None:
    with pytest.raises(CompileError, match="LayerNormalization: input Scale is float<3>, which does not broadcast"):
        import_node("LayerNormalization", {"x": (2, 3, 4), "s": (3,)}, opset=17)
