"""Softmax, its logarithm, batch and layer normalisation."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.arithmetic import ADD, DIV, MAX, MUL
from inbundle.nets.neuron.circuit import Circuit
from inbundle.nets.neuron.elementwise import negated
from inbundle.nets.neuron.transcendental import EXP, LOG, SQRT
from inbundle.nets.neuron.translation import Translation, refuse, translates


def _shifted(translation: Translation, instruction: Instruction) -> np.ndarray:
    """Src minus its maximum along the axis, which becomes the last one."""
    lines = np.moveaxis(translation.read(instruction, "Src"), instruction.integer("Axis"), -1)
    largest = translation.circuit.fold(MAX, lines, -math.inf)
    return _plus_each(translation, lines, negated(translation.circuit, largest))


def _plus_each(translation: Translation, lines: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """Adds one term to all elements of each line."""
    return translation.circuit.binary(ADD, lines, np.broadcast_to(terms[..., None], lines.shape))


@translates("softmax")
def _softmax(translation: Translation, instruction: Instruction) -> np.ndarray:
    circuit = translation.circuit
    powers = circuit.unary(translation.operation(instruction, EXP), _shifted(translation, instruction))
    sums = np.broadcast_to(circuit.fold(ADD, powers, 0.0)[..., None], powers.shape)
    return np.moveaxis(circuit.binary(DIV, powers, sums), -1, instruction.integer("Axis"))


@translates("logsoftmax")
def _logsoftmax(translation: Translation, instruction: Instruction) -> np.ndarray:
    circuit = translation.circuit
    shifted = _shifted(translation, instruction)
    powers = circuit.unary(translation.operation(instruction, EXP), shifted)
    logarithms = circuit.unary(LOG, circuit.fold(ADD, powers, 0.0))
    result = _plus_each(translation, shifted, negated(circuit, logarithms))
    return np.moveaxis(result, -1, instruction.integer("Axis"))


@translates("batchnormalization")
def _batchnormalization(translation: Translation, instruction: Instruction) -> np.ndarray:
    """One factor and one term per channel, folded in float32."""
    circuit, source = translation.circuit, translation.read(instruction, "Src")
    scale, bias, mean, variance = (_parameter(translation, instruction, n) for n in ("Scale", "Bias", "Mean", "Var"))
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + np.float32(instruction.number("Epsilon")))
        term = bias - mean * factor
    channels = (-1, *[1] * (source.ndim - 2))
    factors, terms = (circuit.literals(v.reshape(channels)) for v in (factor, term))
    product = circuit.binary(MUL, source, np.broadcast_to(factors, source.shape))
    return circuit.binary(ADD, product, np.broadcast_to(terms, source.shape))


def _parameter(translation: Translation, instruction: Instruction, operand: str) -> np.ndarray:
    numbers = translation.read_numbers(instruction, operand)
    if numbers is None:
        raise refuse(instruction, f"its {operand} is not constant")
    return numbers.astype(np.float32)


@translates("layernormalization")
def _layernormalization(translation: Translation, instruction: Instruction) -> np.ndarray:
    circuit, source = translation.circuit, translation.read(instruction, "Src")
    root = translation.operation(instruction, SQRT)
    rows = source.reshape(math.prod(source.shape[: instruction.integer("Axis")]), -1)
    centred = _plus_each(translation, rows, negated(circuit, _mean(circuit, rows)))
    variance = _mean(circuit, circuit.binary(MUL, centred, centred))
    epsilon = np.full(variance.shape, circuit.literal(instruction.number("Epsilon")))
    deviation = circuit.unary(root, circuit.binary(ADD, variance, epsilon))
    normal = circuit.binary(DIV, centred, np.broadcast_to(deviation[:, None], rows.shape)).reshape(source.shape)
    for operation, name in ((MUL, "Scale"), (ADD, "Bias")):
        if instruction.get(name) is not None:
            normal = circuit.binary(
                operation, normal, np.broadcast_to(translation.read(instruction, name), source.shape)
            )
    return normal


def _mean(circuit: Circuit, rows: np.ndarray) -> np.ndarray:
    sums = circuit.fold(ADD, rows, 0.0)
    return circuit.binary(MUL, sums, np.full(sums.shape, circuit.literal(1 / rows.shape[1])))
