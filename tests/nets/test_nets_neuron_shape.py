"""Data movement at neuron granularity: ids move, no agent is made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neuron_runs import Model, floats

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Mutability
from inbundle.nets.program import Program


def moves_only(model: Model) -> None:
    """Checks the results, and that the net does nothing but copy, erase and show values."""
    for program in model.check().values():
        assert agents_of(program) <= {"Concrete", "Eraser", "Dup", "Store", "Ready", "Join", "JoinWith", "Materialize"}


def agents_of(program: Program) -> set[str]:
    return {agent.name for agent in program.agents}


def test_transpose() -> None:
    model = Model()
    model.output(model.emit("transpose", (4, 2, 3), [model.input(2, 3, 4)], Shuffle=(2, 0, 1)))
    moves_only(model)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_extracttensor(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 5), max_size=3)))
    picks = [np.arange(size)[data.draw(st.slices(size))] for size in shape]
    offsets = tuple(int(pick[0]) if pick.size else 0 for pick in picks)
    steps = tuple(int(pick[1] - pick[0]) if pick.size > 1 else 1 for pick in picks)
    model = Model()
    model.output(
        model.emit("extracttensor", [pick.size for pick in picks], [model.input(*shape)], Offsets=offsets, Steps=steps)
    )
    moves_only(model)


def test_inserttensor_of_values_and_constants() -> None:
    model = Model()
    dest = model.function.alloc("dest", floats(2, 5))
    x = model.input(2, 2)
    for name, source, start in (("a", x, 0), ("b", model.constant(model.array(2, 1)), 2), ("c", x, 3)):
        model.function.emit("inserttensor", name, [dest, source], {"Offsets": (0, start)})
    model.output(dest)
    moves_only(model)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
def test_pad(mode: str) -> None:
    model = Model()
    attributes = {"Pads": (1, 2, 0, 1), "Mode": mode, "Value": 1.5}
    model.output(model.emit("pad", (4, 6), [model.input(3, 3)], **attributes))
    moves_only(model)


def test_negative_pads_crop() -> None:
    model = Model()
    attributes = {"Pads": (-1, 0, 1, -2), "Mode": "constant", "Value": 0.0}
    model.output(model.emit("pad", (3, 2), [model.input(3, 4)], **attributes))
    moves_only(model)


@pytest.mark.parametrize(("indices", "axis"), [([0, 2, 2, -1], 0), ([[1, 0]], 1), (1, 1)])
def test_gather(indices: object, axis: int) -> None:
    model = Model()
    numbers = np.array(indices, np.int64)
    shape = np.take(np.zeros((3, 2)), numbers, axis=axis).shape
    model.output(model.emit("gather", shape, [model.input(3, 2), model.constant(numbers)], Axis=axis))
    moves_only(model)


def test_gather_needs_constant_indices() -> None:
    model = Model()
    indices = model.function.variable("i", TensorType(ElemKind.INT64, (1,)), Mutability.MUTABLE)
    model.function.inputs.append(indices)
    model.values["i"] = np.zeros(1, np.int64)
    model.output(model.emit("gather", (1, 2), [model.input(3, 2), indices], Axis=0))
    with pytest.raises(CompileError, match=r"node 'gather_node': gather: .*indices are not constant.*tile"):
        model.check()


def test_splat_broadcast_copy() -> None:
    model = Model()
    model.output(model.emit("splat", (2, 2), [], Value=0.25), "a")
    model.output(model.emit("broadcast", (2, 3, 2), [model.input(3, 1)]), "b")
    model.output(model.emit("copy", (3, 2), [model.input(2, 3)]), "c")
    moves_only(model)


def test_views_of_buffers_inputs_and_constants() -> None:
    model = Model()
    x, w = model.input(2, 3), model.constant(model.array(6))
    total = model.emit("add", (3, 2), [model.function.view(x, floats(3, 2)), model.function.view(w, floats(3, 2))])
    model.output(model.function.view(model.function.view(total, floats(6)), floats(2, 2), offset=1))
    model.check()
