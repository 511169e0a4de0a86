"""Matrix products: per output element the products of a row and a column, and the bias, in one balanced fan-in."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.arithmetic import ADD, MUL
from inbundle.nets.neuron.circuit import Circuit
from inbundle.nets.neuron.reduction import scaled
from inbundle.nets.neuron.translation import Translation, translates


def sums_of_products(
    circuit: Circuit, left: np.ndarray, right: np.ndarray, bias: np.ndarray | None, mask: np.ndarray | None = None
) -> np.ndarray:
    """Sums of left * right over the axes behind the first two, where `mask` holds, plus the bias as the last term.

    Args:
        left, right, mask: rows x columns x terms (any number of axes).
        bias: rows x columns.

    Returns:
        ids, rows x columns.
    """
    shape, terms = left.shape[:2], math.prod(left.shape[2:])
    is_term = np.ones((*shape, terms + (bias is not None)), bool)
    if mask is not None:
        is_term[..., :terms] = mask.reshape(*shape, terms)
    chosen = slice(None) if mask is None else mask
    products = circuit.binary(MUL, left[chosen].ravel(), right[chosen].ravel())
    leaves = products
    if bias is not None:
        leaves = np.empty(np.count_nonzero(is_term), np.int64)
        is_bias = np.zeros(is_term.shape, bool)
        is_bias[..., terms] = True
        is_bias = is_bias[is_term]
        leaves[is_bias], leaves[~is_bias] = bias.ravel(), products
    return circuit.fan_in(ADD, leaves, is_term.sum(axis=2).ravel(), 0.0).reshape(shape)


def _matrix_product(circuit: Circuit, left: np.ndarray, right: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """left (M x K) times right (K x N), plus bias (M x N)."""
    shape = (left.shape[0], right.shape[1], left.shape[1])
    return sums_of_products(circuit, np.broadcast_to(left[:, None], shape), np.broadcast_to(right.T[None], shape), bias)


@translates("fullyconnected")
def _fullyconnected(translation: Translation, instruction: Instruction) -> np.ndarray:
    circuit = translation.circuit
    left, right = translation.read(instruction, "Src"), translation.read(instruction, "Weights")
    left = left.T if instruction.attributes["TransA"] else left
    right = right.T if instruction.attributes["TransB"] else right
    alpha, beta = instruction.number("Alpha"), instruction.number("Beta")
    bias = _bias(translation, instruction, beta)
    if alpha == 1.0:
        return _matrix_product(circuit, left, right, bias)
    if (right < 0).all():
        return _matrix_product(circuit, left, scaled(circuit, right, alpha), bias)
    if (left < 0).all():
        return _matrix_product(circuit, scaled(circuit, left, alpha), right, bias)
    product = scaled(circuit, _matrix_product(circuit, left, right, None), alpha)
    return product if bias is None else circuit.binary(ADD, product, bias)


def _bias(translation: Translation, instruction: Instruction, beta: float) -> np.ndarray | None:
    """Beta times the bias, in Dest's shape."""
    if instruction.get("Bias") is None:
        return None
    bias = translation.read(instruction, "Bias")
    if beta != 1.0:
        bias = scaled(translation.circuit, bias, beta)
    return np.broadcast_to(bias, instruction["Dest"].type.shape)


@translates("matmul")
def _matmul(translation: Translation, instruction: Instruction) -> np.ndarray:
    *leading, rows, columns = instruction["Dest"].type.shape
    left, right = translation.read(instruction, "LHS"), translation.read(instruction, "RHS")
    left = np.broadcast_to(left, (*leading, *left.shape[-2:]))
    right = np.broadcast_to(right, (*leading, *right.shape[-2:]))
    result = np.empty((*leading, rows, columns), np.int64)
    for index in np.ndindex(*leading):
        result[index] = _matrix_product(translation.circuit, left[index], right[index], None)
    return result
