"""Matrix products: Gemm with every form of C, N-D MatMul with broadcast stacks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kernel_batch import FLOATS, Batch

from inbundle.graph.types import ElemKind, TensorType

WIDE_INTEGERS = (ElemKind.INT32, ElemKind.INT64, ElemKind.UINT32, ElemKind.UINT64)


def add_gemm(batch: Batch, kind: ElemKind, *, alpha: float, beta: float) -> None:
    rows, columns, depth = batch.shape(3, 7)
    trans_a, trans_b = batch.choose((False, True)), batch.choose((False, True))
    bias_shape = batch.choose((None, (), (1,), (columns,), (1, columns), (rows, 1), (rows, columns)))
    batch.add(
        "fullyconnected",
        [
            TensorType(kind, (rows, columns)),
            batch.array(kind, (depth, rows) if trans_a else (rows, depth)),
            batch.array(kind, (columns, depth) if trans_b else (depth, columns)),
            None if bias_shape is None else batch.array(kind, bias_shape),
        ],
        {"Alpha": alpha, "Beta": beta, "TransA": trans_a, "TransB": trans_b},
    )


def test_gemm_agrees_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(1)
    for _ in range(30):
        alpha, beta = batch.choose((1.0, 0.5, 0.1)), batch.choose((1.0, 2.0, -0.3))
        add_gemm(batch, batch.choose(FLOATS), alpha=alpha, beta=beta)
    for _ in range(10):
        add_gemm(batch, batch.choose(WIDE_INTEGERS), alpha=1.0, beta=1.0)
    batch.check(tmp_path)


def test_integer_gemm_scales_in_double_and_truncates(tmp_path: Path) -> None:
    batch = Batch(2)
    a, b, c = (np.array(rows, np.int32) for rows in ([[1, 2], [-3, 5]], [[1, 0], [3, 1]], [[1, -2]]))
    attributes = {"Alpha": 1.0, "Beta": 3.0, "TransA": False, "TransB": False}
    batch.add("fullyconnected", [TensorType(ElemKind.INT32, (2, 2)), a, b, c], attributes)
    batch.add("fullyconnected", [TensorType(ElemKind.INT32, (2, 2)), a, b], {**attributes, "Alpha": 0.5})
    batch.check(tmp_path)


def test_matmul_agrees_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(3)
    for _ in range(30):
        kind = batch.choose((*FLOATS, *WIDE_INTEGERS))
        stack = batch.shape(batch.choose((0, 1, 2, 3)), 3)
        left, right = stack, batch.broadcastable(stack)
        if batch.choose((True, False)):
            left, right = right, left
        rows, depth, columns = batch.shape(3, 6)
        batch.add(
            "matmul",
            [
                TensorType(kind, (*stack, rows, columns)),
                batch.array(kind, (*left, rows, depth)),
                batch.array(kind, (*right, depth, columns)),
            ],
        )
    batch.check(tmp_path)


def test_a_product_over_nothing_is_the_bias(tmp_path: Path) -> None:
    batch = Batch(4)
    attributes = {"Alpha": 1.0, "Beta": 1.0, "TransA": False, "TransB": False}
    empty, bias = np.zeros((2, 0), np.float32), batch.array(ElemKind.FLOAT, (3,))
    batch.add("fullyconnected", [TensorType(ElemKind.FLOAT, (2, 3)), empty, empty.reshape(0, 3), bias], attributes)
    batch.add("matmul", [TensorType(ElemKind.FLOAT, (2, 3)), empty, empty.reshape(0, 3)])
    batch.check(tmp_path)
