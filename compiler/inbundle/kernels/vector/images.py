"""Channels-last depthwise convolutions and pools. A unit is an output row or, of a depthwise convolution that is cut
along its channels, a panel of them."""

from __future__ import annotations

from inbundle.ir.panels import PANEL
from inbundle.ir.units import Split
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel
from inbundle.kernels.vector.tiles import runs
from inbundle.kernels.windows import Dimension, last_dimensions

# Pixels of a depthwise tile beside each other: with the weights of a row of taps they fit into 16 and 32 registers.
_PIXELS = {16: 6, 32: 8}


@vector_kernel("nhwcdepthwise")
def _depthwise(context: KernelContext, machine: Machine) -> str:
    h, w = last_dimensions(context)
    tiles = runs(w.output, _PIXELS[machine.registers], *_inside(w))
    return templates.render(
        "vector/depthwise.c.j2",
        machine=machine,
        channels=context.shape("Dest")[-1],
        h=h,
        w=w,
        runs=tiles,
        epilogue=Epilogue(context),
        rows=context.shape("Dest")[0] * h.output if context.split is Split.CHANNELS else None,
        panel=PANEL,
    )


def _inside(w: Dimension) -> tuple[int, int]:
    """The outputs of a row whose taps all lie in the image."""
    reach = (w.kernel - 1) * w.dilation + 1
    return -(-w.pad // w.stride), min((w.size - reach + w.pad) // w.stride + 1, w.output)


@vector_kernel("nhwcmaxpool")
def _maxpool(context: KernelContext, machine: Machine) -> str:
    return _pool(context, machine, mean=False)


@vector_kernel("nhwcavgpool")
def _avgpool(context: KernelContext, machine: Machine) -> str:
    """The divisor counts taps inside the image or, with CountIncludePads, inside image and pads."""
    h, w = last_dimensions(context)
    padded = f"{_padded_taps(h, f'unit % {h.output}')} * {_padded_taps(w, 'o')}"
    return _pool(context, machine, mean=True, count=padded if context.integer("CountIncludePads") else "")


def _padded_taps(d: Dimension, output: str) -> str:
    """Taps of a window inside image and pads, in C."""
    return f"pool_taps({output} * {d.stride} - {d.pad}, {d.kernel}, {d.dilation}, -{d.pad}, {d.size + d.end_pad})"


def _pool(context: KernelContext, machine: Machine, *, mean: bool, count: str = "") -> str:
    """A pool that sums, or takes the largest; `count`: what sums are divided by if not by the taps inside, in C."""
    h, w = last_dimensions(context)
    channels, (first, end) = context.shape("Dest")[-1], _inside(w)
    inside = (first, end) if first < end else (w.output, w.output)
    narrow = min(max(inside[0], _narrow(w, channels, machine.lanes)), inside[1]) if channels < machine.lanes else 0
    return templates.render(
        "vector/pool.c.j2",
        machine=machine,
        channels=channels,
        h=h,
        w=w,
        narrow=narrow,
        runs=[(inside[0], narrow, True), (max(inside[0], narrow), inside[1], channels >= machine.lanes)],
        borders=(list(range(inside[0])), list(range(inside[1], w.output))),
        mean=mean,
        count=count,
        epilogue=Epilogue(context),
        result=Result(context),
    )


def _narrow(w: Dimension, channels: int, lanes: int) -> int:
    """The first output of a row of which a vector from its first channel on leaves a row: of Dest, or of Src."""
    ends_in_dest = (w.output * channels - lanes) // channels
    last_tap = (w.size * channels - lanes) // channels
    ends_in_image = (last_tap + w.pad - (w.kernel - 1) * w.dilation) // w.stride
    return min(ends_in_dest, ends_in_image) + 1
