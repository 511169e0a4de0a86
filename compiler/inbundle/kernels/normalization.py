"""Kernels of Softmax and batch normalisation.

A unit is one line along the axis, or one image of one channel. In place is right: a line's sums are taken before it is
written.
"""

from __future__ import annotations

import math

from inbundle.graph.types import ElemKind
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import computed_as_double, extremes, literal, narrowed
from inbundle.kernels.nests import times, total


def line_start(shape: tuple[int, ...], axis: int) -> str:
    """Index of the first element of line `unit` along an axis of a row-major tensor, in C."""
    inner = math.prod(shape[axis + 1 :])
    if inner == 1:
        return times("unit", shape[axis]) or "0"
    return f"unit / {inner} * {inner * shape[axis]} + unit % {inner}"


def line_index(shape: tuple[int, ...], axis: int) -> str:
    """Index of element `i` of the line that starts at `line`, in C."""
    return total("line", times("i", math.prod(shape[axis + 1 :])))


@kernel("softmax", "logsoftmax")
def _softmax(context: KernelContext) -> str:
    """Exponentials are computed twice rather than stored in Dest, which half precision would round."""
    shape, axis = context.shape("Src"), context.integer("Axis")
    src, kind = context.buffer("Src"), context.type("Dest").elem
    index = line_index(shape, axis)
    exponential = narrowed(kind, f"math_exp({computed_as_double(kind, f'({src.at(index)} - largest)')})")
    is_log = context.instruction.kind == "logsoftmax"
    return templates.render(
        "softmax.c.j2",
        src=src,
        dest=context.buffer("Dest"),
        line=line_start(shape, axis),
        index=index,
        size=shape[axis],
        least=extremes(kind)[0],
        exponential=exponential,
        logarithm=narrowed(kind, f"math_log({computed_as_double(kind, 'sum')})") if is_log else "",
        result=f"{src.at(index)} - largest - sum" if is_log else f"{exponential} / sum",
    )


@kernel("batchnormalization")
def _batchnormalization(context: KernelContext) -> str:
    kind = context.type("Dest").elem
    epsilon = literal(ElemKind.FLOAT64, context.number("Epsilon"))
    deviation = f"math_sqrt((double){context.buffer('Var').at('m')} + {epsilon})"
    return templates.render(
        "batchnormalization.c.j2",
        src=context.buffer("Src"),
        dest=Result(context),
        channels=context.shape("Src")[1],
        size=math.prod(context.shape("Src")[2:]),
        factor=narrowed(kind, f"({context.buffer('Scale').at('m')} / {deviation})"),
        centre=narrowed(kind, context.buffer("Mean").at("m")),
        offset=narrowed(kind, context.buffer("Bias").at("m")),
    )
