"""Vector kernels of convolutions that pool: right for every unit, on random shapes, whatever is stacked on them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_batch import INCLUDE, Batch
from vector_cases import of, units

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.panels import pack_bias, pack_filters, pack_planes
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.passes.stack_pools import stack_pools
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.pooling import parts
from inbundle.ir.tasks import schedule
from inbundle.kernels import generate

FLOAT = ElemKind.FLOAT
Link = tuple[str, list[Any], dict[str, Any]]


def convolution(batch: Batch, output: list[int], channels: int) -> Link:
    """A convolution, of planes or channels last, whose image has `output` lines and columns."""
    choose, n = batch.choose, batch.random.integers
    kernels, strides = batch.shape(2, 5), choose(((1, 1), (1, 1), (2, 2), (1, 2), (2, 1)))
    kernels = (max(2, kernels[0]), kernels[1])
    dilation = choose((1, 1, 2))
    reach = ((kernels[0] - 1) * dilation + 1, kernels[1])
    pads = tuple(int(n(0, r)) * choose((0, 1)) for r in reach * 2)
    sizes = [(n - 1) * s + r for n, s, r in zip(output, strides, reach, strict=True)]
    size = tuple(max(1, sizes[i] - pads[i] - pads[i + 2]) for i in (0, 1))
    pads = (*pads[:2], *(sizes[i] - size[i] - pads[i] for i in (0, 1)))
    images, is_planar = choose((1, 1, 2)), choose((True, False))
    depth = int(n(1, 4)) if is_planar else int(n(1, 20))
    filters, bias = batch.array(FLOAT, (channels, depth, *kernels)), batch.array(FLOAT, (channels,))
    shape = (images, depth, *size) if is_planar else (images, *size, depth)
    packed = (pack_planes if is_planar else pack_filters)(filters)
    attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": (dilation, 1)}
    operands = [of(images, *output, channels), batch.array(FLOAT, shape), packed, pack_bias(bias, channels)]
    return "planarconvolution" if is_planar else "nhwcconvolution", operands, attributes


def steps(batch: Batch, type: TensorType) -> list[Link]:
    """None or some element-wise steps, with operands of one element or one per channel."""
    add: Link = ("add", [type, type, batch.array(FLOAT, batch.choose(((), (type.shape[-1],))))], {})
    return batch.choose(([], [("relu", [type, type], {})], [add], [add, ("tanh", [type, type], {})]))


def add_pooled(batch: Batch) -> None:
    """A convolution, steps, a pool whose windows may leave lines and columns over, steps."""
    n = batch.random.integers
    kernels = batch.choose(((2, 2), (2, 2), (2, 1), (1, 3), (4, 1)))
    pooled = (int(n(1, 5)), int(n(1, 20)))
    output = [n * k + batch.choose((0, k - 1)) for n, k in zip(pooled, kernels, strict=True)]
    head = convolution(batch, output, int(n(1, 72 if batch.choose((True, False)) else 20)))
    image = head[1][0]
    result = of(image.shape[0], *pooled, image.shape[-1])
    kind, more = batch.choose((("nhwcmaxpool", {}), ("nhwcavgpool", {"CountIncludePads": 0})))
    window = {"Kernels": kernels, "Strides": kernels, "Pads": (0,) * 4, "Dilations": (1, 1), **more}
    batch.chain(head, *steps(batch, image), (kind, [result, image], window), *steps(batch, result))


def stack(batch: Batch) -> None:
    """Let each convolution pool."""
    stack_elementwise(batch.function)
    stack_pools(batch.function)
    instructions = batch.function.instructions()
    assert all(len(parts(instruction)) == 2 for instruction in instructions), [each.kind for each in instructions]


@units
def test_convolutions_that_pool(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(21, vectors)
    for _ in range(14):
        add_pooled(batch)
    stack(batch)
    batch.check(tmp_path)


@units
def test_nan_wins_wherever_it_stands_in_a_window(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(22, vectors)
    plain = {"Kernels": (2, 2), "Strides": (1, 1), "Pads": (0,) * 4, "Dilations": (1, 1)}
    for at in range(4):
        image = batch.array(FLOAT, (1, 1, 9, 9))
        image[0, 0, 2 + at // 2, 2 + at % 2] = np.nan
        filters = np.zeros((3, 1, 2, 2), np.float32)
        filters[:, 0, 0, 0] = 1
        operands = [of(1, 8, 8, 3), image, pack_planes(filters), pack_bias(None, 3)]
        batch.chain(
            ("planarconvolution", operands, plain),
            ("nhwcmaxpool", [of(1, 4, 4, 3), of(1, 8, 8, 3)], {**plain, "Strides": (2, 2)}),
        )
    stack(batch)
    batch.check(tmp_path)


@pytest.mark.parametrize("vectors", [("avx512", "avx2", "sse2"), ("neon",)], ids=lambda vectors: vectors[0])
@pytest.mark.parametrize("compiler", ["gcc -std=c11", "clang -std=c11", "g++ -std=c++17 -x c++"])
def test_no_warnings(compiler: str, vectors: tuple[str, ...], tmp_path: Path) -> None:
    if not shutil.which(compiler.split()[0]):
        pytest.skip(f"{compiler} is not installed")
    batch = Batch(23, vectors)
    for _ in range(3):
        add_pooled(batch)
    stack(batch)
    plan = plan_memory(batch.function)
    text = generate(batch.function, plan, schedule(batch.function, plan), network="all", vectors=vectors)
    (tmp_path / "all.c").write_text(re.sub(r"^static (\w+ native_)", r"\1", text, flags=re.MULTILINE))
    flags = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{INCLUDE}", "-include", "inpla.h", "-O1"]
    command = [*compiler.split(), *flags, "-c", "all.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
