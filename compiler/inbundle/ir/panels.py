"""Constants in the order in which vector kernels read them.

Output channels (columns) lie in panels of PANEL side by side, so that one load gets the weights of as many channels;
the last panel is filled up with zeros. The layout is the same for every vector width up to PANEL floats.
"""

from __future__ import annotations

import numpy as np

PANEL = 16


def panels(count: int) -> int:
    """Panels that `count` channels take."""
    return -(-count // PANEL)


def pack_filters(filters: np.ndarray) -> np.ndarray:
    """[M, C, kernel...] -> [panels(M), kernel..., C, PANEL]."""
    channels_last = np.moveaxis(_filled(filters), 1, -1)
    split = channels_last.reshape(-1, PANEL, *channels_last.shape[1:])
    return np.ascontiguousarray(np.moveaxis(split, 1, -1))


def pack_groups(filters: np.ndarray, group: int) -> np.ndarray:
    """[M, C, kernel...] of `group` groups -> [group, panels(M / group), kernel..., C, PANEL]."""
    return np.stack([pack_filters(part) for part in np.split(filters, group)])


def pack_planes(filters: np.ndarray) -> np.ndarray:
    """[M, C, kernel...] -> [panels(M), C, kernel..., PANEL]."""
    filled = _filled(filters)
    return np.ascontiguousarray(np.moveaxis(filled.reshape(-1, PANEL, *filled.shape[1:]), 1, -1))


def pack_columns(matrix: np.ndarray) -> np.ndarray:
    """[depth, columns] -> [panels(columns), depth, PANEL]."""
    return pack_filters(np.ascontiguousarray(matrix.T)).reshape(panels(matrix.shape[1]), matrix.shape[0], PANEL)


def pack_bias(bias: np.ndarray | None, count: int) -> np.ndarray:
    """[count], or zeros where there is none -> [panels(count) * PANEL]."""
    packed = np.zeros(panels(count) * PANEL, np.float32)
    if bias is not None:
        packed[:count] = bias
    return packed


def _filled(array: np.ndarray) -> np.ndarray:
    """`array` with zeros behind it, to whole panels along the first axis."""
    count = panels(array.shape[0]) * PANEL
    return np.concatenate([array, np.zeros((count - array.shape[0], *array.shape[1:]), array.dtype)])
