"""Resize and Upsample of every opset: what the graph computes is what ONNX's reference computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from one_node_model import Operand, import_node, kinds, one_node_model
from onnx.reference import ReferenceEvaluator

from inbundle.errors import CompileError
from inbundle.graph.onnx import evaluate

NONE = np.zeros(0, np.float32)


def scales(*numbers: float) -> dict[str, Operand]:
    return {"roi": NONE, "scales": np.array(numbers, np.float32)}


def sizes(*numbers: int) -> dict[str, Operand]:
    return {"roi": NONE, "scales": NONE, "sizes": np.array(numbers, np.int64)}


CASES: list[tuple[dict[str, Operand], dict[str, Any]]] = [
    (scales(1, 1, 2, 3), {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
    (scales(1, 1, 2, 2), {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
    (scales(1, 1, 0.6, 1.7), {"mode": "linear"}),
    (scales(1, 1, 0.5, 2.5), {"mode": "linear", "antialias": 1}),
    (scales(1, 1, 0.4, 1.3), {"mode": "cubic", "antialias": 1, "cubic_coeff_a": -0.5}),
    (scales(1, 1, 2, 1.4), {"mode": "cubic", "exclude_outside": 1}),
    (scales(1, 1, 1.6, 0.7), {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"}),
    (sizes(2, 3, 7, 9), {"mode": "cubic", "coordinate_transformation_mode": "align_corners"}),
    (sizes(2, 3, 3, 2), {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"}),
    (sizes(2, 3, 7, 4), {"mode": "nearest"}),
    (sizes(2, 3, 7, 4), {"mode": "nearest", "nearest_mode": "ceil"}),
    (sizes(2, 3, 9, 3), {"mode": "nearest", "nearest_mode": "round_prefer_ceil"}),
    (sizes(9, 8), {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}),
    (sizes(9, 8), {"mode": "nearest", "axes": [2, 3], "keep_aspect_ratio_policy": "not_smaller"}),
]


def check(operator: str, opset: int, operands: dict[str, Operand], attributes: dict[str, Any]) -> None:
    operands = {"x": (2, 3, 5, 4), **operands}
    graph = import_node(operator, operands, attributes, opset=opset)
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 4)).astype(np.float32)
    (wanted,) = ReferenceEvaluator(one_node_model(operator, operands, attributes, opset=opset)).run(None, {"x": x})
    np.testing.assert_allclose(evaluate(graph, {"x": x})["y"], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("operands", "attributes"), CASES)
def test_resize(operands: dict[str, Operand], attributes: dict[str, Any]) -> None:
    check("Resize", 19, operands, attributes)


def test_a_region_of_interest() -> None:
    region = {"roi": np.array([0, 0, 0.4, -0.2, 1, 1, 0.9, 1.3], np.float32)}
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
    for mode in ("linear", "nearest"):
        check("Resize", 13, {**scales(1, 1, 1.5, 2), **region}, {**attributes, "mode": mode})


@pytest.mark.parametrize(("operator", "opset"), [("Upsample", 7), ("Upsample", 9), ("Resize", 10)])
@pytest.mark.parametrize("factors", [(1, 1, 2, 3), (1, 1, 1.5, 2.25)])
def test_old_forms_divide_by_the_scale(operator: str, opset: int, factors: tuple[float, ...]) -> None:
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 4)).astype(np.float32)
    operands: dict[str, Operand] = {"x": x.shape}
    attributes: dict[str, Any] = {"mode": "nearest"}
    if opset == 7:
        attributes["scales"] = [float(factor) for factor in factors]
    else:
        operands["s"] = np.array(factors, np.float32)
    graph = import_node(operator, operands, attributes, opset=opset)
    rows, columns = (
        np.floor(np.arange(int(size * scale)) / scale).astype(int)
        for size, scale in zip(x.shape[2:], factors[2:], strict=True)
    )
    np.testing.assert_array_equal(evaluate(graph, {"x": x})["y"], x[:, :, rows][..., columns])


def test_the_oldest_upsample_has_a_scale_for_height_and_width() -> None:
    attributes = {"mode": "nearest", "height_scale": 2.0, "width_scale": 1.5}
    graph = import_node("Upsample", {"x": (1, 2, 3, 4)}, attributes, opset=1)
    assert graph.outputs["y"].type.shape == (1, 2, 6, 6)


def test_whole_factors_need_no_indices() -> None:
    graph = import_node("Upsample", {"x": (1, 2, 3, 4)}, {"mode": "nearest", "scales": (1.0, 1.0, 2.0, 2.0)}, opset=7)
    assert kinds(graph) == ["Reshape", "Expand", "Reshape"] * 2


@pytest.mark.parametrize(
    ("operands", "attributes", "message"),
    [
        ({"roi": NONE, "scales": NONE}, {}, "needs either the input 'scales' or the input 'sizes'"),
        (scales(1, 2), {}, r"the scales \[1.0, 2.0\] do not fit"),
        (sizes(0, 1, 1, 1), {}, r"the sizes \[0, 1, 1, 1\] do not fit"),
        (scales(1, 1, 2, 2), {"mode": "area"}, "the mode 'area' is none of nearest, linear, cubic"),
        (scales(1, 1, 2, 2), {"coordinate_transformation_mode": "x"}, "coordinate_transformation_mode 'x' is unknown"),
        (scales(1, 1, 2, 2), {"nearest_mode": "x"}, "the nearest_mode 'x' is none of"),
        (sizes(1, 1, 2, 2), {"keep_aspect_ratio_policy": "x"}, "the policy 'x' is unknown"),
    ],
)
def test_errors(operands: dict[str, Operand], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=f"Resize: .*{message}"):
        import_node("Resize", {"x": (2, 3, 5, 4), **operands}, attributes, opset=19)
