"""Accessors to an instruction that kernels and formulas share: types of operands and attributes, by name."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.graph.graph import Attribute, Attributed
from inbundle.graph.types import TensorType
from inbundle.ir.function import Instruction


class InstructionFacts(Attributed):
    """Something about `instruction`. Its Dest is what the kind computes, whatever an epilogue makes of it."""

    instruction: Instruction

    @property
    def attributes(self) -> dict[str, Attribute]:  # type: ignore[override]
        return self.instruction.attributes

    def has(self, operand: str) -> bool:
        return self.instruction.get(operand) is not None

    def type(self, operand: str) -> TensorType:
        value = self.instruction.computed if operand == "Dest" else self.instruction[operand]
        return value.type

    def shape(self, operand: str) -> tuple[int, ...]:
        return self.type(operand).shape


@dataclass(frozen=True)
class Facts(InstructionFacts):
    """Of an instruction that is nothing else but itself."""

    instruction: Instruction
