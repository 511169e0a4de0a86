"""Winograd convolution, channels last. A unit is a tile of the image; those of a task's tile are computed in blocks."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.panels import PANEL, panels
from inbundle.ir.vector_work import winograd_block, winograd_floats, winograd_points, winograd_step
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
    block = winograd_block(context.instruction)
    rests = {part % block for part in (context.units // context.task.tiles, -(-context.units // context.task.tiles))}
    filled = panels(channels) * PANEL
    return templates.render(
        "vector/winograd.c.j2",
        machine=machine,
        points=winograd_points(context.instruction),
        step=step,
        tiles_down=tiles_down,
        tiles_across=tiles_across,
        block=block,
        scratch_floats=block * winograd_floats(context.instruction),
        groups=[_blocked(group, machine, [block, *sorted(rests - {0})]) for group in groups(machine, filled)],
        is_far=4 * winograd_points(context.instruction) ** 2 * depth * filled > _NEAR_BYTES,
        panel=PANEL,
        panels=panels(channels),
        filled=filled,
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
