"""Kernels that loop over elements: those of element-wise kinds, of kinds that move elements, and of stacks of them."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Sequence

from inbundle.graph.types import row_major
from inbundle.ir.function import Instruction
from inbundle.ir.stacks import INSERT, elementwise_operands, inserts, loop_shape, steps
from inbundle.kernels import templates
from inbundle.kernels.chains import chain
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import Buffer
from inbundle.kernels.facts import Facts, InstructionFacts
from inbundle.kernels.formulas import FORMULAS, Computation, Formula, Step
from inbundle.kernels.nests import Nest, broadcast_strides


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


# Of a kind that moves elements: strides of Src along Dest's dimensions, and which element of Src the first of Dest is.
Movement = tuple[Sequence[int], int]
Mover = Callable[[InstructionFacts], Movement]
MOVERS: dict[str, Mover] = {}


def mover(kind: str) -> Callable[[Mover], Mover]:
    """Decorator: this function says which elements a kind moves, whose kernel copies them."""

    def register(movement: Mover) -> Mover:
        @functools.wraps(movement)
        def write(context: KernelContext) -> str:
            return map_kernel(context)

        MOVERS[kind] = movement
        FORMULAS[kind] = _as_it_is
        kernel(kind)(write)
        return movement

    return register


def _as_it_is(step: Step) -> Computation:
    return [], step.x


FORMULAS[INSERT] = _as_it_is


def map_kernel(context: KernelContext) -> str:
    """The kernel that stores an element for every index of what is computed."""
    return Map(context).kernel()


class Map:
    """A loop nest, with the indices of all operands that have more than one element."""

    def __init__(self, context: KernelContext) -> None:
        shape = loop_shape(context.instruction)
        assert shape is not None, "the verifier accepts no others"
        self._context = context
        self._operands = context.instruction.operands
        self._strides: dict[str, Sequence[int]] = {}
        self._offsets: dict[str, int] = {}
        self._enter_dest(shape)
        read = elementwise_operands(context.instruction)
        for name, operand in self._operands.items():
            if operand in read and operand.value.type.elements != 1:
                self._strides[name.lower()] = _strides(operand.value.type.shape, shape)
        for step in filter(lambda step: step.kind in MOVERS, steps(context.instruction)):
            self._enter_moved(step)
        self.nest = Nest.over(shape, self._strides, self._offsets)

    def _enter_dest(self, shape: Sequence[int]) -> None:
        insert = inserts(self._context.instruction)
        self._strides["dest"] = row_major(insert["Dest"].type.shape if insert else shape)
        if insert:
            offsets = Facts(insert).integers("Offsets")
            self._offsets["dest"] = sum(a * b for a, b in zip(offsets, self._strides["dest"], strict=True))

    def _enter_moved(self, step: Instruction) -> None:
        name = next(name for name, operand in self._operands.items() if operand is step.operands["Src"]).lower()
        self._strides[name], self._offsets[name] = MOVERS[step.kind](Facts(step))

    def kernel(self) -> str:
        """The text of the kernel."""
        target = f"dest[{self.nest.index('dest')}]"
        lines = [f"{target} = {self._moved()};"] if self._is_copy() else chain(self._context, self._value, target)
        return templates.render("map.c.j2", nest=self.nest, rows=self.row_values(lines), lines=lines)

    def row_values(self, lines: Sequence[str]) -> list[str]:
        """Declarations of what one row reads of operands that repeat along it, as far as `lines` name it: `NAME_r`."""
        words = set(re.findall(r"\w+", " ".join(lines)))
        return [self._row_value(name) for name in self._operands if f"{name.lower()}_r" in words]

    def _is_copy(self) -> bool:
        """Elements are moved as they are stored."""
        return all(step.kind in (*MOVERS, INSERT) for step in steps(self._context.instruction))

    def _moved(self) -> str:
        return f"src[{self.nest.index('src')}]"

    def _value(self, name: str) -> str:
        """The element of an operand, in C."""
        buffer = self._buffer(name)
        if self._operands[name].value.type.elements == 1:
            return f"{buffer.name}_0"
        return f"{buffer.name}_r" if self.is_per_row(buffer.name) else buffer.at(self.nest.index(buffer.name))

    def _buffer(self, name: str) -> Buffer:
        return Buffer(name.lower(), self._operands[name].value.type.elem)

    def is_per_row(self, array: str) -> bool:
        """Whether a row reads one element of an array."""
        return self.nest.axes[-1].strides[self.nest.names.index(array)] == 0

    def _row_value(self, name: str) -> str:
        buffer = self._buffer(name)
        return f"const {buffer.type} {buffer.name}_r = {buffer.at(self.nest.index(buffer.name))};"


def _strides(shape: Sequence[int], loops: Sequence[int]) -> tuple[int, ...]:
    """Strides of an operand that repeats, or has as many elements in the same order, whatever its shape."""
    return row_major(loops) if math.prod(shape) == math.prod(loops) else broadcast_strides(shape, loops)
