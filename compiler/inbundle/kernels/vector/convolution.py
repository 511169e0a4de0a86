"""Channels-last convolution. A unit is an output row; of a convolution that moves no window, a block of pixels."""

from __future__ import annotations

import math

from inbundle.ir.panels import PANEL, panels
from inbundle.ir.pooling import parts
from inbundle.ir.units import Split
from inbundle.ir.vector_work import MOST_LINES, ROW_BLOCK, is_pointwise
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel
from inbundle.kernels.vector.pooled import pooled
from inbundle.kernels.vector.small_images import by_taps, is_small_image
from inbundle.kernels.vector.tiles import CutGroup, Group, Run, groups, runs
from inbundle.kernels.windows import Dimension, last_dimensions, window_dimensions

# Products of a segment that a tile of one vector has one after the other, without a loop; what its pixels have in
# common is loaded once, for which wider tiles have no registers.
_MOST_UNROLLED = 8


@vector_kernel("nhwcconvolution")
def _convolution(context: KernelContext, machine: Machine) -> str:
    if len(parts(context.instruction)) > 1:
        return pooled(context, machine)
    h, w = last_dimensions(context)
    depth, channels = context.shape("Src")[-1], context.shape("Dest")[-1]
    if is_pointwise(context.instruction):
        return by_blocks(context, machine, math.prod(context.shape("Dest")[:-1]), depth, channels, "filter")
    if is_small_image(context):
        return by_taps(context, machine, h, w, _channel_units(context))
    tiled = [_tiled(group, machine, w) for group in groups(machine, channels)]
    has_borders = any(not run.inside for group in tiled for run in group.runs)
    if has_borders and w.dilation == 1 and h.kernel * line_pixels(w) * depth <= MOST_LINES:
        return _by_lines(context, machine, h, w, pixel=depth)
    return templates.render(
        "vector/convolution.c.j2",
        machine=machine,
        groups=tiled,
        panel=PANEL,
        panel_floats=h.kernel * w.kernel * depth * PANEL,
        depth=depth,
        row_floats=w.size * depth,
        channels=channels,
        h=h,
        w=w,
        all_rows=math.prod(context.shape("Dest")[:2]),
        channel_units=_channel_units(context),
        has_borders=has_borders,
        epilogue=Epilogue(context),
    )


@vector_kernel("nhwcgrouped")
def _grouped(context: KernelContext, machine: Machine) -> str:
    h, w = last_dimensions(context)
    count, channels = context.integer("Group"), context.shape("Dest")[-1]
    depth, filters = context.shape("Src")[-1] // count, channels // count
    found = groups(machine, filters)
    return templates.render(
        "vector/grouped.c.j2",
        machine=machine,
        groups=[CutGroup(group, runs(w.output, machine.pixels[group.vectors], 0, 0)) for group in found],
        group_count=count,
        filters=filters,
        panel=PANEL,
        panels=panels(filters),
        panel_floats=h.kernel * w.kernel * depth * PANEL,
        depth=depth,
        row_floats=w.size * depth * count,
        channels=channels,
        h=h,
        w=w,
        epilogue=Epilogue(context),
    )


@vector_kernel("planarconvolution")
def _planar(context: KernelContext, machine: Machine) -> str:
    if len(parts(context.instruction)) > 1:
        return pooled(context, machine)
    planes, *size = context.shape("Src")[1:]
    h, w = window_dimensions(context, size, context.shape("Dest")[1:3])
    return _by_lines(context, machine, h, w, planes=planes)


def _by_lines(
    context: KernelContext, machine: Machine, h: Dimension, w: Dimension, *, planes: int = 1, pixel: int = 1
) -> str:
    """All taps of an output row in one image row lie in `width` pixels: `filled` of them are the image's, behind its
    pad, the rest zeros.

    Args:
        planes: rows of their own that a row of the image consists of.
        pixel: floats per pixel of such a row.
    """
    width, channels = line_pixels(w), context.shape("Dest")[-1]
    found = groups(machine, channels)
    return templates.render(
        "vector/lines.c.j2",
        machine=machine,
        groups=[CutGroup(group, runs(w.output, machine.pixels[group.vectors], 0, w.output)) for group in found],
        panel=PANEL,
        panel_floats=planes * h.kernel * w.kernel * pixel * PANEL,
        planes=planes,
        pixel=pixel,
        most_unrolled=_MOST_UNROLLED,
        width=width,
        filled=min(w.size, width - w.pad),
        channels=channels,
        all_rows=math.prod(context.shape("Dest")[:2]),
        channel_units=_channel_units(context),
        h=h,
        w=w,
        epilogue=Epilogue(context),
    )


def by_blocks(context: KernelContext, machine: Machine, rows: int, depth: int, columns: int, weights: str) -> str:
    """A product of the matrix Src (rows x depth) and a packed one, by blocks of rows.

    Args:
        weights: name of the operand with the packed matrix, as in C.
    """
    tiled = [_blocked(group, machine, rows) for group in groups(machine, columns)]
    return templates.render(
        "vector/product.c.j2",
        machine=machine,
        groups=tiled,
        block=ROW_BLOCK,
        rows=rows,
        depth=depth,
        columns=columns,
        weights=weights,
        panel=PANEL,
        channel_units=_channel_units(context),
        epilogue=Epilogue(context),
    )


def _channel_units(context: KernelContext) -> int:
    """Units that the channels are cut into, 0 where each has all of them."""
    return context.units if context.split is Split.CHANNELS else 0


def _blocked(group: Group, machine: Machine, rows: int) -> CutGroup[Run]:
    most = machine.pixels[group.vectors]
    whole = rows // ROW_BLOCK * ROW_BLOCK
    tile = max(size for size in range(1, most + 1) if ROW_BLOCK % size == 0)
    full = [Run(0, whole, tile, True)] if whole else []
    rest = [Run(run.begin + whole, run.end + whole, run.pixels, True) for run in runs(rows - whole, most, 0, rows)]
    return CutGroup(group, full + rest)


def _tiled(group: Group, machine: Machine, w: Dimension) -> CutGroup[Run]:
    return CutGroup(group, runs(w.output, machine.pixels[group.vectors], *inside(w)))


def line_pixels(w: Dimension) -> int:
    """Pixels of an image row, pads among them, that an output row looks at."""
    return (w.output - 1) * w.stride + w.kernel


def inside(w: Dimension) -> tuple[int, int]:
    """The outputs of a row whose taps all lie in the image; none where taps are not side by side."""
    if w.dilation != 1 and w.kernel != 1:
        return 0, 0
    first = -(-w.pad // w.stride)
    end = (w.size - w.kernel + w.pad) // w.stride + 1
    return first, min(end, w.output)
