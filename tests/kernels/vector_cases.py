"""What the tests of vector kernels share: the units to run on this machine, and random images with windows."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from kernel_batch import Batch

from inbundle.graph.types import ElemKind, TensorType

FLAGS = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
UNITS = [
    pytest.param(("avx512", "sse2"), marks=pytest.mark.skipif("avx512f" not in FLAGS, reason="no AVX-512")),
    pytest.param(("avx2", "sse2"), marks=pytest.mark.skipif("avx2" not in FLAGS, reason="no AVX2")),
    pytest.param(("sse2",), marks=pytest.mark.skipif(platform.machine() != "x86_64", reason="no SSE2")),
    pytest.param(("neon",)),
]
units = pytest.mark.parametrize("vectors", UNITS, ids=lambda vectors: vectors[0])


def of(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


class Window:
    """A random image and a window that moves over it."""

    def __init__(self, batch: Batch, *, channels: int, largest: int = 3, plain: bool = False) -> None:
        n, choose = batch.random.integers, batch.choose
        kernels = (1, 1) if plain else batch.shape(2, largest)
        strides = (1, 1) if plain else batch.shape(2, 2)
        dilations = choose(((1, 1), (1, 1), (2, 1), (1, 2)))
        reach = [(k - 1) * d + 1 for k, d in zip(kernels, dilations, strict=True)]
        pads = tuple(0 if plain else int(n(0, r)) for r in reach * 2)
        size = tuple(int(n(r, r + 17)) for r in reach)
        self.images = choose((1, 1, 2))
        output = [(size[i] + pads[i] + pads[i + 2] - reach[i]) // strides[i] + 1 for i in (0, 1)]
        self.image = batch.array(ElemKind.FLOAT, (self.images, *size, channels))
        self.output = (self.images, *output)
        self.kernels = kernels
        self.attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations}
