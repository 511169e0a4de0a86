"""Kernels of Softmax, batch and layer normalisation.

A unit is one line along the axis, one image of one channel, or one row of the dimensions from the axis on. In place is
right: the sums of a line or row are taken before it is written.
"""

from __future__ import annotations

import math

from inbundle.graph.types import ElemKind, row_major
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import computed_as_double, extremes, literal, narrowed
from inbundle.kernels.nests import Axis, broadcast_strides, merge, start, times, total


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


@kernel("layernormalization")
def _layernormalization(context: KernelContext) -> str:
    """Sums are taken in double: images are large, and their mean may be far from 0."""
    shape, axis, kind = context.shape("Dest"), context.integer("Axis"), context.type("Dest").elem
    parameters = [name for name in ("Scale", "Bias") if context.has(name)]
    strides = [row_major(shape), *(broadcast_strides(context.shape(name), shape) for name in parameters)]
    axes = [Axis(size, tuple(steps)) for size, *steps in zip(shape, *strides, strict=True)]
    rows, inner = merge(axes[:axis]), merge(axes[axis:]) or [Axis(1, (0,) * len(strides))]
    index = ["line", *(f"{name.lower()}_row" for name in parameters)]
    at = [
        total(begin, *(times(f"i_{number}", each.strides[array]) for number, each in enumerate(inner)))
        for array, begin in enumerate(index)
    ]
    src = context.buffer("Src")
    scale, *bias = (context.buffer(name).at(at[array]) for array, name in enumerate(parameters, start=1))
    normal = f"({src.at(at[0])} - centre) * factor * {scale}"
    return templates.render(
        "layernormalization.c.j2",
        src=src,
        dest=Result(context),
        size=math.prod(shape[axis:]),
        starts=[(name, start("unit", rows, array) or "0") for array, name in enumerate(index) if array],
        axes=inner,
        index=at[0],
        epsilon=literal(ElemKind.FLOAT64, context.number("Epsilon")),
        element=computed_as_double(kind, src.at("line + i")),
        centre=narrowed(kind, "mean"),
        factor=narrowed(kind, "(1 / deviation)"),
        value=total(normal, *bias),
    )
