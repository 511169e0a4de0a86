"""Runs a graph of data-movement and reduction kinds with NumPy, straight from the meaning of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.graph.types import ElemKind, of_array


def _slice(data: np.ndarray, *, starts: Any, steps: Any, shape: Any) -> np.ndarray:
    picked = [start + step * np.arange(size) for start, step, size in zip(starts, steps, shape, strict=True)]
    return data[np.ix_(*picked)] if picked else data


def _pad(data: np.ndarray, *, pads: Any, mode: str, value: float) -> np.ndarray:
    begins, ends = np.split(np.asarray(pads, int), 2)
    for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        kept = np.arange(max(-begin, 0), data.shape[axis] - max(-end, 0))
        data = np.take(data, kept, axis)
    width = list(zip(np.maximum(begins, 0), np.maximum(ends, 0), strict=True))
    return np.pad(data, width, mode, constant_values=value) if mode == "constant" else np.pad(data, width, mode)  # type: ignore[call-overload]


def _arg(best: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def run(data: np.ndarray, *, axis: int, keepdims: bool, select_last_index: bool) -> np.ndarray:
        if select_last_index:
            return np.asarray(data.shape[axis] - 1 - best(np.flip(data, axis), axis=axis, keepdims=keepdims))
        return np.asarray(best(data, axis=axis, keepdims=keepdims))

    return run


def _reduce(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    return lambda data, *, axes, keepdims: np.asarray(function(data, axis=tuple(axes), keepdims=keepdims), data.dtype)


KINDS: dict[str, Callable[..., np.ndarray]] = {
    "Reshape": lambda data, *, shape: data.reshape(shape),
    "Transpose": lambda data, *, perm: data.transpose(perm),
    "Concat": lambda *inputs, axis: np.concatenate(inputs, axis),
    "Slice": _slice,
    "Pad": _pad,
    "Gather": lambda data, indices, *, axis: np.take(data, indices, axis),
    "Expand": lambda data, *, shape: np.broadcast_to(data, shape),
    "Cast": lambda data, *, to: data.astype(ElemKind[to].dtype),
    "ReduceSum": _reduce(np.sum),
    "ReduceMean": _reduce(np.mean),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ArgMax": _arg(np.argmax),
    "ArgMin": _arg(np.argmin),
}


def run(graph: Graph, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The graph's outputs; every value must have the type that the graph says."""
    values: dict[Value, np.ndarray] = {value: feeds[value.name] for value in graph.inputs}
    values.update((value, value.data) for value in graph.values() if isinstance(value, Constant))
    for node in graph.nodes:
        values[node.output] = _run(node, values)
    return {name: values[value] for name, value in graph.outputs.items()}


def _run(node: Node, values: Mapping[Value, np.ndarray]) -> np.ndarray:
    operands = [values[value] for value in node.inputs if value is not None]
    result = np.asarray(KINDS[node.kind](*operands, **node.attributes))
    assert of_array(result) == node.output.type
    return result
