"""Importers of operators that move whole blocks of elements: DepthToSpace, SpaceToDepth, Tile, Trilu, CenterCropPad,
and of those that give a constant of some shape: EyeLike, Range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.importers.constants import MAX_FILLED_BYTES
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.frontend.tensors import elem_kind
from inbundle.graph.graph import Value

# Axes of N, C and the block within an image split up, in the order of the result, per mode.
_TO_SPACE = {"DCR": (0, 3, 4, 1, 5, 2), "CRD": (0, 1, 4, 2, 5, 3)}
_TO_DEPTH = {"DCR": (0, 3, 5, 1, 2, 4), "CRD": (0, 1, 3, 5, 2, 4)}


def _image(ctx: NodeContext) -> tuple[tuple[int, int, int, int], int]:
    """The shape of the operand, N x C x H x W, and the size of a block."""
    type, size = ctx.input(0).type, ctx.attr_int("blocksize")
    if type.rank != 4:
        raise ctx.error(f"the input is {type}, N x C x H x W is needed")
    if size < 1:
        raise ctx.error(f"a block of {size} is too small", attribute="blocksize")
    n, c, h, w = type.shape
    return (n, c, h, w), size


def _perm(ctx: NodeContext, table: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    mode = ctx.attr_string("mode", "DCR")
    if mode not in table:
        raise ctx.error(f"the mode is {mode!r}", attribute="mode", hint="it is DCR or CRD")
    return table[mode]


def _rearranged(ctx: NodeContext, split: tuple[int, ...], perm: tuple[int, ...], shape: tuple[int, ...]) -> Value:
    blocks = reshaped(ctx, ctx.input(0), split, "blocks")
    return reshaped(ctx, ctx.add("Transpose", [blocks], {"perm": perm}, part="moved"), shape)


@importer("DepthToSpace", since=1)
def depth_to_space(ctx: NodeContext) -> Value:
    (n, c, h, w), size = _image(ctx)
    if c % size**2:
        raise ctx.error(f"{c} channels are no multiple of {size} x {size}", attribute="blocksize")
    depth, perm = c // size**2, _perm(ctx, _TO_SPACE)
    split = (n, size, size, depth, h, w) if perm == _TO_SPACE["DCR"] else (n, depth, size, size, h, w)
    return _rearranged(ctx, split, perm, (n, depth, h * size, w * size))


@importer("SpaceToDepth", since=1)
def space_to_depth(ctx: NodeContext) -> Value:
    (n, c, h, w), size = _image(ctx)
    if h % size or w % size:
        raise ctx.error(f"an image of {h} x {w} is no multiple of {size} x {size}", attribute="blocksize")
    split = (n, c, h // size, size, w // size, size)
    return _rearranged(ctx, split, _perm(ctx, _TO_DEPTH), (n, c * size**2, h // size, w // size))


@importer("Tile", since=1)
def tile_along_axis(ctx: NodeContext) -> Value:
    """Inputs 1 and 2 are the number of copies and an axis, of any element kind."""
    copies, axis = (int(ctx.constant(index, name).item()) for index, name in ((1, "tiles"), (2, "axis")))
    rank = ctx.input(0).type.rank
    along = axis_of(ctx, axis, rank)
    return _tiled(ctx, [copies if at == along else 1 for at in range(rank)])


@importer("Tile", since=6)
def tile(ctx: NodeContext) -> Value:
    return _tiled(ctx, ctx.constant_ints(1, "repeats"))


def _tiled(ctx: NodeContext, repeats: Sequence[int]) -> Value:
    """Every dimension that is repeated gets a dimension of 1 before it, which is expanded."""
    x = ctx.input(0)
    if len(repeats) != x.type.rank or min(repeats, default=0) < 0:
        raise ctx.error(f"repeats {list(repeats)} do not fit {x.type}")
    split: list[int] = []
    wide: list[int] = []
    for size, count in zip(x.type.shape, repeats, strict=True):
        split += [size] if count == 1 else [1, size]
        wide += [size] if count == 1 else [count, size]
    if split == wide:
        return x
    copies = ctx.add("Expand", [reshaped(ctx, x, tuple(split), "split")], {"shape": tuple(wide)}, part="copies")
    return reshaped(ctx, copies, tuple(a * b for a, b in zip(x.type.shape, repeats, strict=True)))


@importer("Trilu", since=14)
def trilu(ctx: NodeContext) -> Value:
    x = ctx.input(0)
    if x.type.rank < 2:
        raise ctx.error(f"the input is {x.type}, matrices are needed")
    (k,) = ctx.constant_ints(1, "k") if ctx.has_input(1) else (0,)
    everywhere = np.ones(x.type.shape[-2:], bool)
    kept = np.triu(everywhere, k) if ctx.attr_bool("upper", True) else np.tril(everywhere, k)
    zero = ctx.new_constant(np.zeros((), x.type.elem.dtype), "zero")
    return ctx.add("Where", [ctx.new_constant(kept, "kept"), x, zero])


@importer("EyeLike", since=9)
def eye_like(ctx: NodeContext) -> Value:
    type = ctx.input(0).type
    if type.rank != 2:
        raise ctx.error(f"the input is {type}, a matrix is needed")
    elem = elem_kind(ctx.attr_int("dtype"), "the result") if ctx.has_attribute("dtype") else type.elem
    rows, columns = type.shape
    return ctx.new_constant(np.eye(rows, columns, ctx.attr_int("k", 0)).astype(elem.dtype))


@importer("Range", since=11)
def range_of_numbers(ctx: NodeContext) -> Value:
    """The number of elements depends on all three inputs."""
    start, limit, delta = (ctx.constant(index, name) for index, name in enumerate(("start", "limit", "delta")))
    if not delta.item():
        raise ctx.error("delta (input 2) is 0")
    count = max(0, math.ceil((limit.item() - start.item()) / delta.item()))
    if count * start.itemsize > MAX_FILLED_BYTES:
        raise ctx.unsupported(f"a constant of {count} elements is larger than {MAX_FILLED_BYTES >> 20} MiB")
    return ctx.new_constant((start.item() + np.arange(count) * delta.item()).astype(start.dtype))


@importer("CenterCropPad", since=18)
def center_crop_pad(ctx: NodeContext) -> Value:
    """Pads add zeros and, where negative, take elements away; the odd one is added or taken at the end."""
    x = ctx.input(0)
    shape, rank = ctx.constant_ints(1, "shape"), x.type.rank
    axes = axes_of(ctx, ctx.optional_ints("axes") or range(rank), rank)
    if len(shape) != len(axes):
        raise ctx.error(f"the shape {list(shape)} does not fit the axes {list(axes)}")
    pads = [0] * (2 * rank)
    for axis, size in zip(axes, shape, strict=True):
        more = size - x.type.shape[axis]
        pads[axis] = more // 2 if more > 0 else -(-more // 2)
        pads[axis + rank] = more - pads[axis]
    return ctx.add("Pad", [x], {"pads": tuple(pads), "mode": "constant", "value": 0.0}) if any(pads) else x
