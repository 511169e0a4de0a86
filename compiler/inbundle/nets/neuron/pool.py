"""Pools: a balanced fan-in over each window; taps outside the image vanish."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.arithmetic import ADD, MAX, MUL
from inbundle.nets.neuron.operation import Operation
from inbundle.nets.neuron.translation import Translation, refuse, translates
from inbundle.nets.neuron.windows import Windows, windows


@translates("maxpool")
def _maxpool(translation: Translation, instruction: Instruction) -> np.ndarray:
    if instruction.get("Argmax") is not None:
        raise refuse(instruction, "its Indices output has no neuron translation")
    return _fan_in(translation, instruction, windows(instruction), MAX, -math.inf)


@translates("avgpool")
def _avgpool(translation: Translation, instruction: Instruction) -> np.ndarray:
    seen = windows(instruction)
    total = _fan_in(translation, instruction, seen, ADD, 0.0)
    counted = seen.counted if instruction.attributes["CountIncludePads"] else seen.inside
    factors = translation.circuit.literals(1.0 / np.maximum(counted.sum(axis=1), 1))
    channels = total.size // factors.size
    return translation.circuit.binary(MUL, total, np.tile(factors, channels))


def _fan_in(
    translation: Translation, instruction: Instruction, seen: Windows, operation: Operation, empty: float
) -> np.ndarray:
    """Flat, in the order of Dest."""
    source = translation.read(instruction, "Src")
    channels = source.shape[0] * source.shape[1]
    taps = source.reshape(channels, math.prod(source.shape[2:]))[:, seen.index]
    leaves = taps[np.broadcast_to(seen.inside, taps.shape)]
    return translation.circuit.fan_in(operation, leaves, np.tile(seen.inside.sum(axis=1), channels), empty)
