"""Element-wise operators of one and two operands at neuron granularity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neuron_runs import MODES, Model

import elementwise_kinds
from elementwise_kinds import POSITIVE_ONLY, cases
from inbundle.errors import CompileError
from inbundle.nets.natives import OF_NUMBERS
from inbundle.nets.neuron import translate
from inbundle.nets.neuron.translation import TRANSLATORS

# The others are refused, as test_nets_neuron_refusals.py says.
UNARY, BINARY = (
    tuple(kind for kind in kinds if kind in TRANSLATORS)
    for kinds in (elementwise_kinds.UNARY, elementwise_kinds.BINARY)
)
# A kind whose name is a native function calls it; such nets have no inline form.
NATIVE = tuple(kind for kind in UNARY + BINARY if kind in OF_NUMBERS)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 6.0, -6.0, 1e-30, 1e30, -1e30], np.float32)


def modes_of(kind: str) -> tuple[str, ...]:
    return ("region",) if kind in NATIVE else MODES


@pytest.mark.parametrize(("kind", "attributes"), cases(UNARY))
@pytest.mark.parametrize("constant", [False, True])
def test_unary(kind: str, attributes: dict[str, object], constant: bool) -> None:
    model = Model()
    value = np.concatenate([model.array(9) * 4, SPECIAL[:9]])
    if kind in POSITIVE_ONLY:
        value = np.abs(value) + np.float32(0.1)
    source = model.constant(value) if constant else model.input(18, value=value)
    model.output(model.emit(kind, (18,), [source], **attributes))
    model.check(modes=modes_of(kind))


@pytest.mark.parametrize(("kind", "attributes"), cases(["relu", "leakyrelu", "hardswish", "hardsigmoid", "abs"]))
def test_large_and_special_values(kind: str, attributes: dict[str, object]) -> None:
    model = Model()
    model.output(model.emit(kind, SPECIAL.shape, [model.input(11, value=SPECIAL)], **attributes))
    model.check()


@pytest.mark.parametrize(
    "bounds", [(-0.5, 0.5), (-math.inf, 0.5), (-0.5, math.inf), (-math.inf, math.inf), (2.0, -1.0)]
)
def test_clip(bounds: tuple[float, float]) -> None:
    model = Model()
    model.output(model.emit("clip", (9,), [model.input(9)], Min=bounds[0], Max=bounds[1]))
    model.check()


@pytest.mark.parametrize("kind", ["relu", "max", "min", "abs", "clip", "leakyrelu", "prelu"])
def test_nan_stays_nan(kind: str) -> None:
    model = Model()
    attributes = {"clip": {"Min": -1.0, "Max": 1.0}, "leakyrelu": {"Alpha": 0.1}}.get(kind, {})
    x = model.input(3, value=np.array([np.nan, 1.0, np.nan], np.float32))
    z = model.input(3, name="z", value=np.array([1.0, np.nan, np.nan], np.float32))
    two = kind in ("max", "min", "prelu")
    model.output(model.emit(kind, (3,), [x, z] if two else [x], **attributes))
    if kind == "prelu":
        model.values["z"][1] = 2.0
    model.check()


def shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Two shapes and what they broadcast to."""
    full = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    parts = []
    for _ in range(2):
        kept = full[draw(st.integers(0, len(full))) :]
        parts.append(tuple(1 if draw(st.booleans()) else size for size in kept))
    return parts[0], parts[1], np.broadcast_shapes(*parts)


@pytest.mark.parametrize("kind", BINARY)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_binary(kind: str, data: st.DataObject) -> None:
    left, right, result = data.draw(st.composite(shapes)())
    constant = data.draw(st.sampled_from(("left", "right", "none", "both")))
    model = Model(data.draw(st.integers(0, 99)))
    arrays = [model.array(*left), model.array(*right) + np.float32(0.01)]
    if kind in POSITIVE_ONLY:
        arrays[0] = np.abs(arrays[0]) + np.float32(0.1)
    operands = [
        model.constant(array) if constant in (side, "both") else model.input(*array.shape, name=side, value=array)
        for side, array in zip(("left", "right"), arrays, strict=True)
    ]
    model.output(model.emit(kind, result, operands))
    model.check(modes=modes_of(kind), seed=data.draw(st.integers(0, 99)))


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "div", "max", "prelu"])
def test_an_operand_used_twice(kind: str) -> None:
    model = Model()
    x = model.input(4)
    model.output(model.emit(kind, (4,), [x, x]))
    model.check()


def test_an_exponent_of_another_kind() -> None:
    model = Model()
    exponent = model.constant(np.array([2, 3], np.int64))
    model.output(model.emit("pow", (2,), [model.input(2), exponent]))
    model.check(modes=("region",))


@pytest.mark.parametrize(
    ("kind", "attributes"), [*cases(NATIVE), ("softmax", {"Axis": 0}), ("logsoftmax", {"Axis": 0})]
)
def test_inline_scripts_refuse_native_functions_by_name(kind: str, attributes: dict[str, object]) -> None:
    model = Model()
    x = model.input(3)
    model.output(model.emit(kind, (3,), [x, x] if kind in BINARY else [x], **attributes))
    with pytest.raises(CompileError) as error:
        model.check(modes=("inline",))
    assert f"{kind}_node" in str(error.value)
    assert kind in error.value.where
    assert "-inpla-weights=region" in error.value.hint


def test_casts_and_integer_tensors_are_refused() -> None:
    model = Model()
    numbers = model.constant(np.arange(3))
    model.output(model.emit("convertto", (3,), [numbers]))
    with pytest.raises(CompileError, match=r"convertto_node.*index64") as error:
        model.check()
    assert "-granularity=tile" in error.value.hint


def test_a_kind_without_translation_is_refused() -> None:
    model = Model()
    dest = model.constant(np.arange(1))  # any int tensor
    model.function.emit("argmax", "node", [dest, model.input(3)], {"Axis": 0, "SelectLastIndex": False})
    with pytest.raises(CompileError, match=r"node 'node': argmax: .*-granularity=tile"):
        translate(model.function, None, name="m", weights="inline")  # type: ignore[arg-type]
