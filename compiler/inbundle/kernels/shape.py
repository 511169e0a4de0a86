"""Kernels that move elements without computing on them: they copy what is stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from inbundle.graph.types import row_major
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import Buffer, compute_type, stored_literal, widened
from inbundle.kernels.facts import InstructionFacts
from inbundle.kernels.maps import Movement, mover
from inbundle.kernels.nests import Nest, broadcast_strides


def _move(
    shape: Sequence[int], dest: Sequence[int], src: Sequence[int], offsets: Mapping[str, int] | None = None
) -> str:
    """The kernel that copies an element for every index of `shape`, with strides in Dest and Src."""
    nest = Nest.over(shape, {"dest": dest, "src": src}, offsets)
    lines = [f"dest[{nest.index('dest')}] = src[{nest.index('src')}];"]
    return templates.render("map.c.j2", nest=nest, lines=lines)


def _sum_of_products(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


@kernel("copy")
def _copy(context: KernelContext) -> str:
    return _move((context.type("Dest").elements,), (1,), (1,))


@kernel("splat")
def _splat(context: KernelContext) -> str:
    type = context.type("Dest")
    nest = Nest.over((type.elements,), {"dest": (1,)})
    line = f"dest[{nest.index('dest')}] = {stored_literal(type.elem, context.number('Value'))};"
    return templates.render("map.c.j2", nest=nest, lines=[line])


@mover("broadcast")
def _broadcast(facts: InstructionFacts) -> Movement:
    return broadcast_strides(facts.shape("Src"), facts.shape("Dest")), 0


@mover("transpose")
def _transpose(facts: InstructionFacts) -> Movement:
    strides = row_major(facts.shape("Src"))
    return [strides[axis] for axis in facts.integers("Shuffle")], 0


@mover("extracttensor")
def _extracttensor(facts: InstructionFacts) -> Movement:
    strides = row_major(facts.shape("Src"))
    steps = [stride * step for stride, step in zip(strides, facts.integers("Steps"), strict=True)]
    return steps, _sum_of_products(facts.integers("Offsets"), strides)


@kernel("inserttensor")
def _inserttensor(context: KernelContext) -> str:
    shape, strides = context.shape("Src"), row_major(context.shape("Dest"))
    offset = _sum_of_products(context.integers("Offsets"), strides)
    return _move(shape, strides, row_major(shape), {"dest": offset})


@kernel("gather")
def _gather(context: KernelContext) -> str:
    """Rows of what follows the axis. An index outside the axis is an error of the model's input: the kernel gives 1."""
    shape, axis = context.shape("Src"), context.integer("Axis")
    return templates.render(
        "gather.c.j2",
        columns=math.prod(shape[axis + 1 :]),
        indices=context.type("Indices").elements,
        size=shape[axis],
    )


@kernel("scatter")
def _scatter(context: KernelContext) -> str:
    """In order, as a row may be written more than once. A wrong index is an error, as for `gather`."""
    kind, columns = context.type("Dest").elem, math.prod(context.shape("Src")[1:])
    update, dest = (Buffer(name, kind).at(index) for name, index in (("updates", "from + i"), ("dest", "to + i")))
    joined = {
        "none": "y",
        "add": f"{widened(kind, 'x')} + {widened(kind, 'y')}",
        "mul": f"{widened(kind, 'x')} * {widened(kind, 'y')}",
        "max": "y > x || y != y ? y : x" if kind.is_float else "y > x ? y : x",
        "min": "y < x || y != y ? y : x" if kind.is_float else "y < x ? y : x",
    }[context.text("Reduction")]
    return templates.render(
        "scatter.c.j2",
        elements=context.type("Dest").elements,
        rows=context.shape("Src")[0],
        columns=columns,
        count=context.type("Indices").elements,
        type=compute_type(kind),
        reads=context.text("Reduction") != "none",
        x=dest,
        y=update,
        put=Buffer("dest", kind).put("to + i", joined),
    )
