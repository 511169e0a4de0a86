"""Vector kernels: every one, for every vector unit that this machine can run, on random shapes."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import Batch

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.panels import pack_bias, pack_columns, pack_filters
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.winograd import transformed_filters

FLAGS = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
UNITS = [
    pytest.param(("avx512", "avx2", "sse2"), marks=pytest.mark.skipif("avx512f" not in FLAGS, reason="no AVX-512")),
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


@units
def test_convolutions(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(1, vectors)
    for number in range(18):
        channels, filters = int(batch.random.integers(1, 40)), int(batch.random.integers(1, 90))
        window = Window(batch, channels=channels, plain=number % 3 == 0, largest=batch.choose((3, 5)))
        weights = batch.array(ElemKind.FLOAT, (filters, channels, *window.kernels))
        bias = pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters)
        operands = [of(*window.output, filters), window.image, pack_filters(weights), bias]
        batch.add("nhwcconvolution", operands, window.attributes)
    batch.check(tmp_path)


@units
def test_depthwise_convolutions_and_pools(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(2, vectors)
    for _ in range(9):
        channels = int(batch.random.integers(16, 50))
        window = Window(batch, channels=channels)
        weights, bias = (batch.array(ElemKind.FLOAT, shape) for shape in ((*window.kernels, channels), (channels,)))
        batch.add("nhwcdepthwise", [of(*window.output, channels), window.image, weights, bias], window.attributes)
        window = Window(batch, channels=int(batch.random.integers(1, 40)))
        dest = of(*window.output, window.image.shape[-1])
        batch.add("nhwcmaxpool", [dest, window.image], window.attributes)
        counted = {**window.attributes, "CountIncludePads": batch.choose((0, 1))}
        batch.add("nhwcavgpool", [dest, window.image], counted)
    batch.check(tmp_path)


@units
def test_products(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(3, vectors)
    for rows in (1, 1, 1, 1, 1, 1, 2, 5, 11, 12, 13, 40):
        depth, columns = int(batch.random.integers(1, 60)), int(batch.random.integers(1, 300))
        matrix = batch.array(ElemKind.FLOAT, (depth, columns))
        bias = pack_bias(batch.array(ElemKind.FLOAT, (columns,)), columns)
        source = batch.array(ElemKind.FLOAT, (rows, depth))
        batch.add("packedproduct", [of(rows, columns), source, pack_columns(matrix), bias])
    batch.check(tmp_path)


@units
def test_winograd_convolutions(vectors: tuple[str, ...], tmp_path: Path) -> None:
    """Rounding is that of transformed values, some times larger than of a direct sum."""
    batch = Batch(4, vectors)
    n = batch.random.integers
    for size in (3, 3, 5, 3, 5):
        depth, filters = int(n(16, 40)), int(n(16, 80))
        pads = tuple(int(n(0, size)) for _ in range(4))
        height, width = int(n(size, 22)), int(n(size, 22))
        output = (batch.choose((1, 2)), height + pads[0] + pads[2] - size + 1, width + pads[1] + pads[3] - size + 1)
        image = batch.array(ElemKind.FLOAT, (output[0], height, width, depth))
        weights = batch.array(ElemKind.FLOAT, (filters, depth, size, size)) / np.float32(size * depth)
        bias = pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters)
        attributes = {"Kernels": (size, size), "Strides": (1, 1), "Pads": pads, "Dilations": (1, 1)}
        batch.add("nhwcwinograd", [of(*output, filters), image, transformed_filters(weights), bias], attributes)
    batch.check(tmp_path, rounding=1e-5)


@units
def test_results_pass_an_epilogue(vectors: tuple[str, ...], tmp_path: Path) -> None:
    """What follows a kernel element by element, with an operand per channel and one of the whole shape."""
    batch = Batch(5, vectors)
    window = Window(batch, channels=20)
    dest = of(*window.output, 37)
    weights = batch.array(ElemKind.FLOAT, (37, 20, *window.kernels))
    head = [dest, window.image, pack_filters(weights), pack_bias(None, 37)]
    scale, skip = batch.array(ElemKind.FLOAT, (37,)), batch.array(ElemKind.FLOAT, dest.shape)
    batch.chain(
        ("nhwcconvolution", head, window.attributes),
        ("mul", [dest, dest, scale], {}),
        ("add", [dest, dest, skip], {}),
        ("relu", [dest, dest], {}),
    )
    stack_elementwise(batch.function)
    assert len(batch.function.instructions()) == 1
    batch.check(tmp_path)
