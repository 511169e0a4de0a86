"""Convolution: per output element the products of one window, and the bias, in one balanced fan-in."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.nets.neuron.linear import sums_of_products
from inbundle.nets.neuron.translation import Translation, translates
from inbundle.nets.neuron.windows import windows


@translates("convolution")
def _convolution(translation: Translation, instruction: Instruction) -> np.ndarray:
    """Image by image and group by group, so that the products of one are in memory at a time."""
    source, filters = translation.read(instruction, "Src"), translation.read(instruction, "Filter")
    bias = translation.read(instruction, "Bias") if instruction.get("Bias") else None
    images, features, *output = instruction["Dest"].type.shape
    groups = instruction.integer("Group")
    per_group, depth = features // groups, filters.shape[1]
    seen = windows(instruction)
    result = np.empty((images, features, math.prod(output)), np.int64)
    source = source.reshape(images, source.shape[1], math.prod(source.shape[2:]))
    filters = filters.reshape(features, depth, math.prod(filters.shape[2:]))
    for image, group in np.ndindex(images, groups):
        chosen = slice(group * per_group, (group + 1) * per_group)
        taps = source[image, group * depth : (group + 1) * depth][:, seen.index]  # depth x positions x taps
        shape = (per_group, seen.index.shape[0], depth, seen.index.shape[1])
        result[image, chosen] = sums_of_products(
            translation.circuit,
            np.broadcast_to(taps.transpose(1, 0, 2), shape),
            np.broadcast_to(filters[chosen, None], shape),
            None if bias is None else np.broadcast_to(bias[chosen, None], shape[:2]),
            np.broadcast_to(seen.inside[:, None], shape),
        )
    return result
