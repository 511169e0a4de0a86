"""What the tests of vector kernels share: the units to run on this machine, and random images with windows."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import Batch

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.panels import pack_bias, pack_columns, pack_filters, pack_groups, pack_planes
from inbundle.ir.winograd import transformed_filters

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


def one_of_each(batch: Batch) -> None:
    """Every kind of vector kernel that is not element-wise, on small images."""
    window = Window(batch, channels=20)
    dest, bias = of(*window.output, 20), pack_bias(None, 20)
    filters = batch.array(ElemKind.FLOAT, (20, 20, *window.kernels))
    batch.add("nhwcconvolution", [dest, window.image, pack_filters(filters), bias], window.attributes)
    square = {"Kernels": (3, 3), "Strides": (1, 1), "Pads": (1, 1, 1, 1), "Dilations": (1, 1)}
    few = pack_planes(batch.array(ElemKind.FLOAT, (20, 3, 3, 3)))
    batch.add("planarconvolution", [of(1, 7, 9, 20), batch.array(ElemKind.FLOAT, (1, 3, 7, 9)), few, bias], square)
    halves = [dest, window.image, pack_groups(filters[:, :10], 2), np.stack([bias, bias])]
    batch.add("nhwcgrouped", halves, {**window.attributes, "Group": 2})
    depthwise = [dest, window.image, np.ascontiguousarray(filters[0].transpose(1, 2, 0)), bias[:20]]
    batch.add("nhwcdepthwise", depthwise, window.attributes)
    batch.add("nhwcmaxpool", [dest, window.image], window.attributes)
    batch.add("nhwcavgpool", [dest, window.image], {**window.attributes, "CountIncludePads": 1})
    narrow = Window(batch, channels=8)  # single channels with the widest vectors alone, which few targets have
    batch.add("nhwcmaxpool", [of(*narrow.output, 8), narrow.image], narrow.attributes)
    source, matrix = batch.array(ElemKind.FLOAT, (1, 9)), pack_columns(batch.array(ElemKind.FLOAT, (9, 20)))
    batch.add("packedproduct", [of(1, 20), source, matrix, bias])
    spread = transformed_filters(batch.array(ElemKind.FLOAT, (20, 20, 3, 3)), 6)
    image = batch.array(ElemKind.FLOAT, (1, 9, 9, 20))
    batch.add("nhwcwinograd", [of(1, 9, 9, 20), image, spread, bias], square)
