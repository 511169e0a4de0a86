"""Element-wise functions of one operand."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron import arithmetic, transcendental
from inbundle.nets.neuron.operation import Operation
from inbundle.nets.neuron.translation import Translation, translates

_OPERATIONS: dict[str, tuple[Operation, tuple[str, ...]]] = {
    "abs": (arithmetic.ABS, ()),
    "neg": (arithmetic.NEG, ()),
    "exp": (transcendental.EXP, ()),
    "log": (transcendental.LOG, ()),
    "sqrt": (transcendental.SQRT, ()),
    "erf": (transcendental.ERF, ()),
    "tanh": (transcendental.TANH, ()),
    "sigmoid": (transcendental.SIGMOID, ()),
    "relu": (arithmetic.RELU, ()),
    "leakyrelu": (arithmetic.LEAKY_RELU, ("Alpha",)),
    "elu": (transcendental.ELU, ("Alpha",)),
    "hardsigmoid": (arithmetic.HARD_SIGMOID, ("Alpha", "Beta")),
    "hardswish": (arithmetic.HARD_SWISH, ()),
}
"""kind -> operation, and the instruction's attributes that it takes."""


@translates(*_OPERATIONS)
def _element_wise(translation: Translation, instruction: Instruction) -> np.ndarray:
    operation, names = _OPERATIONS[instruction.kind]
    attributes = tuple(instruction.number(name) for name in names)
    return _apply(translation, instruction, operation, attributes)


@translates("gelu")
def _gelu(translation: Translation, instruction: Instruction) -> np.ndarray:
    by_tanh = instruction.attributes["Approximate"] == "tanh"
    return _apply(translation, instruction, transcendental.GELU_TANH if by_tanh else transcendental.GELU, ())


@translates("clip")
def _clip(translation: Translation, instruction: Instruction) -> np.ndarray:
    """Max wins over Min. An infinite bound has no part in it: it would have no literal on the reference."""
    low, high = instruction.number("Min"), instruction.number("Max")
    circuit, source = translation.circuit, translation.read(instruction, "Src")
    if math.isinf(low) and math.isinf(high):
        return source
    if math.isinf(low):
        return circuit.binary(arithmetic.MIN, source, np.full(source.shape, circuit.literal(high)))
    if math.isinf(high):
        return circuit.binary(arithmetic.MAX, source, np.full(source.shape, circuit.literal(low)))
    return circuit.unary(arithmetic.CLIP, source, (min(low, high), high))


def _apply(
    translation: Translation, instruction: Instruction, operation: Operation, attributes: tuple[float, ...]
) -> np.ndarray:
    source = translation.read(instruction, "Src")
    return translation.circuit.unary(translation.operation(instruction, operation), source, attributes)
