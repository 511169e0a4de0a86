"""Function: the low-level IR. Weight variables are declared, the code is a list of instructions.

A value is a `WeightVar` (in constantWeight when `const`, else in mutableWeight), an `AllocActivation` (a buffer in the
activations region, alive from its alloc to its dealloc) or a `TensorView` (another shape of a buffer, or a contiguous
part of it). Inside a stacked instruction (`ir/stacks.py`) it may be a `Register`. What an instruction kind means is
declared in `ir/instructions.py`; this module knows no operator.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inbundle.graph.graph import Attribute, Attributed
from inbundle.graph.names import NameScope
from inbundle.graph.types import TensorType


class Mutability(enum.Enum):
    CONST = "const"
    MUTABLE = "mutable"


class Role(enum.Enum):
    """How an instruction uses an operand."""

    OUT = "@out"
    IN = "@in"
    INOUT = "@inout"

    @property
    def reads(self) -> bool:
        return self is not Role.OUT

    @property
    def writes(self) -> bool:
        return self is not Role.IN


@dataclass(eq=False)
class IRValue:
    """Something an operand can name. Names are unique in the function."""

    name: str
    type: TensorType


@dataclass(eq=False)
class WeightVar(IRValue):
    """A variable of the regions constantWeight (`data` given) or mutableWeight (a placeholder)."""

    mutability: Mutability
    data: np.ndarray | None = None


@dataclass(eq=False)
class AllocActivation(IRValue):
    """A buffer in the activations region."""


@dataclass(eq=False)
class TensorView(IRValue):
    """`type.elements` elements of `base`, from element `offset` on (row-major), seen as `type.shape`."""

    base: IRValue
    offset: int = 0


@dataclass(eq=False)
class Register(IRValue):
    """What one step of an instruction hands to the next, element by element: it has a type, but no memory."""


def storage(value: IRValue) -> tuple[IRValue, int]:
    """The variable, buffer or register behind a value, and the byte at which the value starts in it."""
    start = 0
    while isinstance(value, TensorView):
        start += value.offset * value.type.elem.size
        value = value.base
    return value, start


@dataclass(eq=False)
class Operand:
    role: Role
    value: IRValue


@dataclass(eq=False)
class Instruction(Attributed):
    """One step. `operands` stand in the order of the kind's declaration, destination first; an optional operand that
    is absent is left out, so read them by name: `instruction.get("Bias")` is None then. `origin` is the kind of the
    graph node it was lowered from, for messages; empty where there is no such node.

    `epilogue` are element-wise steps that every element of the result passes before it is stored: `result` is what the
    kind itself computes then, and `Dest` what the last step computes. What the steps read from memory are operands of
    the instruction too, after its own: the same `Operand` objects, so that whoever replaces one replaces both.
    """

    kind: str
    name: str
    operands: dict[str, Operand]
    attributes: dict[str, Attribute] = field(default_factory=dict)
    origin: str = ""
    result: Register | None = None
    epilogue: list[Instruction] = field(default_factory=list)

    @property
    def computed(self) -> IRValue:
        """What the kind itself computes: Dest, or the register that its epilogue takes on."""
        return self.result or self["Dest"]

    def get(self, operand: str) -> IRValue | None:
        found = self.operands.get(operand)
        return found.value if found else None

    def __getitem__(self, operand: str) -> IRValue:
        return self.operands[operand].value

    def reads(self) -> list[IRValue]:
        return [operand.value for operand in self.operands.values() if operand.role.reads]

    def writes(self) -> list[IRValue]:
        return [operand.value for operand in self.operands.values() if operand.role.writes]


@dataclass(eq=False)
class Alloc:
    """Start of a buffer's life."""

    buffer: AllocActivation


@dataclass(eq=False)
class View:
    """Declaration of a view in program order."""

    view: TensorView


@dataclass(eq=False)
class Dealloc:
    """End of a buffer's life."""

    buffer: AllocActivation


Step = Instruction | Alloc | View | Dealloc


class Function:
    """A model as a program on buffers.

    Attributes:
        variables: weight variables, constants and placeholders, in the order of first use after lowering.
        inputs, outputs: the placeholders that the application writes and reads, in the model's order.
        code: the steps, in program order.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.variables: list[WeightVar] = []
        self.inputs: list[WeightVar] = []
        self.outputs: list[WeightVar] = []
        self.code: list[Step] = []
        self._names = NameScope()

    def unique_name(self, wanted: str) -> str:
        """`wanted` or a name like it that no value or instruction has; it is taken from now on."""
        return self._names.take(wanted)

    def variable(
        self, name: str, type: TensorType, mutability: Mutability, data: np.ndarray | None = None
    ) -> WeightVar:
        var = WeightVar(self.unique_name(name), type, mutability, data)
        self.variables.append(var)
        return var

    def alloc(self, name: str, type: TensorType) -> AllocActivation:
        """A new buffer, allocated here; `passes.hoist_dealloc` ends its life after the last use."""
        buffer = AllocActivation(self.unique_name(name), type)
        self.code.append(Alloc(buffer))
        return buffer

    def view(self, base: IRValue, type: TensorType, name: str = "", offset: int = 0) -> TensorView:
        view = TensorView(self.unique_name(name or f"{base.name}_view"), type, base, offset)
        self.code.append(View(view))
        return view

    def emit(
        self,
        kind: str,
        name: str,
        values: Sequence[IRValue | None],
        attributes: Mapping[str, Attribute] | None = None,
    ) -> Instruction:
        """Append an instruction; `values` stand in the order of the kind's declared operands, None where absent."""
        from inbundle.ir.instructions import INSTRUCTIONS

        spec = INSTRUCTIONS[kind]
        assert len(values) <= len(spec.operands), f"{kind} takes {len(spec.operands)} operands"
        operands: dict[str, Operand] = {}
        for declared, value in zip(spec.operands, values, strict=False):
            if value is not None:
                operands[declared.name] = Operand(declared.role, value)
            else:
                assert declared.optional, f"{kind}: operand {declared.name} is absent"
        step = Instruction(kind, self.unique_name(name), operands, dict(attributes or {}))
        self.code.append(step)
        return step

    def replace(self, old: IRValue, new: IRValue) -> None:
        """Let every instruction and view that names `old` name `new`."""
        for step in self.code:
            if isinstance(step, View) and step.view.base is old:
                step.view.base = new
            elif isinstance(step, Instruction):
                for operand in step.operands.values():
                    if operand.value is old:
                        operand.value = new

    def instructions(self) -> list[Instruction]:
        return [step for step in self.code if isinstance(step, Instruction)]
