"""Unary kinds, in place and not, on every element kind that they take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_batch import FLOATS, INTEGERS, Batch

from elementwise_kinds import POSITIVE_ONLY, UNARY, cases
from inbundle.graph.types import ElemKind, TensorType

SIGNED = tuple(kind for kind in INTEGERS if kind.dtype.kind == "i")
# All but those that take integers too.
FLOAT_KINDS = tuple(kind for kind in UNARY if kind not in ("abs", "neg", "relu", "clip", "sign"))


@pytest.mark.parametrize("kinds", [FLOAT_KINDS[::2], FLOAT_KINDS[1::2]])
def test_functions_of_floats_agree_with_the_interpreter(kinds: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(len(kinds))
    for kind, attributes in cases(kinds):
        for elem in FLOATS:
            shape = batch.shape(batch.choose((0, 1, 3)))
            x = batch.array(elem, shape)
            x = np.abs(x) if kind in POSITIVE_ONLY else x
            batch.add(kind, [TensorType(elem, shape), x], attributes, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def test_abs_sign_neg_and_relu_take_integers_too(tmp_path: Path) -> None:
    batch = Batch(2)
    for kind in ("abs", "sign", "neg", "relu"):
        for elem in (*FLOATS, *(INTEGERS if kind in ("abs", "sign") else SIGNED)):
            ends = [-np.inf, np.inf, np.nan] if elem.is_float else [np.iinfo(elem.dtype).min, np.iinfo(elem.dtype).max]
            x = np.concatenate([batch.array(elem, (9,)), np.array(ends, elem.dtype)])
            batch.add(kind, [TensorType(elem, x.shape), x], in_place=batch.choose((None, 1)))
    batch.check(tmp_path)


def test_the_magnitude_of_minus_zero_is_plus_zero(tmp_path: Path) -> None:
    batch = Batch(3)
    batch.add("abs", [TensorType(ElemKind.FLOAT, (2,)), np.array([-0.0, 0.0], np.float32)])
    batch.check_bits(tmp_path)


def test_clip_with_bounds_inside_at_and_beyond_the_kind(tmp_path: Path) -> None:
    batch = Batch(4)
    for elem in (*FLOATS, *INTEGERS):
        low, high = (-np.inf, np.inf) if elem.is_float else (np.iinfo(elem.dtype).min, np.iinfo(elem.dtype).max)
        for bounds in ((1, 4), (low, 3), (2, high), (low, high), (5, 2)):
            typed = [float(bound) if elem.is_float else int(bound) for bound in bounds]
            x = batch.array(elem, (11,))
            batch.add("clip", [TensorType(elem, (11,)), x], {"Min": typed[0], "Max": typed[1]})
    batch.check(tmp_path)


def test_nan_and_infinities_pass_through(tmp_path: Path) -> None:
    batch = Batch(5)
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38, -3e38], np.float32)
    for kind in FLOAT_KINDS:
        if kind not in ("gelu", "hardswish"):  # infinity times zero
            batch.add(kind, [TensorType(ElemKind.FLOAT, x.shape), x], cases([kind])[0][1])
    batch.add("clip", [TensorType(ElemKind.FLOAT, x.shape), x], {"Min": -1.0, "Max": 6.0})
    batch.check(tmp_path)
