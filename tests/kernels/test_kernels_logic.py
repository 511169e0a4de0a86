"""Comparisons, logic, bit operations and choices, on every element kind, with broadcasting and in place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_batch import FLOATS, INTEGERS, Batch

from inbundle.graph.types import ElemKind, TensorType

BOOL = ElemKind.BOOL
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])


def add_binary(
    batch: Batch, kind: str, elem: ElemKind, dest: ElemKind, attributes: dict[str, bool] | None = None
) -> None:
    shape = batch.shape(int(batch.random.integers(0, 5)), 4)
    operands = [batch.array(elem, shape), batch.array(elem, batch.broadcastable(shape))]
    in_place = batch.choose((None, 1)) if dest is elem else None
    batch.add(kind, [TensorType(dest, shape), *operands], attributes, in_place=in_place)


@pytest.mark.parametrize("kind", ["equal", "less", "lessorequal"])
def test_comparisons(kind: str, tmp_path: Path) -> None:
    batch = Batch(len(kind))
    for elem in (*FLOATS, *INTEGERS, *([BOOL] if kind == "equal" else [])):
        add_binary(batch, kind, elem, BOOL)
    for elem in FLOATS:
        left, right = (grid.ravel().astype(elem.dtype) for grid in np.meshgrid(SPECIAL, SPECIAL))
        batch.add(kind, [TensorType(BOOL, left.shape), left, right])
    batch.check(tmp_path)


def test_bits(tmp_path: Path) -> None:
    batch = Batch(1)
    for elem in (BOOL, *INTEGERS):
        for kind in ("and", "or", "xor"):
            add_binary(batch, kind, elem, elem)
        x = batch.array(elem, batch.shape(2))
        batch.add("not", [TensorType(elem, x.shape), x], in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def test_shifts_by_no_bits_to_more_than_all(tmp_path: Path) -> None:
    batch = Batch(2)
    for elem in INTEGERS:
        for left in (False, True):
            bits = 8 * elem.size
            by = np.array([0, 1, bits - 1, bits, 100, *([-1, -128] if elem.dtype.kind == "i" else [])], elem.dtype)
            for number in (np.iinfo(elem.dtype).min, np.iinfo(elem.dtype).max, 5):
                x = np.full(by.shape, number, elem.dtype)
                batch.add("bitshift", [TensorType(elem, by.shape), x, by], {"Left": left})
    batch.check(tmp_path)


def test_what_is_no_finite_number(tmp_path: Path) -> None:
    batch = Batch(3)
    for elem in FLOATS:
        x = SPECIAL.astype(elem.dtype)
        batch.add("isnan", [TensorType(BOOL, x.shape), x])
        for negative, positive in ((True, True), (True, False), (False, True), (False, False)):
            batch.add("isinf", [TensorType(BOOL, x.shape), x], {"Negative": negative, "Positive": positive})
    batch.check(tmp_path)


def test_choices(tmp_path: Path) -> None:
    batch = Batch(4)
    for elem in ElemKind:
        shape = batch.shape(int(batch.random.integers(0, 5)), 4)
        full, small = batch.array(elem, shape), batch.array(elem, batch.broadcastable(shape))
        condition = batch.array(BOOL, batch.broadcastable(shape))
        is_left = batch.choose((True, False))
        operands = [condition, *((full, small) if is_left else (small, full))]
        batch.add("select", [TensorType(elem, shape), *operands], in_place=batch.choose((None, 2 if is_left else 3)))
    every = [batch.array(BOOL, (3, 1, 1)), batch.array(ElemKind.FLOAT, (2, 1)), batch.array(ElemKind.FLOAT, (4,))]
    batch.add("select", [TensorType(ElemKind.FLOAT, (3, 2, 4)), *every])
    batch.check(tmp_path)


def test_a_choice_between_two_steps(tmp_path: Path) -> None:
    """A mask computed on the way is a byte in a register."""
    batch = Batch(5)
    x, type = batch.array(ElemKind.FLOAT, (3, 4)), TensorType(ElemKind.FLOAT, (3, 4))
    mask = type.with_elem(BOOL)
    batch.chain(
        ("less", [mask, x, np.zeros((), np.float32)], {}),
        ("not", [mask, mask], {}),
        ("select", [type, mask, x, np.ones((4,), np.float32)], {}),
    )
    batch.check(tmp_path)
