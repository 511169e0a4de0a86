"""Softmax, LogSoftmax, batch normalisation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_batch import FLOATS, Batch

from inbundle.graph.types import ElemKind, TensorType


@pytest.mark.parametrize("kind", ["softmax", "logsoftmax"])
def test_softmax_along_every_axis(kind: str, tmp_path: Path) -> None:
    batch = Batch(len(kind))
    for elem in FLOATS:
        for rank in (1, 2, 3, 4):
            shape, axis = batch.shape(rank), int(batch.random.integers(rank))
            attributes = {"Axis": axis}
            x = batch.array(elem, shape)
            batch.add(kind, [TensorType(elem, shape), x], attributes, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def test_large_values_do_not_overflow(tmp_path: Path) -> None:
    batch = Batch(2)
    x = np.array([[1e4, 1e4 - 1, -1e4], [-1e38, 0, -np.inf], [np.nan, 1, 2]], np.float32)
    for kind in ("softmax", "logsoftmax"):
        batch.add(kind, [TensorType(ElemKind.FLOAT, x.shape), x], {"Axis": 1})
    batch.check(tmp_path)


def test_batch_normalisation_with_parameters_of_its_own_kind(tmp_path: Path) -> None:
    batch = Batch(3)
    for elem in FLOATS:
        for parameters in (elem, ElemKind.FLOAT):
            shape = batch.shape(batch.choose((2, 3, 4)), 4)
            x = batch.array(elem, shape)
            scale, bias, mean, var = (batch.array(parameters, shape[1:2]) for _ in range(4))
            operands = [TensorType(elem, shape), x, scale, bias, mean, np.abs(var)]
            batch.add("batchnormalization", operands, {"Epsilon": 1e-3}, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def add_layer(batch: Batch, elem: ElemKind, axis: int, scale: tuple[int, ...], bias: tuple[int, ...] | None) -> None:
    shape = (2, 3, 4, 5)
    parameters = [None if size is None else batch.array(elem, size) for size in (scale, bias)]
    operands = [TensorType(elem, shape), batch.array(elem, shape) + elem.dtype.type(3), *parameters]
    batch.add("layernormalization", operands, {"Axis": axis, "Epsilon": 1e-3}, in_place=batch.choose((None, 1)))


def test_layer_normalisation_with_parameters_that_broadcast(tmp_path: Path) -> None:
    """Per element of a row (layers), per row (instances), in between (groups), and any other way."""
    batch = Batch(4)
    for elem in FLOATS:
        for axis, scale, bias in (
            (3, (5,), (5,)),
            (2, (4, 5), None),
            (2, (3, 1, 1), (3, 1, 1)),
            (1, (3, 1, 1), (3, 1, 1)),
            (2, (2, 1, 4, 1), (5,)),
            (0, (), (3, 4, 5)),
        ):
            add_layer(batch, elem, axis, scale, bias)
    batch.check(tmp_path)


def test_layer_normalisation_far_from_zero(tmp_path: Path) -> None:
    """The deviation is a thousandth of the mean; of equal elements the result is the bias."""
    batch = Batch(5)
    elem, shape = ElemKind.FLOAT, (2, 3000)
    x = np.stack([1024 + batch.random.standard_normal(3000), np.full(3000, 0.1)]).astype(np.float32)
    operands = [TensorType(elem, shape), x, np.ones((), np.float32), np.zeros((), np.float32)]
    batch.add("layernormalization", operands, {"Axis": 1, "Epsilon": 1e-5})
    batch.check(tmp_path, rounding=1e-4)
