"""Convolutions that pool what they compute, in registers. A unit is a row of the pooled image.

The accumulators of a tile are the elements under windows side by side; they become one where the windows are pooled.
"""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass

from inbundle.ir.function import Instruction
from inbundle.ir.panels import PANEL
from inbundle.ir.pooling import parts
from inbundle.ir.stacks import elementwise_operands
from inbundle.kernels import templates
from inbundle.kernels.chains import chain
from inbundle.kernels.context import KernelContext
from inbundle.kernels.facts import Facts
from inbundle.kernels.vector.epilogue import VECTORS
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.tiles import CutGroup, groups, runs
from inbundle.kernels.windows import Dimension, last_dimensions, window_dimensions

# Accumulators of a tile, by registers: of one vector each, and what else a tile loads.
_SUMS = {16: 12, 32: 24}
# Of windows in the lanes, which load as many inputs as a window has elements.
_SUMS_OF_WINDOWS = {16: 8, 32: 16}
# With more filters there would be too much code.
_MOST_FILTERS = 32
# Products of a segment that stand one after the other, without a loop.
_MOST_UNROLLED = 8


def pooled(context: KernelContext, machine: Machine) -> str:
    """The kernel of a convolution with a pool among its steps, of an image in either order."""
    image = _Image.of(context)
    is_better = _filled(image.across.output, machine) >= _filled(image.channels, machine)
    if image.is_planar and image.channels <= _MOST_FILTERS and is_better:
        return _by_windows(image, machine)
    return _by_channels(image, machine)


def _filled(count: int, machine: Machine) -> float:
    """The part of the lanes that so many elements fill."""
    return count / (-(-count // machine.lanes) * machine.lanes)


@dataclass(frozen=True)
class _Steps:
    """The steps of a part behind what the kind itself computes; their operands have one element or one per channel.

    `same_channel`: all lanes are of one channel, else of channels side by side.
    """

    part: Instruction
    same_channel: bool

    def store(self, target: str, value: str, channel: object, suffix: str = "") -> str:
        """The statements that take a vector through the steps into `target`, in C.

        Args:
            channel: of the first lane, in C.
            suffix: of the operands' names, where they are local copies.
        """

        def value_of(name: str) -> str:
            operand = name.lower()
            if self.part[name].type.elements == 1:
                return f"vector_splat({operand}_0)"
            if self.same_channel:
                return f"vector_splat({operand}[{channel}])"
            return f"*(const unaligned *)(const void *)({operand}{suffix} + {channel})"

        return "\n".join(chain(Facts(self.part), value_of, target, value, VECTORS))


@dataclass(frozen=True)
class _Image:
    """What a convolution computes and pools.

    Attributes:
        image, pool: the parts of the instruction.
        planes: rows of their own that a row of the input consists of.
        pixel: floats per pixel of such a row.
        h, w: the windows of the convolution; `down`, `across`: those of the pool.
        channels: of the result.
        taps: row and column of each element under a window of the pool.
    """

    image: Instruction
    pool: Instruction
    planes: int
    pixel: int
    h: Dimension
    w: Dimension
    down: Dimension
    across: Dimension
    channels: int
    taps: list[tuple[int, ...]]

    @staticmethod
    def of(context: KernelContext) -> _Image:
        image, pool = parts(context.instruction)
        source, (_, *computed, channels) = context.shape("Src"), context.shape("Dest")
        is_planar = image.kind == "planarconvolution"
        planes, size, pixel = (source[1], source[2:], 1) if is_planar else (1, source[1:3], source[3])
        (h, w), (down, across) = window_dimensions(context, size, computed), last_dimensions(Facts(pool))
        taps = list(itertools.product(*map(range, pool.integers("Kernels"))))
        return _Image(image, pool, planes, pixel, h, w, down, across, channels, taps)

    @property
    def is_planar(self) -> bool:
        return self.image.kind == "planarconvolution"

    @property
    def rows(self) -> int:
        """Input rows under a row of windows."""
        return (self.down.kernel - 1) * self.h.stride + (self.h.kernel - 1) * self.h.dilation + 1

    @property
    def columns(self) -> list[str]:
        """Operands of further steps with an element per channel, named as in C."""
        operands = {name: o for part in (self.image, self.pool) for name, o in part.operands.items()}
        read = [operand for part in (self.image, self.pool) for operand in elementwise_operands(part)]
        return [name.lower() for name, o in operands.items() if o in read and o.value.type.elements > 1]

    def rendered(self, template: str, machine: Machine, same_channel: bool, **more: object) -> str:
        return templates.render(
            f"vector/{template}.c.j2",
            **{field.name: getattr(self, field.name) for field in dataclasses.fields(self)},
            machine=machine,
            panel=PANEL,
            panel_floats=self.planes * self.h.kernel * self.w.kernel * self.pixel * PANEL,
            rows=self.rows,
            mean=self.pool.kind == "nhwcavgpool",
            image_steps=_Steps(self.image, same_channel),
            pool_steps=_Steps(self.pool, same_channel),
            **more,
        )


@dataclass(frozen=True)
class _Filters:
    """Filters `begin` to `begin + count`, of one panel, that are computed together."""

    begin: int
    count: int


def _by_windows(image: _Image, machine: Machine) -> str:
    """Windows of a row in the lanes, several filters beside each other.

    An input row is split into as many pieces as there are pixels from one window to the next, so that what neighbouring
    windows see at the same place lies side by side.
    """
    w, across = image.w, image.across
    step, reach = across.kernel * w.stride, (across.kernel - 1) * w.stride + w.kernel - 1
    padded = -(-across.output // machine.lanes) * machine.lanes
    pieces = [_piece(number, step, w, across.output + reach // step) for number in range(step)]
    whole = max(first for first, _ in pieces), min(end for _, end in pieces)
    return image.rendered(
        "pooled_windows",
        machine,
        True,
        step=step,
        padded=padded,
        width=padded + reach // step,
        whole=whole,
        rest=[(n, x) for n, piece in enumerate(pieces) for x in range(*piece) if not whole[0] <= x < whole[1]],
        groups=_filters(image.channels, _SUMS_OF_WINDOWS[machine.registers] // len(image.taps)),
    )


def _piece(number: int, step: int, w: Dimension, most: int) -> tuple[int, int]:
    """First and end of what lies in the image of every `step`-th pixel, from `number` on, of a row with its pad."""
    first = max(0, -(-(w.pad - number) // step))
    return first, max(first, min(most, -(-(w.size + w.pad - number) // step)))


def _filters(channels: int, most: int) -> list[_Filters]:
    """All filters in groups of about as many of one panel."""
    found = []
    for begin in range(0, channels, PANEL):
        for run in runs(min(PANEL, channels - begin), most, 0, 0):
            found += [_Filters(begin + at, run.pixels) for at in range(run.begin, run.end, run.pixels)]
    return found


def _by_channels(image: _Image, machine: Machine) -> str:
    """Channels in the lanes, several windows beside each other."""
    w, sums = image.w, _SUMS[machine.registers] // len(image.taps)
    width = (w.output - 1) * w.stride + w.kernel
    direct = image.planes == 1 and image.h.is_inside and w.is_inside
    line = (w.size if direct else width) * image.pixel
    found = groups(machine, image.channels)
    return image.rendered(
        "pooled_channels",
        machine,
        False,
        groups=[CutGroup(each, runs(image.across.output, max(1, sums // each.vectors), 0, 0)) for each in found],
        direct=direct,
        line=line,
        row=image.planes * line,
        filled=min(w.size, width - w.pad),
        columns=image.columns,
        most_unrolled=_MOST_UNROLLED,
    )
