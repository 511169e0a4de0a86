"""Kernels of reductions. A unit is one element of Dest; its elements of Src are taken in row-major order."""

from __future__ import annotations

import math

from inbundle.graph.types import ElemKind, row_major
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import extremes, is_signed, wide_type, widened
from inbundle.kernels.nests import Axis, merge, start, times, total
from inbundle.kernels.normalization import line_index, line_start


def _reduce(context: KernelContext, type: str, begin: str, update: str, value: str) -> str:
    """The kernel that folds every `x` into `result` by the statement `update` and stores `value`."""
    shape, reduced = context.shape("Src"), context.integers("Axes")
    strides = row_major(shape)
    kept = [Axis(shape[i], (strides[i],)) for i in range(len(shape)) if i not in reduced]
    axes = merge([Axis(shape[i], (strides[i],)) for i in reduced]) or [Axis(1, (1,))]
    steps = [times(f"r_{number}", axis.strides[0]) for number, axis in enumerate(axes)]
    return templates.render(
        "reduce.c.j2",
        src=context.buffer("Src"),
        dest=Result(context),
        start=start("unit", merge(kept), 0) or "0",
        axes=axes,
        index=total("start", *steps),
        type=type,
        begin=begin,
        update=update,
        value=value,
    )


@kernel("reducesum")
def _sum(context: KernelContext) -> str:
    kind = context.type("Src").elem
    return _reduce(context, wide_type(kind), "0", f"result += {widened(kind, 'x')};", "result")


@kernel("reduceprod")
def _product(context: KernelContext) -> str:
    kind = context.type("Src").elem
    return _reduce(context, wide_type(kind), "1", f"result *= {widened(kind, 'x')};", "result")


@kernel("reducemean")
def _mean(context: KernelContext) -> str:
    """Integers are summed in 64 bits; the mean truncates. The mean of no integers is 0."""
    kind, buffer = context.type("Src").elem, context.buffer("Src")
    count = context.type("Src").elements // context.type("Dest").elements
    if kind.is_float:
        return _reduce(context, buffer.type, "0", "result += x;", f"result / ({buffer.type}){count}")
    mean = f"(int64_t)result / {count}" if is_signed(kind) else f"result / {count}u"
    return _reduce(context, "uint64_t", "0", "result += (uint64_t)x;", mean if count else "result")


@kernel("reducemax", "reducemin")
def _extremum(context: KernelContext) -> str:
    """NaN wins. Of no elements the result is the value that every other one beats."""
    kind, buffer = context.type("Src").elem, context.buffer("Src")
    least, largest = extremes(kind)
    is_max = context.instruction.kind == "reducemax"
    better = f"x {'>' if is_max else '<'} result" + (" || x != x" if kind.is_float else "")
    return _reduce(context, buffer.type, least if is_max else largest, f"if ({better})\nresult = x;", "result")


@kernel("argmax", "argmin")
def _arg(context: KernelContext) -> str:
    shape, axis = context.shape("Src"), context.integer("Axis")
    return templates.render(
        "arg.c.j2",
        src=context.buffer("Src"),
        line=line_start(shape, axis),
        index=line_index(shape, axis),
        size=shape[axis],
        better=_better(context, context.type("Src").elem),
    )


def _better(context: KernelContext, kind: ElemKind) -> str:
    """Whether x takes the place of `best`; of equal ones the first or the last stays, and NaN beats all numbers."""
    operator = ">" if context.instruction.kind == "argmax" else "<"
    if context.integer("SelectLastIndex"):
        return f"x {operator}= best" + (" || x != x" if kind.is_float else "")
    return f"x {operator} best" + (" || (x != x && best == best)" if kind.is_float else "")


@kernel("cumsum")
def _cumulate(context: KernelContext) -> str:
    shape, axis, kind = context.shape("Src"), context.integer("Axis"), context.type("Src").elem
    return templates.render(
        "cumsum.c.j2",
        src=context.buffer("Src"),
        dest=context.buffer("Dest"),
        line=line_start(shape, axis),
        index=line_index(shape, axis),
        size=shape[axis],
        type=wide_type(kind),
        update=f"result += {widened(kind, 'x')};",
        exclusive=context.integer("Exclusive"),
        reverse=context.integer("Reverse"),
    )


@kernel("topk")
def _top(context: KernelContext) -> str:
    """Elements are put into the sorted ones so far; of equal ones the later is behind."""
    shape, axis, kept = context.shape("Src"), context.integer("Axis"), context.shape("Dest")
    inner = math.prod(shape[axis + 1 :])

    def place(index: str) -> str:
        return f"top + {index}" if inner == 1 else f"top + ({index}) * {inner}"

    return templates.render(
        "topk.c.j2",
        src=context.buffer("Src"),
        dest=context.buffer("Dest"),
        line=line_start(shape, axis),
        top=line_start(kept, axis),
        index=line_index(shape, axis),
        size=shape[axis],
        count=kept[axis],
        operator=">" if context.integer("Largest") else "<",
        place=place,
    )
