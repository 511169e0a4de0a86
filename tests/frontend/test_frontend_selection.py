"""Concat, Split, Slice, Pad, Gather: every form by opset against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_node_model import import_node, kinds
from onnx import defs
from shape_kinds_in_numpy import run

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType

NEWEST = defs.onnx_opset_version()
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)


def ints(*numbers: int) -> np.ndarray:
    return np.asarray(numbers, np.int64)


def result(operator: str, opset: int, operands: dict[str, Any], attributes: dict[str, Any]) -> np.ndarray:
    """Output y for x = X."""
    return run(import_node(operator, {"x": X.shape, **operands}, attributes, opset=opset), {"x": X})["y"]


@pytest.mark.parametrize(("opset", "attributes", "axis"), [(1, {}, 1), (4, {"axis": 1}, 1), (13, {"axis": -1}, 2)])
def test_concat(opset: int, attributes: dict[str, Any], axis: int) -> None:
    np.testing.assert_array_equal(result("Concat", opset, {"w": X, "v": X}, attributes), np.concatenate([X] * 3, axis))


@pytest.mark.parametrize(
    ("opset", "operands", "attributes", "sizes"),
    [
        (1, {}, {"axis": 2, "split": [1, 3]}, (1, 3)),
        (1, {"s": ints(1, 3)}, {"axis": 2}, (1, 3)),
        (2, {}, {"axis": 2}, (2, 2)),
        (11, {}, {"axis": -1, "split": [4, 0]}, (4, 0)),
        (13, {}, {"axis": 2}, (2, 2)),
        (13, {"s": ints(3, 1)}, {"axis": 2}, (3, 1)),
        (18, {"s": ints(3, 1)}, {"axis": -1}, (3, 1)),
        (18, {}, {"axis": 2, "num_outputs": 3}, (2, 2, 0)),
        (NEWEST, {}, {"axis": 1, "num_outputs": 2}, (2, 1)),
    ],
)
def test_split_is_a_slice_per_output(
    opset: int, operands: dict[str, Any], attributes: dict[str, Any], sizes: tuple[int, ...]
) -> None:
    names = tuple(f"y{index}" for index in range(len(sizes)))
    graph = import_node("Split", {"x": X.shape, **operands}, attributes, opset=opset, outputs=names)
    assert kinds(graph) == ["Slice"] * len(sizes)
    parts = np.split(X, np.cumsum(sizes)[:-1], attributes["axis"])
    for name, part in zip(names, parts, strict=True):
        np.testing.assert_array_equal(run(graph, {"x": X})[name], part)


@pytest.mark.parametrize(
    ("opset", "operands", "attributes", "wanted"),
    [
        (1, {}, {"starts": [1], "ends": [INT64_MAX]}, X[1:]),
        (1, {}, {"starts": [0, -3], "ends": [-1, 1000], "axes": [1, 2]}, X[:, 0:-1, -3:]),
        (10, {"s": ints(1), "e": ints(INT64_MIN), "a": ints(1), "t": ints(-1)}, {}, X[:, 1::-1]),
        (10, {"s": ints(-1), "e": ints(0), "a": ints(2), "t": ints(-2)}, {}, X[:, :, -1:0:-2]),
        (11, {"s": ints(1), "e": ints(3), "a": None, "t": None}, {}, X[1:3]),
        (13, {"s": ints(5), "e": ints(9), "a": ints(-1)}, {}, X[..., 5:9]),
        (13, {"s": np.int32([3]), "e": np.int32([-9]), "a": np.int32([2]), "t": np.int32([-3])}, {}, X[..., ::-3]),
    ],
)
def test_slice(opset: int, operands: dict[str, Any], attributes: dict[str, Any], wanted: np.ndarray) -> None:
    np.testing.assert_array_equal(result("Slice", opset, operands, attributes), wanted)


BOUNDS = st.integers(-7, 7) | st.sampled_from((INT64_MAX, INT64_MIN))


def _indices(size: int, start: int, end: int, step: int) -> np.ndarray:
    """Slice 13, word for word. Older versions say "similar to numpy"; ONNX Runtime clamps them alike."""
    start, end = (bound + size if bound < 0 else bound for bound in (start, end))
    if step > 0:
        start, end = min(max(start, 0), size), min(max(end, 0), size)
    else:
        start, end = min(max(start, 0), size - 1), min(max(end, -1), size - 1)
    return np.arange(start, end, step)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(0, 5), min_size=1, max_size=3),
    starts=st.lists(BOUNDS, min_size=3, max_size=3),
    ends=st.lists(BOUNDS, min_size=3, max_size=3),
    steps=st.lists(st.integers(-3, 3).filter(bool), min_size=3, max_size=3),
)
def test_slice_clamps_as_the_text_says(shape: list[int], starts: list[int], ends: list[int], steps: list[int]) -> None:
    rank = len(shape)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    operands = {"s": ints(*starts[:rank]), "e": ints(*ends[:rank]), "a": ints(*range(rank)), "t": ints(*steps[:rank])}
    graph = import_node("Slice", {"x": tuple(shape), **operands}, opset=13)
    wanted = x[np.ix_(*map(_indices, shape, starts, ends, steps))]
    np.testing.assert_array_equal(run(graph, {"x": x})["y"], wanted)


PADDED = np.pad(X, ((0, 0), (1, 0), (2, 1)), constant_values=7)


@pytest.mark.parametrize(
    ("opset", "operands", "attributes"),
    [
        (1, {}, {"paddings": [0, 1, 2, 0, 0, 1], "value": 7.0}),
        (2, {}, {"pads": [0, 1, 2, 0, 0, 1], "value": 7.0, "mode": "constant"}),
        (11, {"p": ints(0, 1, 2, 0, 0, 1), "v": np.asarray(7, np.float32)}, {}),
        (13, {"p": ints(0, 1, 2, 0, 0, 1), "v": np.float32([7])}, {"mode": "constant"}),
        (18, {"p": ints(2, 1, 1, 0), "v": np.asarray(7, np.float32), "a": ints(-1, 1)}, {}),
        (19, {"p": ints(0, 1, 2, 0, 0, 1), "v": np.asarray(7, np.float32), "a": None}, {}),
    ],
)
def test_pad_with_a_constant(opset: int, operands: dict[str, Any], attributes: dict[str, Any]) -> None:
    np.testing.assert_array_equal(result("Pad", opset, operands, attributes), PADDED)


@pytest.mark.parametrize(("mode", "opset"), [("reflect", 2), ("edge", 2), ("reflect", 18), ("edge", 13), ("wrap", 19)])
def test_pad_modes(mode: str, opset: int) -> None:
    pads = [0, 1, 2, 0, 2, 3]
    operands: dict[str, Any] = {"p": ints(*pads)} if opset >= 11 else {}
    attributes = {"mode": mode} if opset >= 11 else {"mode": mode, "pads": pads}
    wanted = np.pad(X, ((0, 0), (1, 2), (2, 3)), mode)  # type: ignore[call-overload]
    np.testing.assert_array_equal(result("Pad", opset, operands, attributes), wanted)


def test_negative_pads_crop() -> None:
    got = result("Pad", 13, {"p": ints(0, -1, 1, -1, 0, -2)}, {})
    np.testing.assert_array_equal(got, np.pad(X[:1, 1:, :2], ((0, 0), (0, 0), (1, 0))))


@pytest.mark.parametrize("opset", [1, 11, 13])
def test_gather_with_a_scalar_index_drops_the_axis(opset: int) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    graph = import_node("Gather", {"x": (2, 3), "i": np.asarray(-1)}, {"axis": 1}, opset=opset)
    np.testing.assert_array_equal(run(graph, {"x": x})["y"], [2, 5])


def test_gather_with_indices_of_any_rank_known_at_run_time_only() -> None:
    indices = np.asarray([[2, -1], [0, 1]], np.int32)
    graph = import_node("Gather", {"x": X.shape, "i": TensorType(ElemKind.INT32, (2, 2))}, {"axis": -1}, opset=13)
    np.testing.assert_array_equal(run(graph, {"x": X, "i": indices})["y"], X[..., indices])


ERRORS: list[tuple[str, int, dict[str, Any], dict[str, Any], str]] = [
    ("Concat", 4, {}, {}, "attribute 'axis': the attribute is missing"),
    ("Concat", 13, {"w": np.zeros((2, 2, 4), np.float32)}, {"axis": 2}, "differ in dimension 1"),
    ("Concat", 13, {"w": np.zeros((2, 3), np.float32)}, {"axis": 0}, "differ in element type or rank"),
    ("Concat", 13, {"w": np.zeros((2, 3, 4), np.int64)}, {"axis": 0}, "differ in element type or rank"),
    ("Split", 13, {"s": ints(1, 1)}, {"axis": 0}, r"\[1, 1\] does not split 2 elements into 1 outputs"),
    ("Split", 18, {}, {"axis": 0}, "attribute 'num_outputs': needs either the input 'split' or the attribute"),
    ("Split", 18, {}, {"axis": 0, "num_outputs": 2}, "2 outputs wanted, the node has 1"),
    ("Slice", 10, {"s": ints(0), "e": ints(1), "a": ints(3)}, {}, r"axes 3 is outside \[-3, 2\]"),
    ("Slice", 10, {"s": ints(0), "e": ints(1), "a": ints(0), "t": ints(0)}, {}, "the step of axis 0 is 0"),
    ("Slice", 10, {"s": ints(0), "e": ints(1, 2)}, {}, "differ in length"),
    ("Slice", 10, {"s": TensorType(ElemKind.INT64, (1,)), "e": ints(1)}, {}, "data-dependent starts"),
    ("Pad", 11, {"p": ints(1, 1)}, {}, r"pads \[1, 1\] has 2 entries, float<2 x 3 x 4> needs 6"),
    ("Pad", 11, {"p": ints(0, 0, 0, -3, 0, 0)}, {}, "take more than the 2 elements of axis 0"),
    ("Pad", 11, {"p": ints(2, 0, 0, 0, 0, 0)}, {"mode": "reflect"}, "needs 3 elements, axis 0 has 2"),
    ("Pad", 11, {"p": ints(0, 0, 0, 0, 0, 1)}, {"mode": "mirror"}, "mode 'mirror' is none of"),
    ("Pad", 18, {"p": ints(1, 1), "v": None, "a": ints(0, 1)}, {}, "need two entries for each of the axes"),
    ("Pad", 13, {"p": ints(*[0] * 6), "v": np.float32([1, 2])}, {}, "not one element"),
    ("Gather", 13, {"i": ints(3)}, {"axis": 1}, r"an index of 'i' is outside \[-3, 2\], axis 1"),
    ("Gather", 13, {"i": ints(0)}, {"axis": 3}, r"axis 3 is outside \[-3, 2\]"),
    ("Gather", 13, {"i": np.float32([0])}, {}, "the indices are float<1>, not int32 or int64"),
]


@pytest.mark.parametrize(("operator", "opset", "operands", "attributes", "message"), ERRORS)
def test_errors_name_node_operator_and_reason(
    operator: str, opset: int, operands: dict[str, Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError) as failure:
        import_node(operator, {"x": X.shape, **operands}, attributes, opset=opset)
    assert str(failure.value).startswith(f"model: node 'node': {operator}: ")
    assert str(failure.value).count(f"{operator}: ") == 1
    failure.match(message)
