"""What the interpreter computes for kinds that normalise or reduce along axes."""

from __future__ import annotations

import math

import numpy as np

from inbundle.ir.function import Instruction
from ir_kinds_elements import truncated_division
from ir_memory import KINDS, Memory, Operands, kind


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


@kind("layernormalization")
def _layernormalization(o: Operands) -> np.ndarray:
    x, bias = o["Src"], o.get("Bias")
    axes = tuple(range(o.Axis, x.ndim))
    normal = (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + o.Epsilon) * o["Scale"]
    return normal if bias is None else normal + bias


# --- reductions --------------------------------------------------------------------------------------------------


@kind("reducesum")
def _reducesum(o: Operands) -> np.ndarray:
    return o["Src"].sum(axis=o.Axes)


@kind("reduceprod")
def _reduceprod(o: Operands) -> np.ndarray:
    return o["Src"].prod(axis=o.Axes)


@kind("cumsum")
def _cumsum(o: Operands) -> np.ndarray:
    x = np.flip(o["Src"], o.Axis) if o.Reverse else o["Src"]
    sums = np.cumsum(x, axis=o.Axis, dtype=x.dtype)
    if o.Exclusive:
        sums = np.concatenate([np.zeros_like(np.take(x, [0], o.Axis)), np.delete(sums, -1, o.Axis)], axis=o.Axis)
    return np.flip(sums, o.Axis) if o.Reverse else sums


def _topk(step: Instruction, memory: Memory) -> None:
    o = Operands(step, memory)
    x, count = o["Src"], o.type("Dest").shape[o.Axis]
    order = np.argsort(-x.astype(np.float64) if o.Largest else x, axis=o.Axis, kind="stable")
    chosen = np.take(order, range(count), axis=o.Axis)
    memory.array(step["Dest"])[...] = np.take_along_axis(x, chosen, axis=o.Axis)
    memory.array(step["Indices"])[...] = chosen


KINDS["topk"] = _topk


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
