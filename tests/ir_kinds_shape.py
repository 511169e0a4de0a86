"""What the interpreter computes for data movement."""

from __future__ import annotations

import numpy as np

from ir_memory import Operands, kind


@kind("copy")
def _copy(o: Operands) -> np.ndarray:
    return o["Src"]


@kind("splat")
def _splat(o: Operands) -> np.ndarray:
    return np.full(o.type("Dest").shape, o.Value)


@kind("broadcast")
def _broadcast(o: Operands) -> np.ndarray:
    return np.broadcast_to(o["Src"], o.type("Dest").shape)


@kind("transpose")
def _transpose(o: Operands) -> np.ndarray:
    return o["Src"].transpose(o.Shuffle)


@kind("inserttensor")
def _inserttensor(o: Operands) -> np.ndarray:
    dest, src = o["Dest"], o["Src"]
    dest[tuple(slice(start, start + size) for start, size in zip(o.Offsets, src.shape, strict=True))] = src
    return dest


@kind("extracttensor")
def _extracttensor(o: Operands) -> np.ndarray:
    src = o["Src"]
    for axis, (start, step, size) in enumerate(zip(o.Offsets, o.Steps, o.type("Dest").shape, strict=True)):
        src = np.take(src, [start + i * step for i in range(size)], axis=axis)
    return src


@kind("pad")
def _pad(o: Operands) -> np.ndarray:
    src = o["Src"]
    begins, ends = o.Pads[: src.ndim], o.Pads[src.ndim :]
    kept = src[tuple(slice(max(0, -b), n - max(0, -e)) for b, e, n in zip(begins, ends, src.shape, strict=True))]
    widths = [(max(0, b), max(0, e)) for b, e in zip(begins, ends, strict=True)]
    if o.Mode == "constant":
        return np.pad(kept, widths, constant_values=o.Value)
    return np.pad(kept, widths, mode=o.Mode)


@kind("gather")
def _gather(o: Operands) -> np.ndarray:
    return np.take(o["Src"], o["Indices"], axis=o.Axis)


@kind("scatter")
def _scatter(o: Operands) -> np.ndarray:
    result = o["Src"]
    joins = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    join = joins.get(o.Reduction, lambda x, y: y)
    for row, update in zip(o["Indices"].ravel(), o["Updates"], strict=True):
        result[row] = join(result[row], update)
    return result
