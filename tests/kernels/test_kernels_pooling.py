"""Convolutions that pool: random shapes are right, and no bit is another one than with the image in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_batch import Batch

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.passes.stack_pools import stack_pools
from inbundle.ir.pooling import parts

Link = tuple[str, list[Any], dict[str, Any]]
FLOAT = ElemKind.FLOAT


def floats(*shape: int) -> TensorType:
    return TensorType(FLOAT, shape)


def convolution(batch: Batch, output: tuple[int, int]) -> Link:
    """A convolution whose image has `output` lines and columns."""
    choose = batch.choose
    group, kernels, strides, dilations = choose((1, 1, 2)), batch.shape(2, 3), batch.shape(2, 2), batch.shape(2, 2)
    reach = [(k - 1) * d + 1 for k, d in zip(kernels, dilations, strict=True)]
    pads = tuple(int(batch.random.integers(0, r)) for r in reach * 2)
    numbered = enumerate(zip(output, strides, reach, strict=True))
    size = [(n - 1) * s + r - pads[i] - pads[i + 2] for i, (n, s, r) in numbered]
    if min(size) < 1:
        return convolution(batch, output)
    images, channels, filters = choose((1, 2)), choose((1, 3)), choose((1, 2, 3)) * group
    attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations, "Group": group}
    image, weights = batch.array(FLOAT, (images, channels * group, *size)), (filters, channels, *kernels)
    bias = batch.array(FLOAT, (filters,)) if choose((True, False)) else None
    return "convolution", [floats(images, filters, *output), image, batch.array(FLOAT, weights), bias], attributes


def steps(batch: Batch, type: TensorType) -> list[Link]:
    """None or some element-wise steps, with operands of every shape that the kernels can index."""
    shapes = ((), type.shape, (1, type.shape[1], 1, 1))
    add: Link = ("add", [type, type, batch.array(FLOAT, batch.choose(shapes))], {})
    return batch.choose(([], [("relu", [type, type], {})], [add], [add, ("tanh", [type, type], {})]))


def add_pooled(batch: Batch) -> None:
    """A convolution, steps, a pool whose windows may leave lines and columns over, steps."""
    kernels = batch.choose(((2, 2), (3, 3), (2, 1), (1, 3), (3, 2)))
    pooled = batch.shape(2, 3)
    output = [n * k + int(batch.random.integers(0, k)) for n, k in zip(pooled, kernels, strict=True)]
    head = convolution(batch, (output[0], output[1]))
    image = head[1][0]
    result = floats(*image.shape[:2], *pooled)
    kind, own = batch.choose((("maxpool", "StorageOrder"), ("avgpool", "CountIncludePads")))
    window = {"Kernels": kernels, "Strides": kernels, "Pads": (0,) * 4, "Dilations": (1, 1), own: batch.choose((0, 1))}
    batch.chain(head, *steps(batch, image), (kind, [result, image], window), *steps(batch, result))


def batch_of_24(seed: int) -> Batch:
    batch = Batch(seed)
    for _ in range(24):
        add_pooled(batch)
    stack_elementwise(batch.function)
    return batch


def bits(seed: int, folder: Path, change: Callable[[Function], None]) -> dict[str, bytes]:
    """The outputs of the batch, in which a few inputs have elements that are no numbers."""
    folder.mkdir()
    batch = batch_of_24(seed)
    change(batch.function)
    for array in list(batch.inputs.values())[::5]:
        array.flat[:: max(2, array.size // 2)] = batch.choose((np.nan, np.inf, -np.inf))
    return {name: array.tobytes() for name, array in batch.results(folder).items()}


def test_convolutions_that_pool_agree_with_the_interpreter(tmp_path: Path) -> None:
    batch = batch_of_24(1)
    stack_pools(batch.function)
    assert [len(parts(instruction)) for instruction in batch.function.instructions()] == [2] * 24
    batch.check(tmp_path)


@pytest.mark.parametrize("seed", [2, 3])
def test_pooling_at_once_changes_no_bit(seed: int, tmp_path: Path) -> None:
    apart = bits(seed, tmp_path / "apart", lambda function: None)
    assert bits(seed, tmp_path / "together", stack_pools) == apart


def test_both_epilogues_may_read_the_same_operand(tmp_path: Path) -> None:
    batch = Batch(5)
    window = {"Kernels": (2, 2), "Strides": (2, 2), "Pads": (0,) * 4, "Dilations": (1, 1), "CountIncludePads": 0}
    head = convolution(batch, (4, 6))
    image = head[1][0]
    result, shift = floats(*image.shape[:2], 2, 3), batch.array(FLOAT, (1, image.shape[1], 1, 1))
    shifts: list[Link] = [("add", [type, type, shift], {}) for type in (image, result)]
    batch.chain(head, shifts[0], ("avgpool", [result, image], window), shifts[1])
    first, second = (each for each in batch.function.instructions() if each.kind == "add")
    second.operands["RHS"].value = first["RHS"]
    stack_elementwise(batch.function)
    stack_pools(batch.function)
    assert len(batch.function.instructions()) == 1
    batch.check(tmp_path)


def test_lines_that_no_window_looks_at_are_not_computed() -> None:
    batch = Batch(4)
    plain = {"Pads": (0,) * 4, "Dilations": (1, 1)}
    image, filters = batch.array(FLOAT, (1, 2, 7, 5)), batch.array(FLOAT, (3, 2, 1, 1))
    ones, threes = {"Kernels": (1, 1), "Strides": (1, 1), "Group": 1}, {"Kernels": (3, 2), "Strides": (3, 2)}
    head: Link = ("convolution", [floats(1, 3, 7, 5), image, filters], ones | plain)
    batch.chain(head, ("avgpool", [floats(1, 3, 2, 2), floats(1, 3, 7, 5)], threes | plain | {"CountIncludePads": 0}))
    stack_pools(batch.function)
    text = batch.kernels()
    assert "float rows[15];" in text
    assert "o_y < 2" in text
    assert "o_y * 3 + r" in text
