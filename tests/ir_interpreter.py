"""A NumPy interpreter of the IR: the oracle that tests of lowering, IR passes, memory plans and kernels compare with.

`run(function, inputs)` gives every variable and buffer memory of its own. `run(function, inputs, plan)` keeps them in
three byte arrays at the offsets of a MemoryPlan, so that bytes shared wrongly show. Memory that nobody wrote is full of
a pattern that makes results wrong rather than zero. Floats are computed in double and rounded once, into Dest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Alloc, Function, Instruction, IRValue, Register, storage
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.stacks import steps

PATTERN = 0xA5


def run(
    function: Function,
    inputs: Mapping[str, np.ndarray],
    plan: MemoryPlan | None = None,
    order: Sequence[Instruction] | None = None,
) -> dict[str, np.ndarray]:
    """The outputs of a function by name; `order` replaces program order."""
    memory = Memory(function, plan)
    for variable in function.inputs:
        memory.array(variable)[...] = inputs[variable.name]
    with np.errstate(all="ignore"):
        for step in order or function.instructions():
            execute(step, memory)
    return {variable.name: memory.array(variable).copy() for variable in function.outputs}


def execute(step: Instruction, memory: Memory) -> None:
    """Run one instruction, step by step. All operands of a step are read before its Dest is written."""
    for each in steps(step):
        KINDS[each.kind](each, memory)


class Memory:
    """Flat arrays behind variables and buffers: their own, or pieces of the regions of a plan."""

    def __init__(self, function: Function, plan: MemoryPlan | None) -> None:
        self._flat: dict[IRValue, np.ndarray] = {}
        sizes = (plan.constant_bytes, plan.mutable_bytes, plan.activation_bytes) if plan else (0, 0, 0)
        names = ("constantWeight", "mutableWeight", "activations")
        regions = {name: np.full(size, PATTERN, np.uint8) for name, size in zip(names, sizes, strict=True)}
        buffers = [step.buffer for step in function.code if isinstance(step, Alloc)]
        for base in [*function.variables, *buffers]:
            if plan:
                place = plan.place(base)
                raw = regions[place.region][place.offset : place.offset + place.size]
                assert raw.size == base.type.bytes
            else:
                raw = np.full(base.type.bytes, PATTERN, np.uint8)
            self._flat[base] = raw.view(base.type.elem.dtype)
        for variable in function.variables:
            if variable.data is not None:
                self.array(variable)[...] = variable.data

    def array(self, value: IRValue) -> np.ndarray:
        """The elements of a value, writable."""
        base, start = storage(value)
        if isinstance(base, Register):
            self._flat.setdefault(base, np.empty(base.type.elements, base.type.elem.dtype))
        first = start // value.type.elem.size
        return self._flat[base][first : first + value.type.elements].reshape(value.type.shape)


class Operands:
    """Operands and attributes of an instruction, by name."""

    def __init__(self, step: Instruction, memory: Memory) -> None:
        self.step = step
        self.memory = memory

    def __getattr__(self, name: str):
        """An attribute of the instruction."""
        return self.step.attributes[name]

    def __getitem__(self, name: str) -> np.ndarray:
        """A copy of what an operand holds; floats as double."""
        return wide(self.memory.array(self.step[name]))

    def get(self, name: str) -> np.ndarray | None:
        return self[name] if name in self.step.operands else None

    def type(self, name: str):
        return self.step[name].type


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if ElemKind.of(array.dtype).is_float else array.copy()


Kind = Callable[[Instruction, Memory], None]
KINDS: dict[str, Kind] = {}


def kind(*names: str):
    """Enter a function from operands to the new content of Dest."""

    def enter(compute: Callable[[Operands], np.ndarray]):
        def execute_one(step: Instruction, memory: Memory) -> None:
            result = np.asarray(compute(Operands(step, memory)))
            dest = memory.array(step["Dest"])
            dest[...] = result.astype(dest.dtype).reshape(dest.shape)

        for name in names:
            KINDS[name] = execute_one
        return compute

    return enter


# --- windows -----------------------------------------------------------------------------------------------------


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
    """Taps x N x output x C: what each tap of the window sees of Src, `fill` outside the image."""
    x = o["Src"]
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


def filtered(o: Operands, filters: np.ndarray) -> np.ndarray:
    """Src convolved with filters, kernel... x C x M."""
    channels = o.type("Dest").shape[-1]
    seen = last_taps(o, 0.0)
    return np.einsum("tnhwc,tcm->nhwm", seen, filters.reshape(len(seen), -1, channels)) + o["Bias"][:channels]


@kind("nhwcconvolution")
def _nhwcconvolution(o: Operands) -> np.ndarray:
    return filtered(o, unpacked(o["Filter"], o.type("Dest").shape[-1]))


@kind("nhwcwinograd")
def _nhwcwinograd(o: Operands) -> np.ndarray:
    """Directly, with the filters that the transformed ones are made from: the transform has a left inverse."""
    size, points = o.Kernels[0], (0.0, 1.0, -1.0, 2.0, -2.0)
    scales = (1 / 4, -1 / 6, -1 / 6, 1 / 24, 1 / 24)
    transform = np.zeros((6, size))
    transform[:5] = [
        [scale * point**power for power in range(size)] for scale, point in zip(scales, points, strict=True)
    ]
    transform[5, -1] = 1
    back = np.linalg.pinv(transform)
    spread = np.stack([unpacked(part, o.type("Dest").shape[-1]) for part in o["Filter"]])
    filters = np.einsum("ia,jb,abcm->ijcm", back, back, spread.reshape(6, 6, *spread.shape[1:]))
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


@kind("packedproduct")
def _packedproduct(o: Operands) -> np.ndarray:
    columns = o.type("Dest").shape[1]
    return o["Src"] @ unpacked(o["Weights"], columns) + o["Bias"][:columns]


# --- matrix products ---------------------------------------------------------------------------------------------


@kind("fullyconnected")
def _fullyconnected(o: Operands) -> np.ndarray:
    a, b, bias = o["Src"], o["Weights"], o.get("Bias")
    product = (a.T if o.TransA else a) @ (b.T if o.TransB else b)
    if product.dtype.kind == "f":
        product = product * np.float64(np.float32(o.Alpha))
        return product if bias is None else product + np.float64(np.float32(o.Beta)) * bias
    product = scaled(product, o.Alpha)
    return product if bias is None else product + scaled(bias, o.Beta)


def scaled(integers: np.ndarray, factor: float) -> np.ndarray:
    return integers if factor == 1.0 else (integers * np.float32(factor)).astype(integers.dtype)


@kind("matmul")
def _matmul(o: Operands) -> np.ndarray:
    return o["LHS"] @ o["RHS"]


# --- element-wise ------------------------------------------------------------------------------------------------


def truncated_division(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind == "f":
        return left / right
    quotient = np.abs(left) // np.abs(right)
    return np.where((left < 0) != (right < 0), -quotient, quotient) if left.dtype.kind == "i" else quotient


def power(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    both_integers = left.dtype.kind in "iu" and right.dtype.kind in "iu"
    if both_integers and (right >= 0).all():
        return np.power(left, right.astype(left.dtype))
    return np.power(left.astype(np.float64), right.astype(np.float64))


BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": truncated_division,
    "pow": power,
    "min": np.minimum,
    "max": np.maximum,
    "prelu": lambda x, slope: np.where(x >= 0, x, slope * x),
}
for _name, _binary in BINARY.items():
    kind(_name)(lambda o, binary=_binary: binary(o["LHS"], o["RHS"]))

erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x: np.ndarray, approximate: str) -> np.ndarray:
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


UNARY: dict[str, Callable[[np.ndarray, Operands], np.ndarray]] = {
    "abs": lambda x, o: np.abs(x),
    "neg": lambda x, o: -x,
    "exp": lambda x, o: np.exp(x),
    "log": lambda x, o: np.log(x),
    "sqrt": lambda x, o: np.sqrt(x),
    "erf": lambda x, o: erf(x),
    "tanh": lambda x, o: np.tanh(x),
    "sigmoid": lambda x, o: 1 / (1 + np.exp(-x)),
    "relu": lambda x, o: np.maximum(x, 0),
    "leakyrelu": lambda x, o: np.where(x < 0, o.Alpha * x, x),
    "elu": lambda x, o: np.where(x < 0, o.Alpha * np.expm1(x), x),
    "hardsigmoid": lambda x, o: np.clip(o.Alpha * x + o.Beta, 0, 1),
    "hardswish": lambda x, o: x * np.clip(x / 6 + 0.5, 0, 1),
    "gelu": lambda x, o: gelu(x, o.Approximate),
    "clip": lambda x, o: np.minimum(o.Max, np.maximum(x, o.Min)),
}
for _name, _unary in UNARY.items():
    kind(_name)(lambda o, unary=_unary: unary(o["Src"], o))


@kind("convertto")
def _convertto(o: Operands) -> np.ndarray:
    x = o["Src"]
    return x != 0 if o.type("Dest").elem is ElemKind.BOOL else x


# --- normalisation -----------------------------------------------------------------------------------------------


@kind("softmax")
def _softmax(o: Operands) -> np.ndarray:
    return np.exp(_logsoftmax(o))


@kind("logsoftmax")
def _logsoftmax(o: Operands) -> np.ndarray:
    x = o["Src"]
    shifted = x - x.max(axis=o.Axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=o.Axis, keepdims=True))


@kind("batchnormalization")
def _batchnormalization(o: Operands) -> np.ndarray:
    x = o["Src"]
    scale, bias, mean, var = (o[name].reshape(-1, *(1,) * (x.ndim - 2)) for name in ("Scale", "Bias", "Mean", "Var"))
    return (x - mean) / np.sqrt(var + o.Epsilon) * scale + bias


# --- data movement -----------------------------------------------------------------------------------------------


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


# --- reductions --------------------------------------------------------------------------------------------------


@kind("reducesum")
def _reducesum(o: Operands) -> np.ndarray:
    return o["Src"].sum(axis=o.Axes)


@kind("reducemean")
def _reducemean(o: Operands) -> np.ndarray:
    total = o["Src"].sum(axis=o.Axes)
    return truncated_division(total, np.full_like(total, math.prod(o.type("Src").shape[axis] for axis in o.Axes)))


@kind("reducemax")
def _reducemax(o: Operands) -> np.ndarray:
    return o["Src"].max(axis=o.Axes)


@kind("reducemin")
def _reducemin(o: Operands) -> np.ndarray:
    return o["Src"].min(axis=o.Axes)


@kind("argmax", "argmin")
def _arg(o: Operands) -> np.ndarray:
    choose = np.argmax if o.step.kind == "argmax" else np.argmin
    if not o.SelectLastIndex:
        return choose(o["Src"], axis=o.Axis)
    return o.type("Src").shape[o.Axis] - 1 - choose(np.flip(o["Src"], axis=o.Axis), axis=o.Axis)
