"""Data movement: ids change places, nothing is computed."""

from __future__ import annotations

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.translation import Translation, refuse, translates


@translates("copy")
def _copy(translation: Translation, instruction: Instruction) -> np.ndarray:
    return translation.read(instruction, "Src").reshape(instruction["Dest"].type.shape)


@translates("splat")
def _splat(translation: Translation, instruction: Instruction) -> np.ndarray:
    value = translation.circuit.literal(instruction.number("Value"))
    return np.full(instruction["Dest"].type.shape, value)


@translates("broadcast")
def _broadcast(translation: Translation, instruction: Instruction) -> np.ndarray:
    return np.broadcast_to(translation.read(instruction, "Src"), instruction["Dest"].type.shape)


@translates("transpose")
def _transpose(translation: Translation, instruction: Instruction) -> np.ndarray:
    return np.transpose(translation.read(instruction, "Src"), instruction.integers("Shuffle"))


@translates("inserttensor")
def _inserttensor(translation: Translation, instruction: Instruction) -> np.ndarray:
    source = translation.read(instruction, "Src")
    dest = np.array(translation.read(instruction, "Dest"))
    offsets = instruction.integers("Offsets")
    dest[tuple(slice(start, start + size) for start, size in zip(offsets, source.shape, strict=True))] = source
    return dest


@translates("extracttensor")
def _extracttensor(translation: Translation, instruction: Instruction) -> np.ndarray:
    shape = instruction["Dest"].type.shape
    offsets, steps = instruction.integers("Offsets"), instruction.integers("Steps")
    chosen = [o + s * np.arange(size) for o, s, size in zip(offsets, steps, shape, strict=True)]
    return translation.read(instruction, "Src")[np.ix_(*chosen)] if chosen else translation.read(instruction, "Src")


@translates("pad")
def _pad(translation: Translation, instruction: Instruction) -> np.ndarray:
    source = translation.read(instruction, "Src")
    pads = instruction.integers("Pads")
    begins, ends = pads[: source.ndim], pads[source.ndim :]
    kept = tuple(
        slice(max(0, -begin), size - max(0, -end)) for begin, end, size in zip(begins, ends, source.shape, strict=True)
    )
    widths = [(max(0, begin), max(0, end)) for begin, end in zip(begins, ends, strict=True)]
    mode = instruction.attributes["Mode"]
    if mode == "constant":
        value = translation.circuit.literal(instruction.number("Value"))
        return np.pad(source[kept], widths, constant_values=value)
    padded: np.ndarray = np.pad(source[kept], widths, mode=str(mode))  # type: ignore[call-overload]
    return padded


@translates("gather")
def _gather(translation: Translation, instruction: Instruction) -> np.ndarray:
    indices = translation.read_numbers(instruction, "Indices")
    if indices is None:
        raise refuse(instruction, "its indices are not constant, so which element is meant is not known")
    axis = instruction.integer("Axis")
    taken: np.ndarray = np.take(translation.read(instruction, "Src"), indices, axis=axis)
    return taken
