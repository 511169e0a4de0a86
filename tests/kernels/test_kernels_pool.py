"""Pools: 1 to 3 dimensions, uneven pads, windows that overhang the end (ceil_mode), dilations, Argmax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from kernel_batch import FLOATS, Batch

from inbundle.graph.types import ElemKind, TensorType


def window(batch: Batch, rank: int) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    """Sizes of image and output, and the attributes; every window has a tap in the image."""
    kernels, strides, dilations = batch.shape(rank, 3), batch.shape(rank, 3), batch.shape(rank, 2)
    pads = tuple(int(batch.random.integers(0, k)) for k in kernels * 2)
    reach = [(k - 1) * d + 1 for k, d in zip(kernels, dilations, strict=True)]
    size = tuple(r + int(batch.random.integers(0, 6)) for r in reach)
    ceiling = batch.choose((True, False))
    output = []
    for i, n in enumerate(size):
        moves = n + pads[i] + pads[i + rank] - reach[i]
        count = (-(-moves // strides[i]) if ceiling else moves // strides[i]) + 1
        output.append(count - (ceiling and (count - 1) * strides[i] >= n + pads[i]))
    attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations}
    return size, tuple(output), attributes


def has_empty_window(size: tuple[int, ...], output: tuple[int, ...], o: dict[str, Any]) -> bool:
    for i, (n, count) in enumerate(zip(size, output, strict=True)):
        for at in range(count):
            taps = (at * o["Strides"][i] - o["Pads"][i] + k * o["Dilations"][i] for k in range(o["Kernels"][i]))
            if not any(0 <= tap < n for tap in taps):
                return True
    return False


def add_pool(batch: Batch, kind: str, elem: ElemKind, rank: int) -> None:
    size, output, attributes = window(batch, rank)
    while has_empty_window(size, output, attributes):
        size, output, attributes = window(batch, rank)
    leading = batch.shape(2, 3)
    dest = TensorType(elem, (*leading, *output))
    operands: list[Any] = [dest, batch.array(elem, (*leading, *size))]
    if kind == "avgpool":
        attributes["CountIncludePads"] = batch.choose((True, False))
    else:
        attributes["StorageOrder"] = batch.choose((0, 1))
        operands.append(dest.with_elem(ElemKind.INT64) if batch.choose((True, False)) else None)
    batch.add(kind, operands, attributes)


def test_pools_agree_with_the_interpreter(tmp_path: Path) -> None:
    batch = Batch(1)
    for rank in (1, 2, 3):
        for _ in range(8):
            add_pool(batch, "avgpool", batch.choose(FLOATS), rank)
            add_pool(batch, "maxpool", batch.choose((*FLOATS, ElemKind.INT8, ElemKind.UINT8)), rank)
    batch.check(tmp_path)


def test_the_lowest_value_is_found_beside_padding(tmp_path: Path) -> None:
    """Padding never wins, not even against minus infinity or the least integer: Argmax points into the image."""
    batch = Batch(2)
    attributes = {"Kernels": (2,), "Strides": (1,), "Pads": (1, 1), "Dilations": (1,), "StorageOrder": 0}
    for elem, lowest in ((ElemKind.FLOAT, -np.inf), (ElemKind.INT8, -128)):
        image = np.full((1, 1, 3), lowest, elem.dtype)
        dest = TensorType(elem, (1, 1, 4))
        batch.add("maxpool", [dest, image, dest.with_elem(ElemKind.INT64)], attributes)
    batch.check(tmp_path)
