"""Reductions over every set of axes, ArgMax and ArgMin."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import FLOATS, INTEGERS, Batch

from inbundle.graph.types import ElemKind, TensorType

KINDS = ("reducesum", "reducemean", "reducemax", "reducemin", "reduceprod")


def add_reduction(batch: Batch, kind: str, elem: ElemKind, shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    batch.add(kind, [TensorType(elem, kept), batch.array(elem, shape)], {"Axes": axes})


@pytest.mark.parametrize("kind", KINDS)
def test_every_set_of_axes(kind: str, tmp_path: Path) -> None:
    batch = Batch(KINDS.index(kind))
    for count in range(5):
        for axes in itertools.combinations(range(4), count):
            add_reduction(batch, kind, batch.choose((*FLOATS, *INTEGERS)), (2, 3, 1, 4), axes)
    batch.check(tmp_path)


def test_nan_wins_a_maximum_and_sums_wrap(tmp_path: Path) -> None:
    batch = Batch(5)
    x = np.array([[1, np.nan, 3], [-np.inf, -np.inf, -np.inf]], np.float32)
    for kind in ("reducemax", "reducemin"):
        batch.add(kind, [TensorType(ElemKind.FLOAT, (2,)), x], {"Axes": (1,)})
    for elem in (ElemKind.INT32, ElemKind.INT64, ElemKind.UINT32, ElemKind.INT8):
        x = np.full((3,), np.iinfo(elem.dtype).max, elem.dtype)
        batch.add("reducesum", [TensorType(elem, ()), x], {"Axes": (0,)})
    batch.check(tmp_path)


def test_the_sum_of_nothing_is_0_and_its_maximum_the_lowest_value(tmp_path: Path) -> None:
    batch = Batch(6)
    names = {}
    for elem in (ElemKind.FLOAT, ElemKind.INT32):
        for kind in KINDS:
            names[kind, elem] = batch.add(kind, [TensorType(elem, (2,)), np.zeros((2, 0), elem.dtype)], {"Axes": (1,)})
    computed = batch.results(tmp_path)
    results = {key: computed[name].tolist() for key, name in names.items()}
    assert results["reducesum", ElemKind.FLOAT] == [0, 0]
    assert results["reducemax", ElemKind.FLOAT] == [-np.inf] * 2
    assert results["reducemin", ElemKind.FLOAT] == [np.inf] * 2
    assert np.isnan(results["reducemean", ElemKind.FLOAT]).all()
    assert results["reducesum", ElemKind.INT32] == results["reducemean", ElemKind.INT32] == [0, 0]
    assert results["reducemax", ElemKind.INT32] == [-(2**31)] * 2
    assert results["reducemin", ElemKind.INT32] == [2**31 - 1] * 2


@pytest.mark.parametrize("kind", ["argmax", "argmin"])
def test_first_and_last_of_equal_elements(kind: str, tmp_path: Path) -> None:
    batch = Batch(len(kind))
    for elem in (*FLOATS, *INTEGERS):
        for last in (False, True):
            shape, axis = batch.shape(3), int(batch.random.integers(3))
            x = (batch.array(elem, shape) > 1).astype(elem.dtype)
            dest = TensorType(ElemKind.INT64, shape[:axis] + shape[axis + 1 :])
            batch.add(kind, [dest, x], {"Axis": axis, "SelectLastIndex": last})
    x = np.array([[1, np.nan, 3, np.nan, 5]], np.float32)
    for last in (False, True):
        batch.add(kind, [TensorType(ElemKind.INT64, (1,)), x], {"Axis": 1, "SelectLastIndex": last})
    batch.check(tmp_path)


def test_running_sums(tmp_path: Path) -> None:
    batch = Batch(9)
    for exclusive, reverse in itertools.product((False, True), repeat=2):
        for axis in range(3):
            elem = batch.choose((*FLOATS, *INTEGERS))
            attributes = {"Axis": axis, "Exclusive": exclusive, "Reverse": reverse}
            operands = [TensorType(elem, (2, 5, 3)), batch.array(elem, (2, 5, 3))]
            batch.add("cumsum", operands, attributes, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def test_largest_and_smallest_in_order(tmp_path: Path) -> None:
    """Small integers, so that many are equal: then the index decides."""
    batch = Batch(8)
    for elem in (*FLOATS, *INTEGERS):
        for axis, largest in ((0, True), (1, False), (2, True)):
            shape = (4, 5, 3)
            count = int(batch.random.integers(1, shape[axis] + 1))
            kept = tuple(count if at == axis else size for at, size in enumerate(shape))
            x = batch.random.integers(0, 4, shape).astype(elem.dtype)
            operands = [TensorType(elem, kept), x, TensorType(ElemKind.INT64, kept)]
            batch.add("topk", operands, {"Axis": axis, "Largest": largest})
    batch.check(tmp_path)
