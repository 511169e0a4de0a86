"""Importers of Resize and Upsample: axis by axis, a Gather of the nearest elements, or a sum of weighted neighbours.

Below opset 11 coordinates are divided by the scale, and the nearest element is the one before. The inputs: scales until
10, then region of interest, scales and sizes, of which an empty one is absent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inbundle.frontend.axes import axes_of
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.interpolation import Kernel, ResizedAxis, coordinates, nearest, taps
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.numbers import number
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Value
from inbundle.graph.types import ElemKind

_MODES = ("nearest", "linear", "cubic")


@importer("Upsample", since=1)
def upsample_image(ctx: NodeContext) -> Value:
    """Of N x C x H x W."""
    return _by_scales(ctx, (1.0, 1.0, ctx.attr_float("height_scale"), ctx.attr_float("width_scale")))


@importer("Upsample", since=7)
def upsample_by_attribute(ctx: NodeContext) -> Value:
    return _by_scales(ctx, ctx.attr_floats("scales"))


@importer("Upsample", since=9)
@importer("Resize", since=10)
def resize_by_scales(ctx: NodeContext) -> Value:
    return _by_scales(ctx, _floats(ctx, 1, "scales") or ())


def _by_scales(ctx: NodeContext, scales: Sequence[float]) -> Value:
    return _resized(ctx, _scaled(ctx, range(ctx.input(0).type.rank), scales), "asymmetric", "floor")


@importer("Resize", since=11)
def resize(ctx: NodeContext) -> Value:
    shape = ctx.input(0).type.shape
    axes = axes_of(ctx, ctx.optional_ints("axes") or range(len(shape)), len(shape))
    mode = ctx.attr_string("coordinate_transformation_mode", "half_pixel")
    scales, sizes = _floats(ctx, 2, "scales"), _floats(ctx, 3, "sizes")
    if (scales is None) == (sizes is None):
        raise ctx.error("needs either the input 'scales' or the input 'sizes'")
    resized = _scaled(ctx, axes, scales) if scales is not None else _sized(ctx, axes, sizes or ())
    if mode == "tf_crop_and_resize":
        resized = _cropped(ctx, resized)
    return _resized(ctx, resized, mode, ctx.attr_string("nearest_mode", "round_prefer_floor"))


def _floats(ctx: NodeContext, index: int, what: str) -> tuple[float, ...] | None:
    data = ctx.optional_constant(index, what)
    return None if data is None or not data.size else tuple(float(value) for value in data.reshape(-1))


def _scaled(ctx: NodeContext, axes: Sequence[int], scales: Sequence[float]) -> list[ResizedAxis]:
    shape = ctx.input(0).type.shape
    if len(scales) != len(axes) or min(scales, default=1) <= 0:
        raise ctx.error(f"the scales {list(scales)} do not fit the axes {list(axes)} of {ctx.input(0).type}")
    sizes = [(axis, shape[axis], scale) for axis, scale in zip(axes, scales, strict=True)]
    return [ResizedAxis(axis, size, math.floor(size * np.float32(scale)), scale) for axis, size, scale in sizes]


def _sized(ctx: NodeContext, axes: Sequence[int], sizes: Sequence[float]) -> list[ResizedAxis]:
    """With a policy that keeps proportions one scale, the smaller or the larger, is that of all axes."""
    shape, policy = ctx.input(0).type.shape, ctx.attr_string("keep_aspect_ratio_policy", "stretch")
    if len(sizes) != len(axes) or min(sizes, default=1) < 1 or not all(shape[axis] for axis in axes):
        raise ctx.error(f"the sizes {list(map(int, sizes))} do not fit the axes {list(axes)} of {ctx.input(0).type}")
    scales = [size / shape[axis] for axis, size in zip(axes, sizes, strict=True)]
    if policy == "stretch":
        found = zip(axes, sizes, scales, strict=True)
        return [ResizedAxis(axis, shape[axis], int(size), scale) for axis, size, scale in found]
    if policy not in ("not_larger", "not_smaller"):
        raise ctx.error(f"the policy {policy!r} is unknown", attribute="keep_aspect_ratio_policy")
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [ResizedAxis(axis, shape[axis], math.floor(scale * shape[axis] + 0.5), scale) for axis in axes]


def _cropped(ctx: NodeContext, axes: Sequence[ResizedAxis]) -> list[ResizedAxis]:
    """With the region of interest: all begins, then all ends."""
    region = _floats(ctx, 1, "roi") or ()
    if len(region) != 2 * len(axes):
        raise ctx.error(f"roi has {len(region)} numbers, {2 * len(axes)} are needed")
    bounds = zip(axes, region[: len(axes)], region[len(axes) :], strict=True)
    return [ResizedAxis(a.axis, a.size, a.output, a.scale, begin, end) for a, begin, end in bounds]


def _resized(ctx: NodeContext, axes: Sequence[ResizedAxis], mode: str, nearest_mode: str) -> Value:
    x, method = ctx.input(0), ctx.attr_string("mode", "nearest")
    if method not in _MODES:
        raise ctx.error(f"the mode {method!r} is none of {', '.join(_MODES)}", attribute="mode")
    crops = mode == "tf_crop_and_resize"
    changed = [a for a in axes if crops or a.scale != 1 or a.output != a.size]
    y = x if method == "nearest" or x.type.elem.is_float else _cast(ctx, x, ElemKind.FLOAT, "float")
    for axis in sorted(changed, key=lambda axis: axis.scale):
        places = coordinates(axis, mode)
        if method == "nearest":
            y = _picked(ctx, y, axis, nearest(places, axis.size, nearest_mode))
        else:
            y = _interpolated(ctx, y, axis, taps(places, axis, _kernel(ctx, method)))
        if crops:
            y = _outside(ctx, y, axis, (places < 0) | (places > axis.size - 1))
    return ctx.add("Cast", [y], {"to": x.type.elem.name}) if y.type.elem is not x.type.elem else y


def _cast(ctx: NodeContext, value: Value, elem: ElemKind, part: str) -> Value:
    return ctx.add("Cast", [value], {"to": elem.name}, part=part)


def _kernel(ctx: NodeContext, method: str) -> Kernel:
    return Kernel(
        method == "cubic",
        ctx.attr_float("cubic_coeff_a", -0.75),
        ctx.attr_bool("antialias", False),
        ctx.attr_bool("exclude_outside", False),
    )


def _picked(ctx: NodeContext, x: Value, axis: ResizedAxis, indices: np.ndarray) -> Value:
    """The elements at the indices; where each is there equally often, copies beside each other."""
    at, shape = axis.axis, x.type.shape
    copies = axis.output // axis.size if axis.size else 0
    if copies * axis.size != axis.output or (indices != np.arange(axis.output) // max(copies, 1)).any():
        chosen = ctx.new_constant(indices, f"indices{at}")
        return ctx.add("Gather", [x, chosen], {"axis": at}, part=f"axis{at}")
    column = reshaped(ctx, x, (*shape[: at + 1], 1, *shape[at + 1 :]), f"column{at}")
    wide = ctx.add("Expand", [column], {"shape": (*shape[: at + 1], copies, *shape[at + 1 :])}, part=f"copies{at}")
    return reshaped(ctx, wide, (*shape[:at], axis.output, *shape[at + 1 :]), f"axis{at}")


def _interpolated(
    ctx: NodeContext, x: Value, axis: ResizedAxis, neighbours: Sequence[tuple[np.ndarray, np.ndarray]]
) -> Value:
    at, ones = axis.axis, (1,) * (x.type.rank - axis.axis - 1)
    total: Value | None = None
    for tap, (indices, weights) in enumerate(neighbours):
        part = f"axis{at}_{tap}"
        taken = ctx.add("Gather", [x, ctx.new_constant(indices, f"{part}_indices")], {"axis": at}, part=part)
        column = weights.reshape(-1, *ones).astype(x.type.elem.dtype)
        term = ctx.add("Mul", [taken, ctx.new_constant(column, f"{part}_weights")], part=f"{part}_term")
        total = term if total is None else ctx.add("Add", [total, term], part=f"{part}_sum")
    assert total is not None
    return total


def _outside(ctx: NodeContext, y: Value, axis: ResizedAxis, outside: np.ndarray) -> Value:
    """Elements from beyond the ends are a number."""
    if not outside.any():
        return y
    mask = ctx.new_constant(outside.reshape(-1, *(1,) * (y.type.rank - axis.axis - 1)), f"outside{axis.axis}")
    value = number(ctx, ctx.attr_float("extrapolation_value", 0.0), y, f"value{axis.axis}")
    return ctx.add("Where", [mask, value, y], part=f"inside{axis.axis}")
