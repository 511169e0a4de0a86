"""What the interpreter computes for convolutions and pools."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from ir_memory import KINDS, Memory, Operands, kind


def taps(x: np.ndarray, o: Operands, fill: float) -> np.ndarray:
    """Taps x N x C x output: what each tap of the window sees, `fill` outside the image."""
    rank = x.ndim - 2
    output = o.type("Dest").shape[2:]
    reach = [
        (n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(output, o.Strides, o.Kernels, o.Dilations, strict=True)
    ]
    ends = [max(0, r - size - begin) for r, size, begin in zip(reach, x.shape[2:], o.Pads[:rank], strict=True)]
    padded = np.pad(x, [(0, 0), (0, 0), *zip(o.Pads[:rank], ends, strict=True)], constant_values=fill)
    pieces = []
    for tap in np.ndindex(*o.Kernels):
        starts = [t * d for t, d in zip(tap, o.Dilations, strict=True)]
        at = [slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(starts, output, o.Strides, strict=True)]
        pieces.append(padded[(slice(None), slice(None), *at)])
    return np.stack(pieces)


@kind("convolution")
def _convolution(o: Operands) -> np.ndarray:
    x, w, bias = o["Src"], o["Filter"], o.get("Bias")
    n, m = o.type("Dest").shape[:2]
    output, group = o.type("Dest").shape[2:], o.Group
    seen = taps(x, o, 0.0).reshape(math.prod(o.Kernels), n, group, x.shape[1] // group, math.prod(output))
    filters = w.reshape(group, m // group, w.shape[1], math.prod(o.Kernels))
    result = np.einsum("tngcp,gmct->ngmp", seen, filters).reshape(n, m, *output)
    return result if bias is None else result + bias.reshape(m, *(1 for _ in output))


def lowest(array: np.ndarray) -> float:
    return np.iinfo(array.dtype).min if array.dtype.kind in "iu" else -np.inf


@kind("avgpool")
def _avgpool(o: Operands) -> np.ndarray:
    x = o["Src"]
    counted = np.ones_like(x)
    if o.CountIncludePads:
        rank = x.ndim - 2
        counted = np.pad(counted, [(0, 0), (0, 0), *zip(o.Pads[:rank], o.Pads[rank:], strict=True)], constant_values=1)
        unpadded = Operands(
            Instruction("", "", o.step.operands, {**o.step.attributes, "Pads": (0,) * 2 * rank}), o.memory
        )
        return taps(x, o, 0).sum(axis=0) / taps(counted, unpadded, 0).sum(axis=0)
    return taps(x, o, 0).sum(axis=0) / taps(counted, o, 0).sum(axis=0)


def _maxpool(step: Instruction, memory: Memory) -> None:
    o = Operands(step, memory)
    x = o["Src"]
    # Positions as doubles, -1 in the padding, which must not win even against the lowest value.
    spatial = np.arange(math.prod(x.shape[2:])).reshape(x.shape[2:], order="F" if o.StorageOrder else "C")
    images = np.arange(math.prod(x.shape[:2])).reshape(*x.shape[:2], *(1 for _ in x.shape[2:]))
    where = taps((images * spatial.size + spatial).astype(np.float64), o, -1.0)
    seen = taps(x, o, lowest(x))
    best = np.argmax(np.where(where >= 0, seen.astype(np.float64), -np.inf), axis=0)
    in_padding = np.take_along_axis(where, best[np.newaxis], axis=0)[0] < 0  # all that the window sees is the lowest
    best = np.where(in_padding, np.argmax(where >= 0, axis=0), best)[np.newaxis]
    memory.array(step["Dest"])[...] = np.take_along_axis(seen, best, axis=0)[0]
    if "Argmax" in step.operands:
        memory.array(step["Argmax"])[...] = np.take_along_axis(where, best, axis=0)[0]


KINDS["maxpool"] = _maxpool


# --- windows, channels last --------------------------------------------------------------------------------------


def last_taps(o: Operands, fill: float) -> np.ndarray:
    """`taps_of` Src."""
    return taps_of(o["Src"], o, fill)


def taps_of(x: np.ndarray, o: Operands, fill: float) -> np.ndarray:
    """Taps x N x output x C: what each tap of the window sees of a channels-last image, `fill` outside it."""
    (_, height, width, _), (top, left, *_) = o.type("Dest").shape, o.Pads
    reach = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip((height, width), o.Strides, o.Kernels, o.Dilations, strict=True)
    ]
    ends = [max(0, r - size - begin) for r, size, begin in zip(reach, x.shape[1:3], (top, left), strict=True)]
    padded = np.pad(x, [(0, 0), (top, ends[0]), (left, ends[1]), (0, 0)], constant_values=fill)
    pieces = []
    for tap in np.ndindex(*o.Kernels):
        down, across = (
            slice(t * d, t * d + (n - 1) * s + 1, s)
            for t, d, n, s in zip(tap, o.Dilations, (height, width), o.Strides, strict=True)
        )
        pieces.append(padded[:, down, across])
    return np.stack(pieces)


def unpacked(panels: np.ndarray, channels: int) -> np.ndarray:
    """[..., panels, kernel..., C, lanes] -> [kernel..., C, M], for panels in the first dimension."""
    return np.moveaxis(panels, 0, -2).reshape(*panels.shape[1:-1], -1)[..., :channels]


def filtered(o: Operands, filters: np.ndarray, image: np.ndarray | None = None) -> np.ndarray:
    """Src, or `image`, convolved with filters, kernel... x C x M."""
    channels = o.type("Dest").shape[-1]
    seen = taps_of(o["Src"] if image is None else image, o, 0.0)
    return np.einsum("tnhwc,tcm->nhwm", seen, filters.reshape(len(seen), -1, channels)) + o["Bias"][:channels]


@kind("nhwcconvolution")
def _nhwcconvolution(o: Operands) -> np.ndarray:
    return filtered(o, unpacked(o["Filter"], o.type("Dest").shape[-1]))


@kind("nhwcgrouped")
def _nhwcgrouped(o: Operands) -> np.ndarray:
    channels = o.type("Dest").shape[-1] // o.Group
    images = np.split(taps_of(o["Src"], o, 0.0), o.Group, axis=-1)
    filters = [unpacked(part, channels).reshape(len(images[0]), -1, channels) for part in o["Filter"]]
    parts = [np.einsum("tnhwc,tcm->nhwm", seen, part) for seen, part in zip(images, filters, strict=True)]
    return np.concatenate([part + bias[:channels] for part, bias in zip(parts, o["Bias"], strict=True)], axis=-1)


@kind("planarconvolution")
def _planarconvolution(o: Operands) -> np.ndarray:
    filters = unpacked(np.moveaxis(o["Filter"], 1, -2), o.type("Dest").shape[-1])
    return filtered(o, filters, np.moveaxis(o["Src"], 1, -1))


@kind("nhwcwinograd")
def _nhwcwinograd(o: Operands) -> np.ndarray:
    """Directly, with the filters that the transformed ones are made from: the transform has a left inverse."""
    size, count = o.Kernels[0], math.isqrt(len(o["Filter"]))
    points, scales = (0.0, 1.0, -1.0), (1.0, 1 / 2, 1 / 2)
    if count == 6:
        points, scales = (*points, 2.0, -2.0), (1 / 4, -1 / 6, -1 / 6, 1 / 24, 1 / 24)
    transform = np.zeros((count, size))
    transform[:-1] = [
        [scale * point**power for power in range(size)] for scale, point in zip(scales, points, strict=True)
    ]
    transform[-1, -1] = 1
    back = np.linalg.pinv(transform)
    spread = np.stack([unpacked(part, o.type("Dest").shape[-1]) for part in o["Filter"]])
    filters = np.einsum("ia,jb,abcm->ijcm", back, back, spread.reshape(count, count, *spread.shape[1:]))
    return filtered(o, filters)


@kind("nhwcdepthwise")
def _nhwcdepthwise(o: Operands) -> np.ndarray:
    seen = last_taps(o, 0.0)
    return np.einsum("tnhwc,tc->nhwc", seen, o["Filter"].reshape(len(seen), -1)) + o["Bias"]


@kind("nhwcmaxpool")
def _nhwcmaxpool(o: Operands) -> np.ndarray:
    return last_taps(o, -np.inf).max(axis=0)


@kind("nhwcavgpool")
def _nhwcavgpool(o: Operands) -> np.ndarray:
    """The mean of what ONNX counts: taps inside the image or, with CountIncludePads, inside the padded image."""
    height, width = o.type("Src").shape[1:3]
    top, left, bottom, right = o.Pads if o.CountIncludePads else (0, 0, 0, 0)
    counts = []
    for size, begin, end, pad, n, k, s, d in zip(
        (height, width),
        (top, left),
        (bottom, right),
        o.Pads[:2],
        o.type("Dest").shape[1:3],
        o.Kernels,
        o.Strides,
        o.Dilations,
        strict=True,
    ):
        places = np.arange(n)[:, None] * s - pad + np.arange(k) * d
        counts.append(((places >= -begin) & (places < size + end)).sum(axis=1))
    return last_taps(o, 0.0).sum(axis=0) / np.outer(*counts)[None, :, :, None]
