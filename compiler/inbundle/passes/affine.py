"""Arithmetic with constants as x -> factor * x + term, in double precision: what passes fold into weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from inbundle.graph.graph import Constant, Node, Value
from inbundle.graph.types import ElemKind

FOLDED = (ElemKind.FLOAT, ElemKind.FLOAT64)
"""Element kinds whose rounding is fine enough to compute with constants first."""

LARGEST_TERM = 500.0
"""(x - c) * f keeps digits that x * f - c * f loses where c * f is far larger than the result: c * f is to stay below
this, so that the result is right to 1e-4 of 1."""


@dataclass(frozen=True)
class Affine:
    """Element by element; `factor` and `term` broadcast to x. `adds`: there is a term, if only 0."""

    factor: np.ndarray
    term: np.ndarray
    adds: bool

    def then(self, other: Affine) -> Affine:
        """This one first."""
        with np.errstate(all="ignore"):
            term = other.factor * self.term + other.term
            return Affine(other.factor * self.factor, term, self.adds or other.adds)


def affine_of(node: Node) -> Affine | None:
    """What a node does to its `varying_operand`; None where that is not affine with known numbers, or broadcasts."""
    index = varying_operand(node)
    if index is None or node.output.type.elem not in FOLDED or node.output.type != node.input(index).type:
        return None
    if node.kind == "BatchNormalization":
        return _normalization(node)
    if node.kind == "Neg":
        return Affine(np.float64(-1.0), np.float64(0.0), adds=False)
    constant = node.input(1 - index)
    assert isinstance(constant, Constant)
    return _arithmetic(node.kind, index, constant.data.astype(np.float64))


def composed(nodes: Sequence[Node]) -> Affine:
    """What a chain of affine nodes does."""
    parts = [affine_of(node) for node in nodes]
    return reduce(Affine.then, [part for part in parts if part is not None])


def varying_operand(node: Node) -> int | None:
    """The one operand of an arithmetic node that is not a constant."""
    if node.kind in ("Neg", "BatchNormalization"):
        return 0 if all(isinstance(value, Constant) for value in node.inputs[1:]) else None
    if node.kind not in ("Add", "Sub", "Mul", "Div"):
        return None
    varying = [index for index in (0, 1) if not isinstance(node.inputs[index], Constant)]
    return varying[0] if len(varying) == 1 else None


def _arithmetic(kind: str, index: int, number: np.ndarray) -> Affine | None:
    zero, one = np.float64(0.0), np.float64(1.0)
    if kind == "Mul":
        return Affine(number, zero, adds=False)
    if kind == "Div":
        with np.errstate(all="ignore"):
            return Affine(one / number, zero, adds=False) if index == 0 else None
    if kind == "Add":
        return Affine(one, number, adds=True)
    return Affine(one, -number, adds=True) if index == 0 else Affine(-one, number, adds=True)


def _normalization(node: Node) -> Affine:
    ones = (1,) * (node.output.type.rank - 2)
    parameters = [_numbers(node.input(index)).reshape(-1, *ones) for index in range(1, 5)]
    scale, bias, mean, variance = parameters
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + np.float32(node.number("epsilon")))
        return Affine(factor, bias - mean * factor, adds=True)


def _numbers(value: Value) -> np.ndarray:
    assert isinstance(value, Constant)
    return value.data.astype(np.float64)


def per_channel(numbers: np.ndarray, channels: int, rank: int) -> np.ndarray | None:
    """One number for each of `channels` on axis 1 of `rank` dimensions; None where they differ along another axis."""
    shape = (1,) * (rank - numbers.ndim) + numbers.shape
    if any(size != 1 for axis, size in enumerate(shape) if axis != 1):
        return None
    return np.broadcast_to(numbers.reshape(-1), (channels,))


def rounded(numbers: np.ndarray, elem: ElemKind) -> np.ndarray | None:
    """The numbers as constants of an element kind; None where one is no longer finite, or vanishes."""
    with np.errstate(all="ignore"):
        result = numbers.astype(elem.dtype)
    lost = ~np.isfinite(result) | ((result == 0) & (numbers != 0))
    return None if lost.any() else result
