"""Data movement: copies, slices, transposes, pads, gathers on every element kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_batch import Batch

from inbundle.graph.types import ElemKind, TensorType

ALL = tuple(ElemKind)


def test_copy_and_splat(tmp_path: Path) -> None:
    batch = Batch(1)
    for elem in ALL:
        batch.add("copy", [TensorType(elem, (6,)), batch.array(elem, (2, 3))])
        value = 1.25 if elem.is_float else 1 if elem is ElemKind.BOOL else int(np.iinfo(elem.dtype).max)
        batch.add("splat", [TensorType(elem, (2, 3))], {"Value": value})
    for value in (np.inf, -np.inf, 1e-45, 0.1, -3.4028234663852886e38):
        batch.add("splat", [TensorType(ElemKind.FLOAT, ())], {"Value": float(value)})
    for value in (-(2**63), 2**63 - 1, 2**31):
        batch.add("splat", [TensorType(ElemKind.INT64, (2,))], {"Value": value})
    batch.check(tmp_path)


def test_broadcast_and_transpose(tmp_path: Path) -> None:
    batch = Batch(2)
    for elem in ALL:
        shape = batch.shape(int(batch.random.integers(0, 5)), 4)
        batch.add("broadcast", [TensorType(elem, shape), batch.array(elem, batch.broadcastable(shape))])
        shape = batch.shape(int(batch.random.integers(1, 6)), 4)
        shuffle = tuple(int(axis) for axis in batch.random.permutation(len(shape)))
        dest = TensorType(elem, tuple(shape[axis] for axis in shuffle))
        batch.add("transpose", [dest, batch.array(elem, shape)], {"Shuffle": shuffle})
    batch.check(tmp_path)


def test_insert_and_extract(tmp_path: Path) -> None:
    batch = Batch(3)
    for elem in ALL:
        for _ in range(2):
            part = batch.shape(int(batch.random.integers(1, 5)), 3)
            offsets = tuple(int(o) for o in batch.random.integers(0, 3, len(part)))
            whole = tuple(o + n + int(batch.random.integers(0, 2)) for o, n in zip(offsets, part, strict=True))
            operands = [batch.array(elem, whole), batch.array(elem, part)]
            batch.add("inserttensor", operands, {"Offsets": offsets})
            add_extract(batch, elem)
    batch.check(tmp_path)


def add_extract(batch: Batch, elem: ElemKind) -> None:
    part = batch.shape(int(batch.random.integers(1, 5)), 3)
    steps = tuple(batch.choose((-2, -1, 1, 1, 1, 3)) for _ in part)
    spans = [(n - 1) * abs(step) + 1 for n, step in zip(part, steps, strict=True)]
    lows = [int(batch.random.integers(0, 2)) for _ in part]
    whole = tuple(low + span + batch.choose((0, 1)) for low, span in zip(lows, spans, strict=True))
    offsets = tuple(low + (span - 1) * (step < 0) for low, span, step in zip(lows, spans, steps, strict=True))
    operands = [TensorType(elem, part), batch.array(elem, whole)]
    batch.add("extracttensor", operands, {"Offsets": offsets, "Steps": steps})


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pads_of_both_signs(mode: str, tmp_path: Path) -> None:
    batch = Batch(len(mode))
    for elem in ALL:
        for _ in range(2):
            rank = int(batch.random.integers(1, 5))
            shape = tuple(2 + size for size in batch.shape(rank, 3))
            pads = tuple(int(pad) for pad in batch.random.integers(-1, 3, 2 * rank))
            padded = tuple(n + a + b for n, a, b in zip(shape, pads[:rank], pads[rank:], strict=True))
            operands = [TensorType(elem, padded), batch.array(elem, shape)]
            batch.add("pad", operands, {"Pads": pads, "Mode": mode, "Value": 1.0})
    batch.check(tmp_path)


def test_a_pad_that_keeps_nothing(tmp_path: Path) -> None:
    batch = Batch(5)
    x = batch.array(ElemKind.FLOAT, (2, 2))
    batch.add("pad", [TensorType(ElemKind.FLOAT, (2, 3)), x], {"Pads": (0, 2, 0, -1), "Mode": "constant", "Value": 7.0})
    x = batch.array(ElemKind.FLOAT, (2, 0))
    batch.add("pad", [TensorType(ElemKind.FLOAT, (2, 1)), x], {"Pads": (0, 1, 0, 0), "Mode": "constant", "Value": 7.0})
    batch.check(tmp_path)


def test_a_pad_of_a_scalar_is_a_copy(tmp_path: Path) -> None:
    batch = Batch(8)
    x = batch.array(ElemKind.FLOAT, ())
    name = batch.add("pad", [TensorType(ElemKind.FLOAT, ()), x], {"Pads": (), "Mode": "constant", "Value": 7.0})
    assert batch.results(tmp_path)[name] == x


def test_gathers_with_negative_indices(tmp_path: Path) -> None:
    batch = Batch(6)
    for elem in ALL:
        shape = batch.shape(int(batch.random.integers(1, 5)), 4)
        axis, rank = int(batch.random.integers(len(shape))), int(batch.random.integers(0, 3))
        size = shape[axis]
        indices = batch.random.integers(-size, size, batch.shape(rank, 3))
        dest = TensorType(elem, shape[:axis] + indices.shape + shape[axis + 1 :])
        kind = batch.choose((np.int32, np.int64))
        batch.add("gather", [dest, batch.array(elem, shape), indices.astype(kind)], {"Axis": axis})
    batch.check(tmp_path)


@pytest.mark.parametrize("index", [3, -4, 2**40, -(2**63)])
def test_an_index_outside_the_axis_is_an_error(index: int, tmp_path: Path) -> None:
    batch = Batch(7)
    indices = np.array([0, index], np.int64)
    batch.add("gather", [TensorType(ElemKind.FLOAT, (2, 2)), batch.array(ElemKind.FLOAT, (3, 2)), indices], {"Axis": 0})
    assert batch.status(tmp_path) == 1


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter(reduction: str, tmp_path: Path) -> None:
    """Some rows are written twice, some not at all."""
    batch = Batch(len(reduction))
    for elem in ALL if reduction == "none" else (kind for kind in ALL if kind is not ElemKind.BOOL):
        shape = (5, *batch.shape(batch.choose((0, 1, 2)), 3))
        places = batch.random.integers(0, 5, 4)
        operands = [TensorType(elem, shape), batch.array(elem, shape), places, batch.array(elem, (4, *shape[1:]))]
        batch.add("scatter", operands, {"Reduction": reduction}, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


@pytest.mark.parametrize("place", [-1, 3])
def test_scatter_refuses_a_wrong_index(place: int, tmp_path: Path) -> None:
    batch = Batch(1)
    x = batch.array(ElemKind.FLOAT, (3,))
    batch.add("scatter", [TensorType(ElemKind.FLOAT, (3,)), x, np.array([place]), x[:1]], {"Reduction": "none"})
    assert batch.status(tmp_path) == 1
