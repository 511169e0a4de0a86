"""Kernels that go over Dest element by element: element-wise kinds, kinds that move elements, and stacks of them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from inbundle.ir.stacks import elementwise_operands, loop_shape
from inbundle.kernels import templates
from inbundle.kernels.chains import chain
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import Buffer
from inbundle.kernels.formulas import FORMULAS, Formula
from inbundle.kernels.nests import Nest, broadcast_strides, row_major


def formula(*kinds: str) -> Callable[[Formula], Formula]:
    """Decorator: this function is the formula of these element-wise kinds, whose kernels apply it to all elements."""

    def register(compute: Formula) -> Formula:
        @functools.wraps(compute)
        def write(context: KernelContext) -> str:
            return map_kernel(context)

        for kind in kinds:
            assert kind not in FORMULAS, f"two formulas for {kind}"
            FORMULAS[kind] = compute
        kernel(*kinds)(write)
        return compute

    return register


def map_kernel(context: KernelContext, source: Sequence[int] | None = None, offset: int = 0) -> str:
    """The kernel that stores an element for every index of Dest.

    Args:
        source: strides of Src along Dest's dimensions, where the kind moves elements and computes nothing.
        offset: the element of Src that belongs to the first one of Dest.
    """
    return _Map(context, source, offset).kernel()


class _Map:
    """A loop nest over Dest, with the indices of all operands that have more than one element."""

    def __init__(self, context: KernelContext, source: Sequence[int] | None, offset: int) -> None:
        shape = loop_shape(context.instruction)
        assert shape is not None, "the verifier accepts no others"
        self._context = context
        self._moves = source is not None
        strides: dict[str, Sequence[int]] = {"dest": row_major(shape)}
        read = elementwise_operands(context.instruction)
        for name, operand in context.instruction.operands.items():
            if operand in read and operand.value.type.elements != 1:
                strides[name.lower()] = _strides(operand.value.type.shape, shape)
        if source is not None:
            strides["src"] = source
        self._nest = Nest.over(shape, strides, {"src": offset} if self._moves else None)

    def kernel(self) -> str:
        """The text of the kernel; what one row reads of an operand that repeats along it is read once."""
        lines = self._lines()
        words = " ".join(lines)
        rows = [self._row_value(name) for name in self._per_row() if f"{name}_r" in words]
        return templates.render("map.c.j2", nest=self._nest, rows=rows, lines=lines)

    def _lines(self) -> list[str]:
        target = f"dest[{self._nest.index('dest')}]"
        if not self._moves:
            return chain(self._context, self._value, target)
        element = f"src[{self._nest.index('src')}]"
        if not self._context.instruction.epilogue:
            return [f"{target} = {element};"]  # as it is stored
        return chain(self._context, self._value, target, self._context.buffer("Src").at(self._nest.index("src")))

    def _value(self, name: str) -> str:
        """The element of an operand, in C."""
        buffer = self._buffer(name)
        if self._context.instruction.operands[name].value.type.elements == 1:
            return f"{buffer.name}_0"
        return f"{buffer.name}_r" if buffer.name in self._per_row() else buffer.at(self._nest.index(buffer.name))

    def _buffer(self, name: str) -> Buffer:
        return Buffer(name.lower(), self._context.instruction.operands[name].value.type.elem)

    def _per_row(self) -> list[str]:
        """The arrays of which a row reads one element."""
        inner = zip(self._nest.names, self._nest.axes[-1].strides, strict=True)
        return [name for name, stride in inner if stride == 0 and name != "src"]

    def _row_value(self, array: str) -> str:
        name = next(name for name in self._context.instruction.operands if name.lower() == array)
        buffer = self._buffer(name)
        return f"const {buffer.type} {array}_r = {buffer.at(self._nest.index(array))};"


def _strides(shape: Sequence[int], loops: Sequence[int]) -> tuple[int, ...]:
    """Strides of an operand that repeats, or has as many elements in the same order, whatever its shape."""
    return row_major(loops) if math.prod(shape) == math.prod(loops) else broadcast_strides(shape, loops)
