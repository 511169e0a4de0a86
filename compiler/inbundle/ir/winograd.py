"""Winograd convolution: which convolutions it suits, their filters, and what it keeps in memory.

An output tile of m x m pixels of an r x r convolution, m + r - 1 = n, takes n x n products per input and output channel
in place of (m r)^2: of the input tile and the filter, both transformed by evaluating polynomials at n points: 0, 1, -1,
infinity or, of n = 6, 0, 1, -1, 2, -2, infinity (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
2015).
"""

from __future__ import annotations

import numpy as np

from inbundle.ir.function import Instruction
from inbundle.ir.panels import PANEL, pack_filters, panels

_SIX = ((0.0, 1 / 4), (1.0, -1 / 6), (-1.0, -1 / 6), (2.0, 1 / 24), (-2.0, 1 / 24))
_FOUR = ((0.0, 1.0), (1.0, 1 / 2), (-1.0, 1 / 2))
_FINITE = {6: _SIX, 4: _FOUR}
"""Number of points -> those but infinity, each with the factor of filters there."""
_MOST_TILES, _FEWEST_TILES = 24, 3
_FAR_SCRATCH, _MOST_FAR_TILES = 2 << 20, 60
# With fewer channels, of input times output, the tiles of 5 x 5, which overlap by most of their size, may take as long
# to transform as they save. From 256 to 1,000 pairs they are 1.3 to 1.5 times as fast with AVX2, as fast with AVX-512.
_FEWEST_CHANNELS = {3: 1, 5: 512}
# What reading filters costs, in multiply-adds per byte, where they are too large to stay close to the processor: what a
# core computes in a second over what it reads from memory.
_NEAR_BYTES = 1 << 20
_PRODUCTS_PER_BYTE = 10


def points_for(filters: np.ndarray, convolution: Instruction) -> int:
    """Points along each side with which a channels-last float convolution of one group is fastest, 0: directly."""
    attributes, (count, depth, *kernel) = convolution.attributes, filters.shape
    if kernel not in ([3, 3], [5, 5]) or attributes["Strides"] != (1, 1) or attributes["Dilations"] != (1, 1):
        return 0
    if min(count, depth) < PANEL or count * depth < _FEWEST_CHANNELS[kernel[0]]:
        return 0
    pairs, (height, width) = count * depth, convolution["Dest"].type.shape[2:]
    direct = height * width * kernel[0] ** 2
    costs = {0: _cost(direct, kernel[0] ** 2, pairs)}
    for points in (6, 4) if kernel[0] == 3 else (6,):
        step = tile_step(kernel[0], points)
        products = -(-height // step) * -(-width // step) * points**2
        if 3 * products <= 2 * direct:
            costs[points] = _cost(products, points**2, pairs)
    return min(costs, key=lambda points: costs[points])


def _cost(products: int, filters: int, pairs: int) -> int:
    """Of a convolution with so many products and elements of filters per pair of channels, in multiply-adds."""
    return products * pairs + max(0, 4 * filters * pairs - _NEAR_BYTES) * _PRODUCTS_PER_BYTE


def tile_step(kernel: int, points: int) -> int:
    """Output pixels of a tile along each side."""
    return points + 1 - kernel


def transformed_filters(filters: np.ndarray, points: int) -> np.ndarray:
    """[M, C, r, r] -> [points^2, panels(M), C, PANEL]."""
    size = filters.shape[-1]
    rows = [[scale * point**power for power in range(size)] for point, scale in _FINITE[points]]
    matrix = np.array([*rows, [0.0] * (size - 1) + [1.0]])
    spread = np.einsum("ai,bj,mcij->abmc", matrix, matrix, filters.astype(np.float64)).astype(np.float32)
    return np.stack([pack_filters(part) for part in spread.reshape(points**2, *filters.shape[:2])])


def blocks(tiles: int, points: int, depth: int, channels: int) -> list[int]:
    """Numbers of tiles to compute together that cut `tiles` into about equal blocks, the fastest first.

    Each block reads all filters: where these are large, a block has as many tiles as stay close to the processor.
    """
    is_near = 4 * points**2 * depth * panels(channels) * PANEL <= _NEAR_BYTES
    scratch, most = (_NEAR_BYTES, _MOST_TILES) if is_near else (_FAR_SCRATCH, _MOST_FAR_TILES)
    fits = scratch // (4 * floats_per_tile(points, depth, channels))
    most = min(tiles, max(6, min(most, fits // 6 * 6)))
    fewest = min(most, _FEWEST_TILES) if is_near else most
    counts = range(-(-tiles // most), -(-tiles // fewest) + 1)
    return list(dict.fromkeys(-(-tiles // count) for count in counts))


def floats_per_tile(points: int, depth: int, channels: int) -> int:
    """What a tile keeps while it is computed: transformed inputs and products."""
    return points**2 * (depth + panels(channels) * PANEL)
