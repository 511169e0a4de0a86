"""Matrix products and convolutions at neuron granularity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neuron_runs import Model


def operand(model: Model, constant: bool, name: str, shape: tuple[int, ...]):
    return model.constant(model.array(*shape), name) if constant else model.input(*shape, name=name)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_fullyconnected(data: st.DataObject) -> None:
    rows, inner, columns = (data.draw(st.integers(1, 5)) for _ in range(3))
    trans_a, trans_b = data.draw(st.booleans()), data.draw(st.booleans())
    model = Model(data.draw(st.integers(0, 99)))
    a = operand(model, data.draw(st.booleans()), "a", (inner, rows) if trans_a else (rows, inner))
    b = operand(model, data.draw(st.booleans()), "b", (columns, inner) if trans_b else (inner, columns))
    bias_shape = data.draw(st.sampled_from((None, (), (columns,), (rows, 1), (rows, columns))))
    bias = None if bias_shape is None else operand(model, data.draw(st.booleans()), "c", bias_shape)
    alpha, beta = data.draw(st.sampled_from((1.0, 0.5))), data.draw(st.sampled_from((1.0, -2.0)))
    attributes = {"Alpha": alpha, "Beta": beta, "TransA": trans_a, "TransB": trans_b}
    model.output(model.emit("fullyconnected", (rows, columns), [a, b, bias], **attributes))
    model.check(seed=data.draw(st.integers(0, 99)))


def test_weights_are_read_in_place_unless_alpha_changes_them() -> None:
    natives = []
    for alpha in (1.0, 0.5):
        model = Model()
        operands = [model.input(1, 3), model.constant(model.array(3, 2))]
        attributes = {"Alpha": alpha, "Beta": 1.0, "TransA": False, "TransB": False}
        model.output(model.emit("fullyconnected", (1, 2), operands, **attributes))
        program = model.check(modes=("region",))["region"]
        natives.append([native.name for native in program.natives])
    assert natives == [["output", "input", "weight"], ["output", "input"]]


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_matmul(data: st.DataObject) -> None:
    rows, inner, columns = (data.draw(st.integers(1, 4)) for _ in range(3))
    batch = data.draw(st.sampled_from(((), (2,), (2, 1), (1, 3))))
    other = data.draw(st.sampled_from(((), (1,), (2, 1)))) if batch in ((), (2, 1)) else ()
    model = Model(data.draw(st.integers(0, 99)))
    left = operand(model, data.draw(st.booleans()), "a", (*batch, rows, inner))
    right = operand(model, data.draw(st.booleans()), "b", (*other, inner, columns))
    model.output(model.emit("matmul", (*np.broadcast_shapes(batch, other), rows, columns), [left, right]))
    model.check(seed=data.draw(st.integers(0, 99)))


@st.composite
def geometries(draw: st.DrawFn) -> tuple[dict[str, object], tuple[int, ...], tuple[int, ...]]:
    """Window attributes, image and output sizes for 1 to 3 dimensions."""
    rank = draw(st.integers(1, 3))

    def sizes(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    kernels, strides, dilations = sizes(1, 3), sizes(1, 2), sizes(1, 2)
    pads = tuple(draw(st.integers(0, 1)) for _ in range(2 * rank))
    spans = [d * (k - 1) + 1 for k, d in zip(kernels, dilations, strict=True)]
    image = tuple(max(1, s - pads[i] - pads[rank + i] + draw(st.integers(0, 2))) for i, s in enumerate(spans))
    padded = [n + pads[i] + pads[rank + i] for i, n in enumerate(image)]
    output = tuple((n - s) // t + 1 for n, s, t in zip(padded, spans, strides, strict=True))
    attributes = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations}
    return attributes, image, output


@given(geometries(), st.data())
@settings(max_examples=40, deadline=None)
def test_convolution(geometry, data: st.DataObject) -> None:
    attributes, image, output = geometry
    group, depth, per_group, images = (data.draw(st.integers(1, 2)) for _ in range(4))
    model = Model(data.draw(st.integers(0, 99)))
    source = model.input(images, group * depth, *image)
    filters = operand(model, data.draw(st.booleans()), "w", (group * per_group, depth, *attributes["Kernels"]))
    bias = operand(model, data.draw(st.booleans()), "b", (group * per_group,)) if data.draw(st.booleans()) else None
    shape = (images, group * per_group, *output)
    model.output(model.emit("convolution", shape, [source, filters, bias], **attributes, Group=group))
    model.check(seed=data.draw(st.integers(0, 99)))


def test_a_window_in_the_padding_gives_the_bias() -> None:
    model = Model()
    attributes = {"Kernels": (1,), "Strides": (1,), "Pads": (1, 0), "Dilations": (1,), "Group": 1}
    for bias in (None, model.constant(np.array([2.5], np.float32))):
        operands = [model.input(1, 1, 1), model.constant(model.array(1, 1, 1)), bias]
        model.output(model.emit("convolution", (1, 1, 2), operands, **attributes))
    model.check()


def test_nothing_is_shortened_for_zeros_and_ones() -> None:
    """Interactions depend on shapes, not on weights or inputs."""
    counts = set()
    for fill in (0.0, 1.0, 0.3):
        model = Model()
        x = model.input(1, 4, value=np.full((1, 4), fill, np.float32))
        model.output(model.emit("matmul", (1, 3), [x, model.constant(np.full((4, 3), fill, np.float32))]))
        programs = model.check()
        counts.add((programs["region"].net.interactions, programs["inline"].net.interactions))
    # Per input: 2 Dup. Per product with a constant: 1. Per sum: 2. Store 1 and Join 2, or Materialize 1.
    arithmetic = 4 * 2 + 12 + 9 * 2
    assert counts == {(arithmetic + 3 + 2 * 2, arithmetic + 3)}


@pytest.mark.parametrize("width", [1, 2, 300])
def test_wide_layers_respect_the_limits_of_a_statement(width: int) -> None:
    """One input feeds very many nodes; the check of the inline limits is what is tested."""
    model = Model()
    hidden = model.emit("matmul", (1, width), [model.input(1, 9), model.constant(model.array(9, width))])
    hidden = model.emit("relu", (1, width), [hidden])
    model.output(model.emit("matmul", (1, 2), [hidden, model.constant(model.array(width, 2))]))
    model.check(tolerance=1e-4)
