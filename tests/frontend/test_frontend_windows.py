"""Conv and pools: normal form, and output shapes as ONNX infers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from one_node_model import Operand, import_node, kinds, one_node_model, onnx_shapes

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType

Attributes = dict[str, Any]

POOL_OPSETS = {"MaxPool": (1, 8, 10, 11, 12, 22), "AveragePool": (1, 7, 10, 11, 19, 22)}
DILATED_FROM = {"MaxPool": 10, "AveragePool": 19}


@st.composite
def windows(draw: st.DrawFn, *, dilated: bool) -> tuple[tuple[int, ...], Attributes]:
    """Spatial sizes and window attributes; each attribute but the kernel may be missing."""
    rank = draw(st.integers(1, 3))
    numbers = lambda low, high, length: st.tuples(*[st.integers(low, high)] * length)  # noqa: E731
    attributes: Attributes = {"kernel_shape": draw(numbers(1, 3, rank))}
    if draw(st.booleans()):
        attributes["strides"] = draw(numbers(1, 3, rank))
    if dilated and draw(st.booleans()):
        attributes["dilations"] = draw(numbers(1, 3, rank))
    padding = draw(st.sampled_from(("none", "pads", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")))
    if padding in ("pads", "NOTSET"):
        attributes["pads"] = draw(numbers(0, 2, 2 * rank))
    if padding not in ("none", "pads"):
        attributes["auto_pad"] = padding
    return draw(numbers(1, 9, rank)), attributes


def assert_shape_is_that_of_onnx(
    operator: str, operands: dict[str, Operand], attributes: Attributes, opset: int
) -> None:
    """Except that ONNX's inference rounds towards zero where the window is larger than the image."""
    assume(not attributes.get("ceil_mode") or _fits(operands, attributes))
    if _fits(operands, attributes):
        (shape,) = onnx_shapes(one_node_model(operator, operands, attributes, opset=opset))
        assert import_node(operator, operands, attributes, opset=opset).outputs["y"].type.shape == shape
    else:
        with pytest.raises(CompileError, match=r"window of .* is larger than the image"):
            import_node(operator, operands, attributes, opset=opset)


def _fits(operands: dict[str, Operand], attributes: Attributes) -> bool:
    x, w = operands["x"], operands.get("w")
    assert isinstance(x, tuple)
    spatial, rank = x[2:], len(x) - 2
    kernel = attributes["kernel_shape"] if w is None else w[2:]  # type: ignore[index]
    auto_pad = attributes.get("auto_pad", "NOTSET")
    pads = attributes.get("pads", (0,) * 2 * rank) if auto_pad == "NOTSET" else (0,) * 2 * rank
    rows = zip(spatial, kernel, attributes.get("dilations", (1,) * rank), pads[:rank], pads[rank:], strict=True)
    fits = all((k - 1) * dilation + 1 <= size + begin + end for size, k, dilation, begin, end in rows)
    return fits or auto_pad.startswith("SAME")


@settings(max_examples=150, deadline=None)
@given(windows(dilated=True), st.integers(1, 2), st.sampled_from((1, 11, 22)), st.booleans())
def test_conv_shapes(window: tuple[tuple[int, ...], Attributes], group: int, opset: int, named: bool) -> None:
    spatial, attributes = window
    operands: dict[str, Operand] = {"x": (2, 2 * group, *spatial), "w": (2 * group, 2, *attributes["kernel_shape"])}
    if not named:
        del attributes["kernel_shape"]
    assert_shape_is_that_of_onnx("Conv", operands, {**attributes, "group": group}, opset)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(("MaxPool", "AveragePool")))
def test_pool_shapes(data: st.DataObject, operator: str) -> None:
    opset = data.draw(st.sampled_from(POOL_OPSETS[operator]))
    spatial, attributes = data.draw(windows(dilated=opset >= DILATED_FROM[operator]))
    assert_shape_is_that_of_onnx(operator, {"x": (1, 2, *spatial)}, attributes, opset)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(("MaxPool", "AveragePool")))
def test_pool_shapes_with_ceil_mode(data: st.DataObject, operator: str) -> None:
    """ONNX's inference drops windows in the end padding from opset 22 on only, and one at most; for VALID see
    test_pool_with_auto_pad_ignores_ceil_mode."""
    spatial, attributes = data.draw(windows(dilated=True))
    assume(attributes.get("auto_pad") != "VALID")
    ends = attributes.get("pads", ())[len(spatial) :]
    assume(all(end < kernel for end, kernel in zip(ends, attributes["kernel_shape"], strict=False)))
    assert_shape_is_that_of_onnx(operator, {"x": (1, 2, *spatial)}, {**attributes, "ceil_mode": 1}, 22)


