"""Convolution: 1 to 3 dimensions, groups, strides, dilations, uneven pads, every float kind."""

from __future__ import annotations

from pathlib import Path

from kernel_batch import FLOATS, Batch

from inbundle.graph.types import ElemKind, TensorType


def add_convolution(batch: Batch, kind: ElemKind, rank: int, *, largest_kernel: int = 3) -> None:
    choose = batch.choose
    group, kernels = choose((1, 1, 2, 3)), batch.shape(rank, largest_kernel)
    strides, dilations = batch.shape(rank, 3), batch.shape(rank, 2)
    pads = tuple(int(batch.random.integers(0, k * d)) for k, d in zip(kernels * 2, dilations * 2, strict=True))
    reach = [(k - 1) * d + 1 for k, d in zip(kernels, dilations, strict=True)]
    size = tuple(r + int(batch.random.integers(0, 5)) for r in reach)
    output = tuple((n + pads[i] + pads[i + rank] - reach[i]) // strides[i] + 1 for i, n in enumerate(size))
    images, channels, filters = choose((1, 2)), choose((1, 2, 3)), choose((1, 2)) * group
    attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations, "Group": group}
    operands = [
        TensorType(kind, (images, filters, *output)),
        batch.array(kind, (images, channels * group, *size)),
        batch.array(kind, (filters, channels, *kernels)),
        batch.array(kind, (filters,)) if choose((True, False)) else None,
    ]
    batch.add("convolution", operands, attributes)


def test_convolutions_agree_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(1)
    for rank in (1, 2, 3):
        for _ in range(9):
            add_convolution(batch, batch.choose(FLOATS), rank)
    for _ in range(6):
        add_convolution(batch, batch.choose(FLOATS), 2, largest_kernel=1)
    batch.check(tmp_path)


def test_a_kernel_of_1_runs_over_the_image_as_one_row(tmp_path: Path) -> None:
    batch = Batch(2)
    plain = {"Kernels": (1, 1), "Strides": (1, 1), "Pads": (0, 0, 0, 0), "Dilations": (1, 1), "Group": 1}
    for kind in (ElemKind.FLOAT, ElemKind.FLOAT16):
        image, filters = batch.array(kind, (2, 3, 4, 5)), batch.array(kind, (6, 3, 1, 1))
        batch.add("convolution", [TensorType(kind, (2, 6, 4, 5)), image, filters], plain)
    batch.check(tmp_path)
    assert "o < 20" in (tmp_path / "batch_kernels.c").read_text(encoding="utf-8")
