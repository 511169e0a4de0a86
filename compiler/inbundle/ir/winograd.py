"""Winograd convolution: which convolutions it suits, their filters, and what it keeps in memory.

An output tile of m x m pixels of an r x r convolution, m + r - 1 = 6, takes 36 products per input and output channel in
place of (m r)^2: of the input tile and the filter, both transformed by evaluating polynomials at 0, 1, -1, 2, -2 and
infinity (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015).
"""

from __future__ import annotations

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.ir.panels import PANEL, pack_filters, panels

POINTS = 6
PRODUCTS = POINTS * POINTS
_SCALES = (1 / 4, -1 / 6, -1 / 6, 1 / 24, 1 / 24)
_ABSCISSAE = (0.0, 1.0, -1.0, 2.0, -2.0)
_MOST_TILES, _FEWEST_TILES = 24, 3
_SCRATCH_BYTES = 1 << 20
# With fewer channels, of input times output, the tiles of 5 x 5, which overlap by most of their size, take as long to
# transform as they save.
_FEWEST_CHANNELS = {3: 1, 5: 1024}
# From here on the transformed filters, four times as large, take longer to read than a direct convolution to compute.
_MOST_FILTER_BYTES = 16 << 20


def suits(filters: np.ndarray, convolution: Instruction) -> bool:
    """Whether a channels-last float convolution of one group is faster this way."""
    attributes, (count, depth, *kernel) = convolution.attributes, filters.shape
    if kernel not in ([3, 3], [5, 5]) or attributes["Strides"] != (1, 1) or attributes["Dilations"] != (1, 1):
        return False
    is_large = PRODUCTS * count * depth * 4 > _MOST_FILTER_BYTES
    if min(count, depth) < PANEL or count * depth < _FEWEST_CHANNELS[kernel[0]] or is_large:
        return False
    height, width = convolution["Dest"].type.shape[2:]
    step = tile_step(kernel[0])
    products = -(-height // step) * -(-width // step) * PRODUCTS
    return bool(3 * products <= 2 * height * width * kernel[0] * kernel[1])


def tile_step(kernel: int) -> int:
    """Output pixels of a tile along each side."""
    return POINTS + 1 - kernel


def transformed_filters(filters: np.ndarray) -> np.ndarray:
    """[M, C, r, r] -> [36, panels(M), C, PANEL]."""
    size = filters.shape[-1]
    rows = [[scale * point**power for power in range(size)] for scale, point in zip(_SCALES, _ABSCISSAE, strict=True)]
    matrix = np.array([*rows, [0.0] * (size - 1) + [1.0]])
    spread = np.einsum("ai,bj,mcij->abmc", matrix, matrix, filters.astype(np.float64)).astype(np.float32)
    return np.stack([pack_filters(part) for part in spread.reshape(PRODUCTS, *filters.shape[:2])])


def blocks(tiles: int, depth: int, channels: int) -> list[int]:
    """Numbers of tiles to compute together that cut `tiles` into about equal blocks, the fastest first.

    Each block reads all filters: where these are large, a block has as many tiles as stay close to the processor.
    """
    fits = _SCRATCH_BYTES // (4 * floats_per_tile(depth, channels))
    most = min(tiles, max(6, min(_MOST_TILES, fits // 6 * 6)))
    filter_bytes = 4 * PRODUCTS * depth * panels(channels) * PANEL
    fewest = min(most, _FEWEST_TILES) if filter_bytes <= _SCRATCH_BYTES else most
    counts = range(-(-tiles // most), -(-tiles // fewest) + 1)
    return list(dict.fromkeys(-(-tiles // count) for count in counts))


def floats_per_tile(depth: int, channels: int) -> int:
    """What a tile keeps while it is computed: transformed inputs and products."""
    return PRODUCTS * (depth + panels(channels) * PANEL)
