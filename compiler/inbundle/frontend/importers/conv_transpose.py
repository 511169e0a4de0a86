"""Importer of ConvTranspose: a convolution that computes s x s ... elements per window, which are then moved apart.

With strides s and filters of K elements (dilations counted) element q * s + r of the whole result, 0 <= r < s, is the
sum over t of x[q - t] * w[t * s + r]: for each r a convolution of its own, with filters of ceil(K / s) elements. All of
them are the channels of one convolution. What `pads` take away at the begin and the end is cut off after that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.frontend.windows import auto_pad
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.ops.windows import check_windows, extent, spatial_shape


@dataclass(frozen=True)
class _Axis:
    """One spatial dimension: the numbers of the node, `begin` elements cut off, `output` elements left."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    output: int

    @property
    def taps(self) -> int:
        """Elements of each of the `stride` filters."""
        return -(-extent(self.kernel, self.dilation) // self.stride)

    @property
    def windows(self) -> int:
        """How many q there are, up to the last element of the result."""
        return max(-(-(self.begin + self.output) // self.stride), 1)


@importer("ConvTranspose", since=1)
def conv_transpose(ctx: NodeContext) -> Value:
    x, w = ctx.input(0), ctx.input(1)
    group, axes = ctx.attr_int("group", 1), _axes(ctx, x, w)
    if group < 1 or w.type.shape[0] % group or w.type.shape[0] != x.type.shape[1]:
        raise ctx.error(f"input X is {x.type}, but input W is {w.type} for {group} groups")
    filters = _filters(ctx, w, group, axes)
    bias = _bias(ctx, group, axes) if ctx.has_input(2) else None
    attributes: dict[str, Attribute] = {
        "kernel_shape": tuple(axis.taps for axis in axes),
        "strides": (1,) * len(axes),
        "pads": (*(axis.taps - 1 for axis in axes), *(max(axis.windows - axis.size, 0) for axis in axes)),
        "dilations": (1,) * len(axes),
        "group": group,
    }
    return _moved_apart(ctx, ctx.add("Conv", [x, filters, bias], attributes, part="windows"), group, axes)


def _axes(ctx: NodeContext, x: Value, w: Value) -> list[_Axis]:
    spatial = spatial_shape(x.type)
    rank = len(spatial)
    if w.type.rank != x.type.rank:
        raise ctx.error(f"input W is {w.type}, but input X is {x.type}: ranks must agree")
    ones, zeros = (1,) * rank, (0,) * rank
    given = {
        "kernel_shape": ctx.attr_ints("kernel_shape", w.type.shape[2:]),
        "strides": ctx.attr_ints("strides", ones),
        "dilations": ctx.attr_ints("dilations", ones),
        "pads": ctx.attr_ints("pads", zeros + zeros),
    }
    check_windows(rank, given)
    if given["kernel_shape"] != w.type.shape[2:]:
        raise ctx.error(f"kernel_shape is {list(given['kernel_shape'])}, but input W is {w.type}")
    more, wanted = ctx.attr_ints("output_padding", zeros), ctx.optional_ints("output_shape")
    if len(more) != rank or (wanted is not None and len(wanted) < rank):
        raise ctx.error(f"output_padding or output_shape has no number for each of {rank} spatial dimensions")
    numbers = zip(spatial, given["kernel_shape"], given["strides"], given["dilations"], strict=True)
    return [
        _axis(ctx, each, more[at], given["pads"][at::rank], None if wanted is None else wanted[len(wanted) - rank + at])
        for at, each in enumerate(numbers)
    ]


def _axis(
    ctx: NodeContext, numbers: tuple[int, int, int, int], more: int, pads: Sequence[int], wanted: int | None
) -> _Axis:
    """`pads` are begin and end; a wanted size, or SAME_*, decides them instead."""
    size, kernel, stride, dilation = numbers
    whole, mode = (size - 1) * stride + extent(kernel, dilation) + more, auto_pad(ctx)
    if wanted is None and mode.startswith("SAME"):
        wanted = size * stride
    if wanted is None:
        begin, end = (0, 0) if mode == "VALID" else pads
        wanted = whole - begin - end
    else:
        total = max(whole - wanted, 0)
        begin = total // 2 if mode == "SAME_UPPER" else total - total // 2
    if wanted < 1:
        raise ctx.error(f"the pads take all of the {whole} elements of a dimension", attribute="pads")
    return _Axis(size, kernel, stride, dilation, begin, wanted)


def _filters(ctx: NodeContext, w: Value, group: int, axes: Sequence[_Axis]) -> Value:
    """C x M/group x kernel as (group, strides, M/group) x C/group x taps, the taps in reverse order."""
    channels, depth = w.type.shape[:2]
    w = _spread(ctx, w, axes)
    ends = [axis.taps * axis.stride - extent(axis.kernel, axis.dilation) for axis in axes]
    w = ctx.add("Pad", [w], {"pads": (0,) * (2 + len(axes) + 2) + tuple(ends)}, part="filled") if any(ends) else w
    split = [number for axis in axes for number in (axis.taps, axis.stride)]
    w = reshaped(ctx, w, (group, channels // group, depth, *split), "split")
    taps, strides = range(3, 3 + 2 * len(axes), 2), range(4, 3 + 2 * len(axes), 2)
    w = ctx.add("Transpose", [w], {"perm": (0, *strides, 2, 1, *taps)}, part="turned")
    filters = group * math.prod(axis.stride for axis in axes) * depth
    shape = (filters, channels // group, *(axis.taps for axis in axes))
    w = reshaped(ctx, w, shape, "joined")
    starts = (0, 0, *(axis.taps - 1 for axis in axes))
    steps = (1, 1, *(-1 for _ in axes))
    return ctx.add("Slice", [w], {"starts": starts, "steps": steps, "shape": shape}, part="filters")


def _spread(ctx: NodeContext, w: Value, axes: Sequence[_Axis]) -> Value:
    """The filters with zeros where dilations leave gaps."""
    if all(axis.dilation == 1 for axis in axes):
        return w
    outer = w.type.shape[:2]
    columns = [number for axis in axes for number in (axis.kernel, 1)]
    gaps = [number for axis in axes for number in (0, axis.dilation - 1)]
    w = reshaped(ctx, w, (*outer, *columns), "columns")
    w = ctx.add("Pad", [w], {"pads": (0,) * (2 * 2 + len(columns)) + tuple(gaps)}, part="gaps")
    w = reshaped(ctx, w, (*outer, *(axis.kernel * axis.dilation for axis in axes)), "spread")
    shape = (*outer, *(extent(axis.kernel, axis.dilation) for axis in axes))
    rank = len(shape)
    return ctx.add("Slice", [w], {"starts": (0,) * rank, "steps": (1,) * rank, "shape": shape}, part="dilated")


def _bias(ctx: NodeContext, group: int, axes: Sequence[_Axis]) -> Value:
    """The bias of every result of a channel: (group, strides, M/group)."""
    bias, copies = ctx.input(2), math.prod(axis.stride for axis in axes)
    if bias.type.rank != 1 or bias.type.elements % group:
        raise ctx.error(f"input B is {bias.type}, one number for each filter is needed")
    if copies == 1:
        return bias
    depth = bias.type.elements // group
    rows = reshaped(ctx, bias, (group, 1, depth), "bias_rows")
    wide = ctx.add("Expand", [rows], {"shape": (group, copies, depth)}, part="bias_copies")
    return reshaped(ctx, wide, (group * copies * depth,), "bias")


def _moved_apart(ctx: NodeContext, y: Value, group: int, axes: Sequence[_Axis]) -> Value:
    """N x (group, strides, M/group) x windows as N x M x (windows, strides), cut to the result."""
    images, filters, *windows = y.type.shape
    strides = [axis.stride for axis in axes]
    depth, rank = filters // group // math.prod(strides), len(axes)
    if math.prod(strides) != 1:
        y = reshaped(ctx, y, (images, group, *strides, depth, *windows), "results")
        pairs = zip(range(3 + rank, 3 + 2 * rank), range(2, 2 + rank), strict=True)
        perm = (0, 1, 2 + rank, *itertools.chain.from_iterable(pairs))
        y = ctx.add("Transpose", [y], {"perm": perm}, part="apart")
        y = reshaped(ctx, y, (images, group * depth, *map(math.prod, zip(windows, strides, strict=True))), "whole")
    shape = (images, group * depth, *(axis.output for axis in axes))
    starts = (0, 0, *(axis.begin for axis in axes))
    return ctx.add("Slice", [y], {"starts": starts, "steps": (1,) * len(shape), "shape": shape})
