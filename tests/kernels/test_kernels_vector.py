"""Vector kernels: every one, for every vector unit that this machine can run, on random shapes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import INCLUDE, Batch
from vector_cases import Window, of, one_of_each, units

from inbundle.graph.types import ElemKind
from inbundle.ir.panels import pack_bias, pack_columns, pack_filters, pack_groups, pack_planes
from inbundle.ir.passes.add_scratch import add_scratch
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.tasks import schedule
from inbundle.ir.winograd import transformed_filters
from inbundle.kernels import generate


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
def test_convolutions_of_small_images(vectors: tuple[str, ...], tmp_path: Path) -> None:
    """With so many filters that each should be read once."""
    batch = Batch(10, vectors)
    n = batch.random.integers
    for _ in range(5):
        depth, filters = int(n(128, 140)), 16 * int(n(1, 7))
        kernels, dilations, strides = (3, int(n(1, 4))), batch.shape(2, 2), batch.shape(2, 2)
        reach = [(k - 1) * d + 1 for k, d in zip(kernels, dilations, strict=True)]
        pads = tuple(int(n(0, r)) for r in reach * 2)
        image = batch.array(ElemKind.FLOAT, (batch.choose((1, 2)), *(int(n(r, r + 6)) for r in reach), depth))
        across = [(image.shape[i + 1] + pads[i] + pads[i + 2] - reach[i]) // strides[i] + 1 for i in (0, 1)]
        weights = batch.array(ElemKind.FLOAT, (filters, depth, *kernels))
        bias = pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters)
        attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations}
        batch.add(
            "nhwcconvolution", [of(image.shape[0], *across, filters), image, pack_filters(weights), bias], attributes
        )
    batch.check(tmp_path, rounding=3e-6)


@units
def test_grouped_convolutions(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(9, vectors)
    for _ in range(6):
        group, depth, filters = (int(batch.random.integers(*ends)) for ends in ((2, 5), (1, 9), (1, 40)))
        window = Window(batch, channels=group * depth)
        weights = batch.array(ElemKind.FLOAT, (group * filters, depth, *window.kernels))
        bias = np.stack([pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters) for _ in range(group)])
        operands = [of(*window.output, group * filters), window.image, pack_groups(weights, group), bias]
        batch.add("nhwcgrouped", operands, {**window.attributes, "Group": group})
    batch.check(tmp_path)


@units
def test_convolutions_of_planes(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(7, vectors)
    for _ in range(9):
        channels, filters = int(batch.random.integers(1, 5)), int(batch.random.integers(1, 70))
        window = Window(batch, channels=channels, largest=batch.choose((1, 3, 5)))
        attributes = {**window.attributes, "Dilations": (window.attributes["Dilations"][0], 1)}
        weights = batch.array(ElemKind.FLOAT, (filters, channels, *window.kernels))
        bias = pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters)
        planes = np.ascontiguousarray(np.moveaxis(window.image, -1, 1))
        width = planes.shape[3] + window.attributes["Pads"][1] + window.attributes["Pads"][3]
        across = (width - window.kernels[1]) // window.attributes["Strides"][1] + 1
        dest = of(*window.output[:2], across, filters)
        batch.add("planarconvolution", [dest, planes, pack_planes(weights), bias], attributes)
    batch.check(tmp_path)


@units
def test_depthwise_convolutions_and_pools(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(2, vectors)
    for _ in range(9):
        channels = batch.choose((int(batch.random.integers(16, 50)), 32, 48))  # the last can be cut
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
def test_pools_of_few_channels(vectors: tuple[str, ...], tmp_path: Path) -> None:
    """Vectors reach into the next pixels, but for the last ones of a row; so do those of the steps behind."""
    batch = Batch(8, vectors)
    for _ in range(12):
        channels = int(batch.random.integers(1, 16))
        window = Window(batch, channels=channels)
        dest = of(*window.output, channels)
        more = batch.choose((("nhwcmaxpool", {}), ("nhwcavgpool", {"CountIncludePads": batch.choose((0, 1))})))
        pool = (more[0], [dest, window.image], {**window.attributes, **more[1]})
        shift = batch.array(ElemKind.FLOAT, batch.choose(((), (channels,), dest.shape)))
        batch.chain(pool, ("add", [dest, dest, shift], {}))
    stack_elementwise(batch.function)
    assert all(len(each.epilogue) == 1 for each in batch.function.instructions())
    batch.check(tmp_path)


@units
def test_products(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(3, vectors)
    n = batch.random.integers
    large = [(1, 150, 3 * columns) for columns in (58, 85, 128)]  # read to and fro from run to run, whatever the tiles
    few = [(rows, int(n(1, 60)), int(n(1, 300))) for rows in (1, 1, 1, 1, 1, 1, 2, 5, 11, 12, 13, 40)]
    for rows, depth, columns in large + few:
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
    for size, points in ((3, 6), (3, 4), (5, 6), (3, 6), (5, 6), (3, 4), (3, 6), (3, 6)):
        depth, filters = int(n(16, 40)), batch.choose((int(n(16, 80)), 48, 80))  # the last can be cut
        pads = tuple(int(n(0, size)) for _ in range(4))
        height, width = int(n(size, 22)), int(n(size, 22))
        output = (batch.choose((1, 2)), height + pads[0] + pads[2] - size + 1, width + pads[1] + pads[3] - size + 1)
        image = batch.array(ElemKind.FLOAT, (output[0], height, width, depth))
        weights = batch.array(ElemKind.FLOAT, (filters, depth, size, size)) / np.float32(size * depth)
        bias = pack_bias(batch.array(ElemKind.FLOAT, (filters,)), filters)
        attributes = {"Kernels": (size, size), "Strides": (1, 1), "Pads": pads, "Dilations": (1, 1)}
        batch.add("nhwcwinograd", [of(*output, filters), image, transformed_filters(weights, points), bias], attributes)
    batch.check(tmp_path, rounding=1e-5)


COMPILERS = [
    ["gcc", "-std=c11"],
    ["clang", "-std=c11"],
    ["g++", "-std=c++17", "-x", "c++"],
    ["gcc", "-std=c11", "-march=native"],
    ["clang", "-std=c11", "-mavx2", "-mfma"],
    ["arm-none-eabi-gcc", "-std=c11", "-mcpu=cortex-m4", "-mthumb"],
    ["aarch64-linux-gnu-gcc", "-std=c11"],
]


@pytest.mark.parametrize("vectors", [("avx512", "avx2", "sse2"), ("neon",)], ids=lambda vectors: vectors[0])
@pytest.mark.parametrize("compiler", COMPILERS, ids=" ".join)
def test_no_warnings(compiler: list[str], vectors: tuple[str, ...], tmp_path: Path) -> None:
    """Also where the target is none of those that the kernels were written for."""
    if not shutil.which(compiler[0]):
        pytest.skip(f"{compiler[0]} is not installed")
    batch = Batch(6, vectors)
    one_of_each(batch)
    add_scratch(batch.function)
    plan = plan_memory(batch.function)
    tasks = schedule(batch.function, plan)
    text = generate(batch.function, plan, tasks, network="all", vectors=vectors)
    (tmp_path / "all.c").write_text(re.sub(r"^static (\w+ native_)", r"\1", text, flags=re.MULTILINE))
    flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{INCLUDE}", "-include", "inpla.h", "-O1"]
    done = subprocess.run([*compiler, *flags, "-c", "all.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
