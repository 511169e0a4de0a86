"""Binary kinds with broadcasting, in place and not, and conversions between all element kinds."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import FLOATS, INTEGERS, Batch

from elementwise_kinds import BINARY
from inbundle.graph.types import ElemKind, TensorType

NUMBERS = (*FLOATS, *INTEGERS)


def add_binary(batch: Batch, kind: str, elem: ElemKind) -> None:
    shape = batch.shape(int(batch.random.integers(0, 5)), 4)
    full, other = batch.array(elem, shape), batch.array(elem, batch.broadcastable(shape))
    left_is_full = kind == "prelu" or batch.choose((True, False))
    operands = [TensorType(elem, shape), *((full, other) if left_is_full else (other, full))]
    in_place = batch.choose((None, 1 if left_is_full else 2))
    batch.add(kind, operands, in_place=in_place)


# Powers need operands of their own.
KINDS = tuple(kind for kind in BINARY if kind != "pow")


@pytest.mark.parametrize("kinds", [KINDS[::2], KINDS[1::2]])
def test_binary_kinds_agree_with_the_interpreter(kinds: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(len(kinds))
    for kind in kinds:
        for elem in NUMBERS:
            add_binary(batch, kind, elem)
    batch.check(tmp_path)


def test_operands_that_both_repeat(tmp_path: Path) -> None:
    batch = Batch(5)
    elem = ElemKind.FLOAT
    for left, right in (((3, 1), (1, 4)), ((2, 1, 4), (3, 1)), ((1, 1), (2, 3)), ((), (2, 2)), ((5,), ())):
        shape = np.broadcast_shapes(left, right)
        batch.add("add", [TensorType(elem, shape), batch.array(elem, left), batch.array(elem, right)])
    batch.check(tmp_path)


EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
}


def test_integers_wrap_and_division_never_traps(tmp_path: Path) -> None:
    batch = Batch(6)
    wanted = {}
    for elem in INTEGERS:
        low, high = int(np.iinfo(elem.dtype).min), int(np.iinfo(elem.dtype).max)
        ends = [low, high, low + 1, high - 1, 0, 1, 7, *([-1, -7] if low else [])]
        pairs = list(itertools.product(ends, ends))
        left, right = (np.array(side, elem.dtype) for side in zip(*pairs, strict=True))
        for kind, exact in EXACT.items():
            name = batch.add(kind, [TensorType(elem, left.shape), left, right])
            wanted[name] = [(exact(a, b) - low) % (high - low + 1) + low for a, b in pairs]
    results = batch.results(tmp_path)
    assert {name: results[name].tolist() for name in wanted} == wanted


def test_nan_wins_min_and_max(tmp_path: Path) -> None:
    batch = Batch(7)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0])
    for elem in (ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.FLOAT64):
        left, right = (grid.ravel().astype(elem.dtype) for grid in np.meshgrid(special, special))
        for kind in ("min", "max"):
            batch.add(kind, [TensorType(elem, left.shape), left, right])
    batch.check(tmp_path)


def test_powers_agree_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(8)
    for elem in FLOATS:
        for exponent in (elem, ElemKind.INT32, ElemKind.FLOAT):
            base = np.abs(batch.array(elem, (3, 4)))
            batch.add("pow", [TensorType(elem, (3, 4)), base, batch.array(exponent, (4,)) % exponent.dtype.type(4)])
        signed = batch.array(elem, (7,))
        batch.add("pow", [TensorType(elem, (7,)), signed, np.array([-3, -2, -1, 0, 1, 2, 3], np.int64)])
    for elem in (ElemKind.INT32, ElemKind.INT64):
        base = batch.array(elem, (3, 4))
        batch.add("pow", [TensorType(elem, (3, 4)), base, np.array([0, 1, 2, 5], np.uint8)])
        batch.add("pow", [TensorType(elem, (3, 4)), np.abs(base), np.array([0, 1, 2, 0.5], np.float32)])
    batch.check(tmp_path)


def test_negative_integer_powers_truncate(tmp_path: Path) -> None:
    batch = Batch(9)
    base, exponent = np.array([1, -1, -1, 2, -3], np.int64), np.array([-5, -3, -2, -1, -3], np.int64)
    batch.add("pow", [TensorType(ElemKind.INT64, (5,)), base, exponent])
    batch.check(tmp_path)


def test_conversions_agree_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(10)
    for source in ElemKind:
        values = batch.array(source, (13,))
        for dest in ElemKind:
            # A negative number has no one unsigned value.
            unsigned = dest in INTEGERS and dest.dtype.kind == "u" and source.is_float
            batch.add("convertto", [TensorType(dest, (13,)), np.abs(values) if unsigned else values])
    batch.check(tmp_path)


def test_conversions_round_to_nearest_even(tmp_path: Path) -> None:
    batch = Batch(11)
    spread = np.ldexp(batch.random.uniform(1, 2, 4000), batch.random.integers(-30, 20, 4000))
    ties = np.array([2049, 2051, 65504, 65519.99, 65520, 2.0**-24, 2.0**-25, 2.0**-25 * 1.0001, 6.1e-5, 0.0, -0.0])
    special = np.array([np.inf, -np.inf, np.nan, 1e300, 1e-300])
    doubles = np.concatenate([spread, ties, -ties, special])
    batch.add("convertto", [TensorType(ElemKind.FLOAT16, doubles.shape), doubles])
    batch.add("convertto", [TensorType(ElemKind.FLOAT, doubles.shape), doubles])
    for half in (ElemKind.FLOAT16, ElemKind.BFLOAT16):
        with np.errstate(over="ignore"):
            floats = doubles.astype(np.float32)
        batch.add("convertto", [TensorType(half, floats.shape), floats])
        every = np.arange(65536, dtype=np.uint16).view(half.dtype)
        batch.add("convertto", [TensorType(ElemKind.FLOAT, every.shape), every])
    batch.check_bits(tmp_path)


def test_floats_outside_an_integer_kind_saturate(tmp_path: Path) -> None:
    batch = Batch(12)
    floats = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 127.9, -128.9, 255.9, 2.0**31, 2.0**63, 2.0**64, -0.9])
    names = {}
    for dest in INTEGERS:
        names[dest] = batch.add("convertto", [TensorType(dest, floats.shape), floats.astype(np.float32)])
    results = batch.results(tmp_path)
    for dest, name in names.items():
        info = np.iinfo(dest.dtype)
        wanted = [0 if x != x else int(np.trunc(np.clip(np.longdouble(x), info.min, info.max))) for x in floats]
        assert results[name].tolist() == wanted, dest