@pytest.mark.parametrize("auto_pad", ["VALID", "SAME_UPPER"])
def test_pool_with_auto_pad_ignores_ceil_mode(auto_pad: str) -> None:
    """ceil((4 - 2 + 1) / 3) windows by the text of opsets 10 to 22."""
    attributes = {"kernel_shape": [2], "strides": [3], "ceil_mode": 1, "auto_pad": auto_pad}
    graph = import_node("MaxPool", {"x": (1, 1, 4)}, attributes, opset=12)
    assert graph.outputs["y"].type.shape == (1, 1, 1 if auto_pad == "VALID" else 2)
    assert graph.nodes[0].attributes["ceil_mode"] is False


def test_conv_normal_form_has_every_number() -> None:
    w = np.ones((4, 3, 3, 2), np.float32)
    graph = import_node("Conv", {"x": (1, 3, 8, 8), "w": w, "b": None}, {"auto_pad": "SAME_LOWER"}, opset=11)
    assert graph.nodes[0].attributes == {
        "kernel_shape": (3, 2),
        "strides": (1, 1),
        "pads": (1, 1, 1, 0),
        "dilations": (1, 1),
        "group": 1,
    }
    assert not graph.nodes[0].has_input(2)


def test_same_padding_counts_the_dilated_kernel() -> None:
    attributes = {"auto_pad": "SAME_UPPER", "dilations": [2, 2]}
    graph = import_node("Conv", {"x": (1, 1, 3, 3), "w": (1, 1, 2, 2)}, attributes, opset=17)
    assert graph.nodes[0].attributes["pads"] == (1, 1, 1, 1)


def test_max_pool_indices_only_where_they_are_named() -> None:
    for outputs, count in ((("y",), 1), (("y", ""), 1), (("y", "indices"), 2)):
        attributes = {"kernel_shape": [2], "storage_order": 1}
        graph = import_node("MaxPool", {"x": (1, 1, 4)}, attributes, opset=12, outputs=outputs)
        assert len(graph.nodes[0].outputs) == count
    assert graph.outputs["indices"].type == TensorType(ElemKind.INT64, (1, 1, 3))
    assert graph.nodes[0].attributes["storage_order"] == 1


def test_average_pool_keeps_count_include_pad() -> None:
    attributes = {"kernel_shape": [2, 2], "count_include_pad": 1, "pads": [0, 0, 1, 1]}
    (node,) = import_node("AveragePool", {"x": (1, 1, 4, 4)}, attributes, opset=7).nodes
    assert node.attributes["count_include_pad"] is True
    assert node.attributes["pads"] == (0, 0, 1, 1)


@pytest.mark.parametrize("opset", [1, 22])
@pytest.mark.parametrize("operator", ["GlobalAveragePool", "GlobalMaxPool"])
@pytest.mark.parametrize("spatial", [(4,), (4, 5), (4, 5, 6)])
def test_global_pools(operator: str, spatial: tuple[int, ...], opset: int) -> None:
    graph = import_node(operator, {"x": (2, 3, *spatial)}, opset=opset)
    assert kinds(graph) == [operator]
    assert graph.outputs["y"].type.shape == (2, 3) + (1,) * len(spatial)


@pytest.mark.parametrize(
    ("operator", "operands", "attributes", "message"),
    [
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 2, 3, 3)}, {}, "X has 3 channels, but input W is .*: 2 channels"),
        ("Conv", {"x": (1, 4, 8, 8), "w": (3, 2, 3, 3)}, {"group": 2}, "3 filters, which 2 groups do not divide"),
        ("Conv", {"x": (1, 4, 8, 8), "w": (3, 2, 3, 3)}, {"group": 0}, "group is 0"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}, {"kernel_shape": [2, 3]}, r"kernel_shape is \[2, 3\]"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3)}, {}, "kernel_shape has 1 numbers, 2 are needed"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3), "b": (3,)}, {}, "input B is float<3>"),
        ("Conv", {"x": (1, 3), "w": (4, 3)}, {}, "1 to 3 spatial dimensions"),
        ("Conv", {"x": (1, 3, 2, 2, 2, 2), "w": (4, 3, 1, 1, 1, 1)}, {}, "1 to 3 spatial dimensions"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}, {"pads": [1, 1]}, "pads has 2 numbers, 4 are needed"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}, {"pads": [1, 1, -1, 0]}, "must be at least 0"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}, {"strides": [0, 1]}, "strides is .*at least 1"),
        ("Conv", {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}, {"auto_pad": "SAME"}, "auto_pad is 'SAME'"),
        ("MaxPool", {"x": (1, 1, 3, 3)}, {"kernel_shape": [2, 4]}, "window of 2 x 4 .* image of 3 x 3"),
        ("GlobalMaxPool", {"x": (1, 1, 0)}, {}, "an empty image has no pool"),
    ],
)
def test_errors_name_node_and_reason(
    operator: str, operands: dict[str, Operand], attributes: Attributes, message: str
) -> None:
    with pytest.raises(CompileError, match=f"model: node 'node': {operator}: .*{message}"):
        import_node(operator, operands, attributes, opset=13)
