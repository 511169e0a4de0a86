"""Convolution kernels. A unit is one image of one output channel."""

from __future__ import annotations

from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.windows import dimensions, flat_index, join_plain, scaled


@kernel("convolution")
def _convolution(context: KernelContext) -> str:
    """By output rows where Dest can hold partial sums, else (half precision, for one) point by point.

    Both add the bias first, then input channel after input channel, tap after tap.
    """
    window = join_plain(dimensions(context))
    outer, inner = window[:-1], window[-1]
    filters, per_group = context.shape("Filter")[:2]
    result = Result(context)
    return templates.render(
        "conv_rows.c.j2" if result.holds_sums else "conv_points.c.j2",
        window=window,
        outer=outer,
        inner=inner,
        src=context.buffer("Src"),
        filter=context.buffer("Filter"),
        bias=context.buffer("Bias") if context.has("Bias") else None,
        dest=result,
        filters=filters,
        channels_per_group=per_group,
        channel=_first_channel(context),
        output_row=scaled(flat_index(outer, "o", "output", "unit"), inner.output),
        output_point=flat_index(window, "o", "output", "unit"),
        source_row=scaled(flat_index(outer, "i", "size", "channel + c"), inner.size),
        source_point=flat_index(window, "i", "size", "channel + c"),
        tap=flat_index(window, "k", "kernel", f"m * {per_group} + c"),
    )


def _first_channel(context: KernelContext) -> str:
    """First input channel, counted over all images, that output channel `m` of the unit's image reads."""
    filters, per_group = context.shape("Filter")[:2]
    image = f"unit / {filters} * {context.shape('Src')[1]}"
    group = context.integer("Group")
    return image if group == 1 else f"{image} + m / {filters // group} * {per_group}"
