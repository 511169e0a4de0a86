"""Windows of convolutions and pools over 1 to 3 spatial dimensions, as index arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inbundle.ir.function import Instruction


@dataclass(frozen=True)
class Windows:
    """Output positions x taps.

    Attributes:
        index: flat spatial index that a tap sees, 0 where it is outside the image.
        inside: mask of taps inside the image.
        counted: mask of taps inside the image or its padding.
    """

    index: np.ndarray
    inside: np.ndarray
    counted: np.ndarray


def windows(instruction: Instruction) -> Windows:
    """The windows of an instruction that reads Src and has Kernels, Strides, Pads and Dilations."""
    image = instruction["Src"].type.shape[2:]
    output = instruction["Dest"].type.shape[2:]
    kernels, pads = instruction.integers("Kernels"), instruction.integers("Pads")
    strides, dilations = instruction.integers("Strides"), instruction.integers("Dilations")
    index = np.zeros((1, 1), np.int64)
    inside = counted = np.ones((1, 1), bool)
    for axis, size in enumerate(image):
        start = strides[axis] * np.arange(output[axis])[:, None] - pads[axis]
        at = start + dilations[axis] * np.arange(kernels[axis])
        in_image = (at >= 0) & (at < size)
        in_padding = (at >= -pads[axis]) & (at < size + pads[len(image) + axis])
        index = _product(index * size, np.where(in_image, at, 0), np.add)
        inside = _product(inside, in_image, np.logical_and)
        counted = _product(counted, in_padding, np.logical_and)
    return Windows(np.where(inside, index, 0), inside, counted)


def _product(outer: np.ndarray, inner: np.ndarray, combine: np.ufunc) -> np.ndarray:
    """Positions and taps of the dimensions so far, each with those of one more dimension."""
    result: np.ndarray = combine(outer[:, None, :, None], inner[None, :, None, :])
    return result.reshape(outer.shape[0] * inner.shape[0], outer.shape[1] * inner.shape[1])
