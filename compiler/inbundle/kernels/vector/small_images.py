"""Channels-last convolution of small images with many filters: each filter is read once, for all pixels."""

from __future__ import annotations

import math

from inbundle.ir.panels import PANEL
from inbundle.ir.units import CHANNEL_BLOCK
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.tiles import groups
from inbundle.kernels.windows import Dimension

# Filters of a block of channels that do not stay in the first cache while a kernel goes from row to row.
_LARGE_FILTER_BYTES = 64 << 10
# With fewer channels it takes too long to load and store the sums at each tap.
_FEWEST_CHANNELS = 128
# Pixels of all images; their sums are on the stack.
_MOST_PIXELS = 256


def is_small_image(context: KernelContext) -> bool:
    """Whether it is the filters that a convolution should read as seldom as possible."""
    (*image, channels), depth = context.shape("Dest"), context.shape("Src")[-1]
    filter_bytes = 4 * math.prod(context.integers("Kernels")) * depth * min(channels, CHANNEL_BLOCK)
    is_large = filter_bytes >= _LARGE_FILTER_BYTES and depth >= _FEWEST_CHANNELS
    return is_large and channels % PANEL == 0 and math.prod(image) <= _MOST_PIXELS


def by_taps(context: KernelContext, machine: Machine, h: Dimension, w: Dimension, channel_units: int) -> str:
    """Tap by tap: the sums of all pixels stay in memory, the filters of one tap in cache.

    Args:
        channel_units: units that the channels are cut into, 0 where each has all of them.
    """
    depth, channels = context.shape("Src")[-1], context.shape("Dest")[-1]
    return templates.render(
        "vector/small_image.c.j2",
        machine=machine,
        groups=groups(machine, channels),
        panel=PANEL,
        taps=h.kernel * w.kernel,
        panel_floats=h.kernel * w.kernel * depth * PANEL,
        depth=depth,
        channels=channels,
        pixels=math.prod(context.shape("Dest")[:-1]),
        all_rows=math.prod(context.shape("Dest")[:2]),
        channel_units=channel_units,
        h=h,
        w=w,
        epilogue=Epilogue(context),
    )
