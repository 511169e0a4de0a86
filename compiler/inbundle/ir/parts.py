"""Parts of tensors: which ones are so many elements side by side, and where they start."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.graph.types import row_major
from inbundle.ir.function import Instruction


def inserted_at(insert: Instruction) -> int | None:
    """The element of Dest where Src starts, when the elements that Src fills lie side by side; else None."""
    return _start(insert["Dest"].type.shape, insert["Src"].type.shape, insert.integers("Offsets"))


def extracted_at(extract: Instruction) -> int | None:
    """The element of Src where Dest starts, when Dest shows elements that lie side by side; else None."""
    dest, steps = extract["Dest"].type.shape, extract.integers("Steps")
    if any(step != 1 and size != 1 for step, size in zip(steps, dest, strict=True)):
        return None
    return _start(extract["Src"].type.shape, dest, extract.integers("Offsets"))


def _start(whole: Sequence[int], part: Sequence[int], offsets: Sequence[int]) -> int | None:
    """Behind the first dimension of which it has more than one index, a contiguous part has all of them."""
    first = next((axis for axis, size in enumerate(part) if size != 1), len(part))
    if 0 in part or tuple(part[first + 1 :]) != tuple(whole[first + 1 :]):
        return None
    return sum(offset * step for offset, step in zip(offsets, row_major(whole), strict=True))
