"""Reductions: a balanced fan-in over the reduced axes."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.arithmetic import ADD, MAX, MIN, MUL
from inbundle.nets.neuron.circuit import Circuit
from inbundle.nets.neuron.operation import Operation
from inbundle.nets.neuron.translation import Translation, translates


def scaled(circuit: Circuit, operand: np.ndarray, factor: float) -> np.ndarray:
    """The operand times a literal."""
    return circuit.binary(MUL, operand, np.full(operand.shape, circuit.literal(factor)))


def _groups(translation: Translation, instruction: Instruction) -> np.ndarray:
    """Dest's elements times the reduced ones."""
    source = translation.read(instruction, "Src")
    axes = instruction.integers("Axes")
    kept = [axis for axis in range(source.ndim) if axis not in axes]
    reduced = math.prod(source.shape[axis] for axis in axes)
    return np.reshape(np.transpose(source, (*kept, *axes)), (instruction["Dest"].type.elements, reduced))


def _reduce(translation: Translation, instruction: Instruction, operation: Operation, empty: float) -> np.ndarray:
    return translation.circuit.fold(operation, _groups(translation, instruction), empty)


@translates("reducesum")
def _sum(translation: Translation, instruction: Instruction) -> np.ndarray:
    return _reduce(translation, instruction, ADD, 0.0)


@translates("reducemax")
def _max(translation: Translation, instruction: Instruction) -> np.ndarray:
    return _reduce(translation, instruction, MAX, -math.inf)


@translates("reducemin")
def _min(translation: Translation, instruction: Instruction) -> np.ndarray:
    return _reduce(translation, instruction, MIN, math.inf)


@translates("reducemean")
def _mean(translation: Translation, instruction: Instruction) -> np.ndarray:
    groups = _groups(translation, instruction)
    total = translation.circuit.fold(ADD, groups, 0.0)
    return scaled(translation.circuit, total, 1.0 / groups.shape[-1] if groups.shape[-1] else math.nan)
