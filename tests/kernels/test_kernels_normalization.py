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
