"""Where the interpreter keeps values, how it reads operands, and its table of instruction kinds.

Modules `ir_kinds_*` enter what each kind computes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Alloc, Function, Instruction, IRValue, Register, storage
from inbundle.ir.memory import MemoryPlan

PATTERN = 0xA5


class Memory:
    """Flat arrays behind variables and buffers: their own, or pieces of the regions of a plan."""

    def __init__(self, function: Function, plan: MemoryPlan | None) -> None:
        self._flat: dict[IRValue, np.ndarray] = {}
        sizes = (plan.constant_bytes, plan.mutable_bytes, plan.activation_bytes) if plan else (0, 0, 0)
        names = ("constantWeight", "mutableWeight", "activations")
        regions = {name: np.full(size, PATTERN, np.uint8) for name, size in zip(names, sizes, strict=True)}
        buffers = [step.buffer for step in function.code if isinstance(step, Alloc)]
        for base in [*function.variables, *buffers]:
            if plan:
                place = plan.place(base)
                raw = regions[place.region][place.offset : place.offset + place.size]
                assert raw.size == base.type.bytes
            else:
                raw = np.full(base.type.bytes, PATTERN, np.uint8)
            self._flat[base] = raw.view(base.type.elem.dtype)
        for variable in function.variables:
            if variable.data is not None:
                self.array(variable)[...] = variable.data

    def array(self, value: IRValue) -> np.ndarray:
        """The elements of a value, writable."""
        base, start = storage(value)
        if isinstance(base, Register):
            self._flat.setdefault(base, np.empty(base.type.elements, base.type.elem.dtype))
        first = start // value.type.elem.size
        return self._flat[base][first : first + value.type.elements].reshape(value.type.shape)


class Operands:
    """Operands and attributes of an instruction, by name."""

    def __init__(self, step: Instruction, memory: Memory) -> None:
        self.step = step
        self.memory = memory

    def __getattr__(self, name: str):
        """An attribute of the instruction."""
        return self.step.attributes[name]

    def __getitem__(self, name: str) -> np.ndarray:
        """A copy of what an operand holds; floats as double."""
        return wide(self.memory.array(self.step[name]))

    def get(self, name: str) -> np.ndarray | None:
        return self[name] if name in self.step.operands else None

    def type(self, name: str):
        return self.step[name].type


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if ElemKind.of(array.dtype).is_float else array.copy()


Kind = Callable[[Instruction, Memory], None]
KINDS: dict[str, Kind] = {}


def kind(*names: str):
    """Enter a function from operands to the new content of Dest."""

    def enter(compute: Callable[[Operands], np.ndarray]):
        def execute_one(step: Instruction, memory: Memory) -> None:
            result = np.asarray(compute(Operands(step, memory)))
            dest = memory.array(step["Dest"])
            dest[...] = result.astype(dest.dtype).reshape(dest.shape)

        for name in names:
            KINDS[name] = execute_one
        return compute

    return enter
