"""Random small graphs: many short-lived values, views, values read more than once, odd outputs."""

from __future__ import annotations

import math
import random

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.types import ElemKind, TensorType

ELEMENTWISE = ("Relu", "Tanh", "Add", "Mul", "Max", "Softmax")
MOVING = ("Reshape", "Transpose", "Concat", "Slice", "ReduceSum", "Expand", "MatMul")
KINDS = ELEMENTWISE + MOVING


def random_graph(seed: int, nodes: int = 12) -> Graph:
    """A graph of float tensors; equal seeds give equal graphs."""
    rng = random.Random(seed)
    graph = Graph(f"random{seed}")
    values: list[Value] = [graph.add_input(f"x{i}", TensorType(ElemKind.FLOAT, (2, 3, 4))) for i in range(2)]
    data = np.random.default_rng(seed).normal(size=(3, 1)).astype(np.float32)
    values.append(graph.add_constant("c", data))
    while len(graph.nodes) < nodes:
        try:
            values.append(_random_node(graph, values, rng).output)
        except CompileError:
            continue
    shown = [*rng.choices(values, k=2), values[-1]]
    graph.outputs = {f"y{i}": value for i, value in enumerate(shown)}
    return graph


def random_inputs(graph: Graph, seed: int) -> dict[str, np.ndarray]:
    """Normally distributed values for every input."""
    rng = np.random.default_rng(seed)
    return {value.name: rng.normal(size=value.type.shape).astype(value.type.elem.dtype) for value in graph.inputs}


def _random_node(graph: Graph, values: list[Value], rng: random.Random) -> Node:
    """Recent values are preferred, so that chains form. Raises CompileError when the choice does not fit."""
    x, y = rng.choice(values[-3:]), rng.choice(values)
    shape = x.type.shape
    axis = rng.randrange(max(1, len(shape)))
    kind = rng.choice(KINDS)
    if kind in ("Relu", "Tanh"):
        return graph.add(kind, [x])
    if kind in ("Add", "Mul", "Max", "MatMul"):
        return graph.add(kind, [x, y])
    if kind == "Concat" and x.type.elements > 64:
        raise CompileError("large enough")
    attributes = {
        "Softmax": {"axis": axis},
        "Reshape": {"shape": rng.choice([(x.type.elements,), shape[::-1], (1, *shape)])},
        "Transpose": {"perm": tuple(rng.sample(range(len(shape)), len(shape)))},
        "Concat": {"axis": axis},
        "Slice": _later_half(shape, axis) if rng.random() < 0.5 else _every_axis_backwards(shape),
        "ReduceSum": {"axes": (axis,), "keepdims": rng.random() < 0.5},
        "Expand": {"shape": (2, *shape) if x.type.elements < 64 else shape},
    }[kind]
    return graph.add(kind, [x, y, x] if kind == "Concat" else [x], attributes)


def _later_half(shape: tuple[int, ...], axis: int) -> dict[str, tuple[int, ...]]:
    """The later half along `axis`."""
    starts = tuple(size // 2 if index == axis else 0 for index, size in enumerate(shape))
    return {
        "starts": starts,
        "steps": (1,) * len(shape),
        "shape": tuple(size - start for size, start in zip(shape, starts, strict=True)),
    }


def _every_axis_backwards(shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """The later half of every axis, last element first."""
    return {
        "starts": tuple(size - 1 for size in shape),
        "steps": (-1,) * len(shape),
        "shape": tuple(math.ceil(size / 2) for size in shape),
    }
