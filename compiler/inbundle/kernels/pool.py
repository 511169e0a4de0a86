"""Pool kernels. A unit is one image of one channel."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import compute_type, extremes
from inbundle.kernels.nests import times, total
from inbundle.kernels.windows import Dimension, dimensions, flat_index


def _facts(context: KernelContext, window: Sequence[Dimension]) -> dict[str, object]:
    """What the templates of both pools need."""
    return {
        "window": window,
        "src": context.buffer("Src"),
        "dest": Result(context),
        "channel": f"unit % {context.shape('Dest')[1]}",
        "source_point": flat_index(window, "i", "size", "unit"),
        "output_point": flat_index(window, "o", "output", "unit"),
    }


@kernel("maxpool")
def _maxpool(context: KernelContext) -> str:
    window = dimensions(context)
    kind = context.type("Src").elem
    return templates.render(
        "maxpool.c.j2",
        **_facts(context, window),
        least=extremes(kind)[0],
        floating=kind.is_float,
        argmax=context.has("Argmax"),
        position=_position(window, by_columns=context.integer("StorageOrder") == 1),
    )


def _position(window: Sequence[Dimension], *, by_columns: bool) -> str:
    """ONNX's flat index of the tap in Src: row-major, or with the first spatial dimension the fastest."""
    if not by_columns:
        return flat_index(window, "i", "size", "unit")
    variables = [f"unit * {math.prod(d.size for d in window)}"]
    for number, dimension in enumerate(window):
        variables.append(times(f"i_{dimension.axis}", math.prod(d.size for d in window[:number])))
    return total(*variables)


@kernel("avgpool")
def _avgpool(context: KernelContext) -> str:
    window = dimensions(context)
    counts, taps = _counts(window, include_pads=bool(context.integer("CountIncludePads")))
    number_type = compute_type(context.type("Dest").elem)
    divisor = f"({number_type}){'count' if counts else taps}"
    return templates.render("avgpool.c.j2", **_facts(context, window), counts=counts, divisor=divisor)


def _counts(window: Sequence[Dimension], *, include_pads: bool) -> tuple[list[str], int]:
    """Factors in C of the number of taps that count, none where all taps always do; and the number of all taps."""
    factors = []
    taps = 1
    for d in window:
        low, high = (-d.pad, d.size + d.end_pad) if include_pads else (0, d.size)
        if -d.pad >= low and (d.output - 1) * d.stride - d.pad + (d.kernel - 1) * d.dilation < high:
            taps *= d.kernel
        else:
            start = total(f"o_{d.axis} * {d.stride}") + (f" - {d.pad}" if d.pad else "")
            factors.append(f"pool_taps({start}, {d.kernel}, {d.dilation}, {low}, {high})")
    if factors and taps != 1:
        factors.append(str(taps))
    return factors, taps
