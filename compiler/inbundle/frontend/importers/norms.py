"""Importers of what divides by a norm, or is one along windows: LpNormalization, LpPool, GlobalLpPool, LRN,
MeanVarianceNormalization, RMSNormalization; and Hardmax."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.frontend.windows import auto_pad, window_attributes
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.ops.windows import extent, output_size
from inbundle.graph.types import ElemKind


def _along(axes: Sequence[int]) -> dict[str, Attribute]:
    return {"axes": tuple(axes), "keepdims": True}


def _powers(ctx: NodeContext, x: Value, p: int) -> Value:
    """|x| to the power p."""
    if p == 2:
        return ctx.add("Mul", [x, x], part="squares")
    sizes = ctx.add("Abs", [x], part="sizes")
    return sizes if p == 1 else ctx.add("Pow", [sizes, number(ctx, p, x, "p")], part="powers")


def _root(ctx: NodeContext, x: Value, p: int, part: str = "") -> Value:
    """The p-th root."""
    if p == 1:
        return x
    if p == 2:
        return ctx.add("Sqrt", [x], part=part)
    return ctx.add("Pow", [x, number(ctx, 1 / p, x, "root")], part=part)


def _order(ctx: NodeContext) -> int:
    """The attribute p, which was a float in opset 1."""
    p = int(ctx.attr_float("p", 2.0)) if ctx.opset < 2 and "Pool" in ctx.operator else ctx.attr_int("p", 2)
    if p < 1:
        raise ctx.error(f"a norm of order {p} is not defined", attribute="p")
    return p


@importer("LpNormalization", since=1)
def lp_normalization(ctx: NodeContext) -> Value:
    """x divided by its norm along the axis; 0 where that is 0."""
    x, p = ctx.input(0), _order(ctx)
    axis = axis_of(ctx, ctx.attr_int("axis", -1), x.type.rank)
    norm = _root(ctx, ctx.add("ReduceSum", [_powers(ctx, x, p)], _along([axis]), part="sum"), p, "norm")
    zero = number(ctx, 0, x, "zero")
    is_zero = ctx.add("Equal", [norm, zero], part="is_zero")
    divisor = ctx.add("Where", [is_zero, number(ctx, 1, x, "one"), norm], part="divisor")
    return ctx.add("Div", [x, divisor])


@importer("GlobalLpPool", since=1)
def global_lp_pool(ctx: NodeContext) -> Value:
    x, p = ctx.input(0), _order(ctx)
    total = ctx.add("ReduceSum", [_powers(ctx, x, p)], _along(range(2, x.type.rank)), part="" if p == 1 else "sum")
    return _root(ctx, total, p)


@importer("LpPool", since=1)
def lp_pool(ctx: NodeContext) -> Value:
    """The sum of a window is a convolution with ones; where `ceil_mode` lets it end in nothing, pads make it whole."""
    x, p = ctx.input(0), _order(ctx)
    kernel = ctx.attr_ints("kernel_shape")
    frame = window_attributes(ctx, x, kernel)
    if ctx.attr_bool("ceil_mode", False) and auto_pad(ctx) == "NOTSET":
        frame["pads"] = _whole_pads(x.type.shape[2:], frame)
    (images, channels, *spatial), ones = x.type.shape, np.ones((1, 1, *kernel), x.type.elem.dtype)
    planes = reshaped(ctx, _powers(ctx, x, p), (images * channels, 1, *spatial), "planes")
    sums = ctx.add("Conv", [planes, ctx.new_constant(ones, "ones"), None], {**frame, "group": 1}, part="sums")
    result = reshaped(ctx, sums, (images, channels, *sums.type.shape[2:]), "" if p == 1 else "sum")
    return _root(ctx, result, p)


def _whole_pads(spatial: Sequence[int], frame: dict[str, Attribute]) -> tuple[int, ...]:
    """The pads with which the last window, which may reach beyond them, is inside."""
    kernel, strides, dilations, pads = (_numbers(frame[n]) for n in ("kernel_shape", "strides", "dilations", "pads"))
    rank, ends = len(spatial), []
    for at, size in enumerate(spatial):
        begin, end = pads[at], pads[at + rank]
        window = (kernel[at], strides[at], dilations[at])
        last = (output_size(size, *window, begin, end, ceil_mode=True) - 1) * strides[at]
        ends.append(max(end, last + extent(kernel[at], dilations[at]) - size - begin))
    return (*pads[:rank], *ends)


def _numbers(attribute: Attribute) -> tuple[int, ...]:
    assert isinstance(attribute, tuple)
    return tuple(int(value) for value in attribute)


@importer("LRN", since=1)
def local_response_normalization(ctx: NodeContext) -> Value:
    """x / (bias + alpha / size * sum of the squares of `size` channels around) ^ beta; an average with its pads."""
    x, size = ctx.input(0), ctx.attr_int("size")
    if x.type.rank < 2 or size < 1:
        raise ctx.error(f"the input is {x.type} and size {size}: channels, and at least one of them, are needed")
    images, channels, *spatial = x.type.shape
    before = (size - 1) // 2
    window: dict[str, Attribute] = {
        "kernel_shape": (size, 1),
        "strides": (1, 1),
        "pads": (before, 0, size - 1 - before, 0),
        "dilations": (1, 1),
        "ceil_mode": False,
        "count_include_pad": True,
    }
    plane = (images, 1, channels, math.prod(spatial))
    squares = reshaped(ctx, _powers(ctx, x, 2), plane, "planes")
    means = reshaped(ctx, ctx.add("AveragePool", [squares], window, part="means"), x.type.shape, "mean")
    alpha = number(ctx, ctx.attr_float("alpha", 1e-4), x, "alpha")
    scaled = ctx.add("Mul", [means, alpha], part="scaled")
    total = ctx.add("Add", [scaled, number(ctx, ctx.attr_float("bias", 1.0), x, "bias")], part="sum")
    divisor = ctx.add("Pow", [total, number(ctx, ctx.attr_float("beta", 0.75), x, "beta")], part="divisor")
    return ctx.add("Div", [x, divisor])


@importer("MeanVarianceNormalization", since=9)
def mean_variance_normalization(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    over = _along(sorted(axes_of(ctx, ctx.attr_ints("axes", (0, 2, 3)), x.type.rank)))
    centred = ctx.add("Sub", [x, ctx.add("ReduceMean", [x], over, part="mean")], part="centred")
    variance = ctx.add("ReduceMean", [_powers(ctx, centred, 2)], over, part="variance")
    deviation = ctx.add("Sqrt", [variance], part="deviation")
    divisor = ctx.add("Add", [deviation, number(ctx, 1e-9, x, "epsilon")], part="divisor")
    return ctx.add("Div", [centred, divisor])


@importer("RMSNormalization", since=23)
def rms_normalization(ctx: NodeContext) -> Value:
    """x / sqrt(mean of the squares + epsilon) * scale, the quotient in the element kind of `stash_type`."""
    x, scale = ctx.input(0), ctx.input(1)
    wide, stash = x, ctx.attr_int("stash_type", TensorProto.FLOAT)
    if stash == TensorProto.FLOAT and x.type.elem is not ElemKind.FLOAT:
        wide = ctx.add("Cast", [x], {"to": ElemKind.FLOAT.name}, part="float")
    axis = axis_of(ctx, ctx.attr_int("axis", -1), x.type.rank)
    mean = ctx.add("ReduceMean", [_powers(ctx, wide, 2)], _along(range(axis, x.type.rank)), part="mean")
    epsilon = number(ctx, ctx.attr_float("epsilon", 1e-5), wide, "epsilon")
    divisor = ctx.add("Sqrt", [ctx.add("Add", [mean, epsilon], part="sum")], part="divisor")
    normal = ctx.add("Div", [wide, divisor], part="normal")
    if wide is not x:
        normal = ctx.add("Cast", [normal], {"to": x.type.elem.name}, part="narrow")
    return ctx.add("Mul", [normal, scale])


@importer("Hardmax", since=13)
def hardmax(ctx: NodeContext) -> Value:
    """1 at the first largest element along the axis, else 0."""
    x = ctx.input(0)
    return _hardmax(ctx, x, axis_of(ctx, ctx.attr_int("axis", -1), x.type.rank))


@importer("Hardmax", since=1)
def hardmax_of_rows(ctx: NodeContext) -> Value:
    """Below opset 13 of the rows of a matrix, to which the input is flattened at the axis."""
    x = ctx.input(0)
    axis = axis_of(ctx, ctx.attr_int("axis", 1), x.type.rank)
    shape = x.type.shape
    matrix = reshaped(ctx, x, (math.prod(shape[:axis]), math.prod(shape[axis:])), "matrix")
    return reshaped(ctx, _hardmax(ctx, matrix, 1), shape, "rows")


def _hardmax(ctx: NodeContext, x: Value, axis: int) -> Value:
    attributes: dict[str, Attribute] = {"axis": axis, "keepdims": True, "select_last_index": False}
    largest = ctx.add("ArgMax", [x], attributes, part="largest")
    places = np.arange(x.type.shape[axis]).reshape(-1, *(1,) * (x.type.rank - axis - 1))
    is_largest = ctx.add("Equal", [largest, ctx.new_constant(places, "places")], part="is_largest")
    return ctx.add("Cast", [is_largest], {"to": x.type.elem.name})
