"""Convolution kernels. A unit is one image of one output channel.

All add the bias first, then input channel after input channel, tap after tap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from inbundle.ir.pooling import lines, parts
from inbundle.ir.stacks import sums_elsewhere
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.facts import Facts
from inbundle.kernels.pool import one_window
from inbundle.kernels.windows import Dimension, dimensions, flat_index, join_plain, scaled


@kernel("convolution")
def _convolution(context: KernelContext) -> str:
    """By output rows where Dest, or a row on the stack, can hold partial sums; else (half precision, for one) point by
    point."""
    image, *pools = parts(context.instruction)
    if pools:
        return _pooled(context, Facts(image), Facts(pools[0]))
    result = Result(context)
    template = "conv_rows.c.j2" if result.holds_sums else "conv_points.c.j2"
    elsewhere = sums_elsewhere(context.instruction)
    window = dimensions(context) if elsewhere else join_plain(dimensions(context))
    return templates.render(template, conv=_facts(context, window), dest=result, elsewhere=elsewhere)


def _pooled(context: KernelContext, image: Facts, pool: Facts) -> str:
    """By the rows under a row of windows, whose elements no memory holds but the C stack."""
    down, across = (
        dataclasses.replace(dimension, axis=axis) for dimension, axis in zip(dimensions(pool), "yx", strict=True)
    )
    rows_under, computed, dest = lines(pool.instruction), Result(image), Result(pool)
    window = [dataclasses.replace(down, size=rows_under, stride=0), across]
    source, output = flat_index([across], "i", "size", "i_y"), flat_index([down, across], "o", "output", "unit")
    return templates.render(
        "conv_pooled.c.j2",
        conv=_facts(context, dimensions(context)),
        image=computed,
        # An operand that both epilogues read is declared once.
        per_channel=dict.fromkeys([*computed.per_channel("m").splitlines(), *dest.per_channel("m").splitlines()]),
        rows=down.output,
        rows_under=rows_under,
        across=across,
        one_window=one_window(pool, window, dest, f"rows[{source}]", output),
    )


def _facts(context: KernelContext, window: Sequence[Dimension]) -> dict[str, object]:
    """What the templates need to know of a convolution; rows lie along the last dimension of its window."""
    outer, inner = window[:-1], window[-1]
    filters, per_group = context.shape("Filter")[:2]
    return {
        "window": window,
        "outer": outer,
        "inner": inner,
        "src": context.buffer("Src"),
        "filter": context.buffer("Filter"),
        "bias": context.buffer("Bias") if context.has("Bias") else None,
        "filters": filters,
        "channels_per_group": per_group,
        "channel": _first_channel(context),
        "output_row": scaled(flat_index(outer, "o", "output", "unit"), inner.output),
        "output_point": flat_index(window, "o", "output", "unit"),
        "source_row": scaled(flat_index(outer, "i", "size", "channel + c"), inner.size),
        "source_point": flat_index(window, "i", "size", "channel + c"),
        "tap": flat_index(window, "k", "kernel", f"m * {per_group} + c"),
    }


def _first_channel(context: KernelContext) -> str:
    """First input channel, counted over all images, that output channel `m` of the unit's image reads."""
    filters, per_group = context.shape("Filter")[:2]
    image = f"unit / {filters} * {context.shape('Src')[1]}"
    group = context.integer("Group")
    return image if group == 1 else f"{image} + m / {filters // group} * {per_group}"
