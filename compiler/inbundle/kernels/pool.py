"""Pool kernels. A unit is one image of one channel."""

from __future__ import annotations

import math
from collections.abc import Sequence

from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import compute_type, extremes
from inbundle.kernels.facts import InstructionFacts
from inbundle.kernels.nests import times, total
from inbundle.kernels.windows import Dimension, dimensions, flat_index


@kernel("maxpool", "avgpool")
def _pool(context: KernelContext) -> str:
    window, dest = dimensions(context), Result(context)
    source, output = (flat_index(window, *names, "unit") for names in (("i", "size"), ("o", "output")))
    return templates.render(
        "pool.c.j2",
        window=window,
        dest=dest,
        channel=f"unit % {context.shape('Dest')[1]}",
        one_window=one_window(context, window, dest, context.buffer("Src").at(source), output),
    )


def one_window(facts: InstructionFacts, window: Sequence[Dimension], dest: Result, source: str, output: str) -> str:
    """The statements that pool one window.

    Args:
        source: the element under a tap, in C.
        output: the index in Dest, in C.
    """
    write = _largest if facts.instruction.kind == "maxpool" else _mean
    return write(facts, window, dest, source, output)


def _largest(facts: InstructionFacts, window: Sequence[Dimension], dest: Result, source: str, output: str) -> str:
    kind = facts.type("Src").elem
    return templates.render(
        "pool_largest.c.j2",
        window=window,
        dest=dest,
        source=source,
        output=output,
        type=compute_type(kind),
        least=extremes(kind)[0],
        floating=kind.is_float,
        argmax=facts.has("Argmax"),
        position=_position(window, by_columns=facts.integer("StorageOrder") == 1),
    )


def _mean(facts: InstructionFacts, window: Sequence[Dimension], dest: Result, source: str, output: str) -> str:
    counts, taps = _counts(window, include_pads=bool(facts.integer("CountIncludePads")))
    mean = f"sum / ({compute_type(facts.type('Dest').elem)}){'count' if counts else taps}"
    return templates.render(
        "pool_mean.c.j2", window=window, dest=dest, source=source, output=output, counts=counts, mean=mean
    )


def _position(window: Sequence[Dimension], *, by_columns: bool) -> str:
    """ONNX's flat index of the tap in Src: row-major, or with the first spatial dimension the fastest."""
    if not by_columns:
        return flat_index(window, "i", "size", "unit")
    variables = [f"unit * {math.prod(d.size for d in window)}"]
    for number, dimension in enumerate(window):
        variables.append(times(f"i_{dimension.axis}", math.prod(d.size for d in window[:number])))
    return total(*variables)


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
