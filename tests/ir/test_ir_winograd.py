"""Which convolutions are computed by Winograd's method, and with how many points."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Mutability
from inbundle.ir.winograd import blocks, points_for


def points(channels: int, size: int, kernel: int = 3, stride: int = 1) -> int:
    """Of a convolution of that many channels to as many, `size` output pixels along each side."""
    function, shape = Function("f"), (channels, channels, kernel, kernel)
    image = TensorType(ElemKind.FLOAT, (1, channels, size, size))
    values = [function.alloc("y", image), function.alloc("x", image)]
    values += [function.variable("w", TensorType(ElemKind.FLOAT, shape), Mutability.CONST)]
    windows = {"Kernels": (kernel,) * 2, "Strides": (stride,) * 2, "Pads": (1,) * 4, "Dilations": (1, 1), "Group": 1}
    convolution = function.emit("convolution", "c", values, windows)
    return points_for(np.zeros(shape, np.float32), convolution)


@pytest.mark.parametrize(
    ("channels", "size", "expected"),
    [(16, 32, 6), (64, 56, 6), (128, 28, 6), (256, 14, 4), (512, 7, 0), (8, 32, 0), (64, 1, 0)],
)
def test_the_larger_the_filters_the_fewer_points(channels: int, size: int, expected: int) -> None:
    assert points(channels, size) == expected


def test_other_windows() -> None:
    assert points(64, 32, kernel=5) == 6
    assert points(16, 32, kernel=5) == 0
    assert points(64, 32, stride=2) == points(64, 32, kernel=7) == 0


def test_large_filters_are_read_once() -> None:
    assert blocks(49, 4, 256, 256) == [49]
    assert blocks(49, 6, 32, 32)[0] <= 24
