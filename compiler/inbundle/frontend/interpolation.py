"""Where an image that is resized takes its elements from, along one axis: numbers in, arrays out.

Coordinates count the elements of the axis before it was resized. All arrays have one entry per element after that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inbundle.errors import CompileError

NEAREST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


@dataclass(frozen=True)
class ResizedAxis:
    """`size` elements become `output`; `scale` is what ONNX computes with, `begin` and `end` the region of interest."""

    axis: int
    size: int
    output: int
    scale: float
    begin: float = 0.0
    end: float = 1.0


@dataclass(frozen=True)
class Kernel:
    """How much a neighbour counts by its distance: linear, or cubic with `a`."""

    is_cubic: bool
    a: float
    antialias: bool
    exclude_outside: bool

    @property
    def reach(self) -> int:
        return 2 if self.is_cubic else 1

    def at(self, distance: np.ndarray) -> np.ndarray:
        x, a = np.abs(distance), self.a
        if not self.is_cubic:
            return np.asarray(np.maximum(1 - x, 0.0))
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def coordinates(axis: ResizedAxis, mode: str) -> np.ndarray:
    """By ONNX's coordinate_transformation_mode. Raises CompileError for an unknown one."""
    x, width = np.arange(axis.output, dtype=np.float64), axis.scale * axis.size
    centres = (x + 0.5) / axis.scale - 0.5
    match mode:
        case "half_pixel":
            return centres
        case "half_pixel_symmetric":
            return centres + axis.size / 2 * (1 - axis.output / width)
        case "pytorch_half_pixel":
            return centres if axis.output > 1 else np.zeros(axis.output)
        case "tf_half_pixel_for_nn":
            return centres + 0.5
        case "asymmetric":
            return x / axis.scale
        case "align_corners":
            return x * (axis.size - 1) / (width - 1) if width != 1 else np.zeros(axis.output)
        case "tf_crop_and_resize":
            part, last = axis.end - axis.begin, axis.size - 1
            return axis.begin * last + (x * part * last / (width - 1) if width != 1 else part * last / 2 + 0 * x)
    raise CompileError(f"the coordinate_transformation_mode {mode!r} is unknown")


def nearest(places: np.ndarray, size: int, mode: str) -> np.ndarray:
    """The index of the element next to each place. Raises CompileError for an unknown nearest_mode."""
    if mode not in NEAREST:
        raise CompileError(f"the nearest_mode {mode!r} is none of {', '.join(NEAREST)}")
    return np.asarray(np.clip(NEAREST[mode](places), 0, size - 1), np.int64)


def taps(places: np.ndarray, axis: ResizedAxis, kernel: Kernel) -> list[tuple[np.ndarray, np.ndarray]]:
    """Indices of neighbours and their weights, which add up to 1; as many pairs as the widest place needs. Beyond the
    ends is the last element, or nothing if the kernel excludes it."""
    scale = min(axis.scale, 1.0) if kernel.antialias else 1.0
    count = int(np.ceil(2 * kernel.reach / scale)) + 1
    first = np.floor(places - kernel.reach / scale).astype(np.int64)
    indices = first[:, None] + np.arange(count + 1)
    weights = kernel.at((indices - places[:, None]) * scale)
    if kernel.exclude_outside:
        weights = np.where((indices >= 0) & (indices < axis.size), weights, 0.0)
    weights = weights / weights.sum(axis=1, keepdims=True)
    indices = np.clip(indices, 0, axis.size - 1)
    return [(indices[:, tap], weights[:, tap]) for tap in range(count + 1) if weights[:, tap].any()]
