"""Pools, reductions and normalisation at neuron granularity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neuron_runs import MODES, Model

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType


@pytest.mark.parametrize("kind", ["maxpool", "avgpool"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_pool(kind: str, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 2))
    kernels = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    pads = tuple(min(data.draw(st.integers(0, 1)), kernels[i % rank] - 1) for i in range(2 * rank))
    strides = tuple(data.draw(st.integers(1, 3)) for _ in range(rank))
    dilations = tuple(data.draw(st.integers(1, 2)) for _ in range(rank)) if kind == "maxpool" else (1,) * rank
    spans = [d * (k - 1) + 1 for k, d in zip(kernels, dilations, strict=True)]
    image = tuple(s + data.draw(st.integers(0, 2)) for s in spans)
    padded = [n + pads[i] + pads[rank + i] for i, n in enumerate(image)]
    output = tuple((n - s) // t + 1 for n, s, t in zip(padded, spans, strides, strict=True))
    attributes: dict[str, object] = {"Kernels": kernels, "Strides": strides, "Pads": pads, "Dilations": dilations}
    attributes |= {"CountIncludePads": data.draw(st.booleans())} if kind == "avgpool" else {"StorageOrder": 0}
    model = Model(data.draw(st.integers(0, 99)))
    model.output(model.emit(kind, (2, 2, *output), [model.input(2, 2, *image)], **attributes))
    model.check(seed=data.draw(st.integers(0, 99)))


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_windows_over_nothing(shape: tuple[int, int]) -> None:
    window: dict[str, object] = {"Kernels": (2,), "Strides": (1,), "Pads": (0, 0), "Dilations": (1,)}
    model = Model()
    x = model.input(*shape, 3)
    model.output(model.emit("avgpool", (*shape, 2), [x], **window, CountIncludePads=False), name="avg")
    model.output(model.emit("maxpool", (*shape, 2), [x], **window, StorageOrder=0), name="max")
    filters = model.constant(model.array(4, shape[1], 2))
    model.output(model.emit("convolution", (shape[0], 4, 2), [x, filters, None], **window, Group=1), name="conv")
    model.check()


def test_a_last_window_that_reaches_beyond_the_padding() -> None:
    """Ceil mode: the divisor counts image and padding, never what is beyond."""
    model = Model()
    attributes = {"Kernels": (3,), "Strides": (2,), "Pads": (1, 1), "Dilations": (1,), "CountIncludePads": True}
    model.output(model.emit("avgpool", (1, 1, 3), [model.input(1, 1, 4)], **attributes))
    model.check()


def test_positions_of_maxima_are_refused() -> None:
    model = Model()
    function = model.function
    dest = function.alloc("dest", TensorType(ElemKind.FLOAT, (1, 1, 2)))
    where = function.alloc("where", TensorType(ElemKind.INT64, (1, 1, 2)))
    attributes = {"Kernels": (1,), "Strides": (1,), "Pads": (0, 0), "Dilations": (1,), "StorageOrder": 0}
    function.emit("maxpool", "top", [dest, model.input(1, 1, 2), where], attributes)
    model.output(dest)
    with pytest.raises(CompileError, match=r"node 'top': maxpool: .*tile"):
        model.check()


@pytest.mark.parametrize("kind", ["reducesum", "reducemean", "reducemax", "reducemin"])
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_reduction(kind: str, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    axes = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1)))))
    result = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    model = Model(data.draw(st.integers(0, 99)))
    source = model.constant(model.array(*shape)) if data.draw(st.booleans()) else model.input(*shape)
    model.output(model.emit(kind, result, [source], Axes=axes))
    model.check()


def test_a_reduction_over_constants_and_values() -> None:
    model = Model()
    joined = model.function.alloc("joined", TensorType(ElemKind.FLOAT, (7,)))
    model.function.emit("inserttensor", "a", [joined, model.constant(model.array(4))], {"Offsets": (0,)})
    model.function.emit("inserttensor", "b", [joined, model.input(3)], {"Offsets": (4,)})
    for kind in ("reducesum", "reducemax", "reducemin"):
        model.output(model.emit(kind, (), [joined], Axes=(0,)), name=kind)
    model.check()


@pytest.mark.parametrize("kind", ["softmax", "logsoftmax"])
@pytest.mark.parametrize(("shape", "axis"), [((5,), 0), ((2, 3), 1), ((3, 2), 0), ((2, 3, 2), 1), ((2, 1), 1)])
def test_softmax(kind: str, shape: tuple[int, ...], axis: int) -> None:
    model = Model()
    x = model.input(*shape, value=model.array(*shape) * 30)
    model.output(model.emit(kind, shape, [x], Axis=axis))
    model.check(modes=("region",))


@pytest.mark.parametrize("spatial", [(), (2,), (2, 2)])
def test_batchnormalization(spatial: tuple[int, ...]) -> None:
    model = Model()
    scale, bias, mean = (model.constant(model.array(3), name) for name in ("scale", "bias", "mean"))
    variance = model.constant(np.abs(model.array(3)) + np.float32(0.1), "var")
    operands = [model.input(2, 3, *spatial), scale, bias, mean, variance]
    model.output(model.emit("batchnormalization", (2, 3, *spatial), operands, Epsilon=1e-3))
    model.check(modes=MODES)


def test_batchnormalization_folds_to_one_factor_and_one_term() -> None:
    model = Model()
    parameters = [model.constant(np.ones(1, np.float32), name) for name in ("scale", "bias", "mean", "var")]
    model.output(model.emit("batchnormalization", (1, 1), [model.input(1, 1), *parameters], Epsilon=0.0))
    program = model.check(modes=("inline",))["inline"]
    assert program.net.interactions == 1 + 1 + 1


def test_batchnormalization_needs_constants() -> None:
    model = Model()
    parameters = [model.input(1, name=name) for name in ("scale", "bias", "mean", "var")]
    model.output(model.emit("batchnormalization", (1, 1), [model.input(1, 1), *parameters], Epsilon=0.0))
    with pytest.raises(CompileError, match=r"batchnormalization_node.*Scale is not constant"):
        model.check()


def test_the_mean_multiplies_by_the_reciprocal() -> None:
    model = Model()
    model.output(model.emit("reducemean", (), [model.input(3)], Axes=(0,)))
    program = model.check(modes=("inline",))["inline"]
    third = int(np.float32(1 / 3).view(np.uint32))
    assert third in program.net.code.tolist()
    assert program.net.interactions == 2 * 2 + 1 + 1


@pytest.mark.parametrize(("axis", "scale"), [(2, (4,)), (1, (3, 1)), (2, (3, 1))])
@pytest.mark.parametrize("bias", [False, True])
def test_layernormalization(axis: int, scale: tuple[int, ...], bias: bool) -> None:
    model = Model()
    operands = [model.input(2, 3, 4), model.constant(model.array(*scale), "scale")]
    operands += [model.constant(model.array(*scale), "bias")] if bias else []
    model.output(model.emit("layernormalization", (2, 3, 4), operands, Axis=axis, Epsilon=0.1))
    model.check(modes=("region",))
