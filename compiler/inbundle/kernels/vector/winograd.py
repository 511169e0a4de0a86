"""Winograd convolution, channels last. A unit is a tile of the image; those of a task's tile are computed in blocks.
Cut along channels, a unit is a panel of filters, and every task's tile transforms all of the image."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.panels import PANEL, panels
from inbundle.ir.units import Split, units
from inbundle.ir.vector_work import (
    winograd_block,
    winograd_floats,
    winograd_points,
    winograd_step,
    winograd_widths,
)
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel
from inbundle.kernels.vector.tiles import CutGroup, Group, groups, runs
from inbundle.kernels.windows import last_dimensions

# Of more filters, those of the next point are fetched while one is computed; fewer stay close to the processor.
_NEAR_BYTES = 256 << 10


@dataclass(frozen=True)
class _BlockRun:
    """Tiles `begin` to `end` of a block of `of` tiles, `pixels` at a time."""

    of: int
    begin: int
    end: int
    pixels: int


@vector_kernel("nhwcwinograd")
def _winograd(context: KernelContext, machine: Machine) -> str:
    h, w = last_dimensions(context)
    depth = context.shape("Src")[-1]
    channels = context.shape("Dest")[-1]
    step = winograd_step(context.instruction)
    tiles_down, tiles_across = -(-h.output // step), -(-w.output // step)
    is_cut = context.split is Split.CHANNELS
    parts, image_parts = (context.task.tiles, 1) if is_cut else (1, context.task.tiles)
    block = winograd_block(context.instruction, parts)
    all_tiles = units(context.instruction)
    rests = {part % block for part in (all_tiles // image_parts, -(-all_tiles // image_parts))}
    sizes = [block, *sorted(rests - {0})]
    widths = winograd_widths(context.instruction, parts)
    return templates.render(
        "vector/winograd.c.j2",
        machine=machine,
        points=winograd_points(context.instruction),
        step=step,
        tiles_down=tiles_down,
        tiles_across=tiles_across,
        block=block,
        all_tiles=all_tiles,
        scratch_floats=block * winograd_floats(context.instruction, parts),
        is_cut=is_cut,
        widths={width: [_blocked(group, machine, sizes) for group in groups(machine, width)] for width in widths},
        is_far=4 * winograd_points(context.instruction) ** 2 * depth * widths[0] > _NEAR_BYTES,
        panel=PANEL,
        panels=panels(channels),
        filled=widths[0],
        depth=depth,
        channels=channels,
        h=h,
        w=w,
        epilogue=Epilogue(context),
    )


def _blocked(group: Group, machine: Machine, sizes: list[int]) -> CutGroup[_BlockRun]:
    most = machine.pixels[group.vectors]
    return CutGroup(
        group, [_BlockRun(size, run.begin, run.end, run.pixels) for size in sizes for run in runs(size, most, 0, size)]
    )
