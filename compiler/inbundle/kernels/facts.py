"""Accessors to an instruction that kernels and formulas share: types of operands and attributes, by name."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.graph.types import TensorType
from inbundle.ir.function import Instruction


class InstructionFacts:
    """Something about `instruction`. Its Dest is what the kind computes, whatever an epilogue makes of it."""

    instruction: Instruction

    def has(self, operand: str) -> bool:
        return self.instruction.get(operand) is not None

    def type(self, operand: str) -> TensorType:
        value = self.instruction.computed if operand == "Dest" else self.instruction[operand]
        return value.type

    def shape(self, operand: str) -> tuple[int, ...]:
        return self.type(operand).shape

    def integer(self, attribute: str) -> int:
        return self.instruction.integer(attribute)

    def integers(self, attribute: str) -> tuple[int, ...]:
        return self.instruction.integers(attribute)

    def number(self, attribute: str) -> float:
        return self.instruction.number(attribute)

    def text(self, attribute: str) -> str:
        return self.instruction.text(attribute)


@dataclass(frozen=True)
class Facts(InstructionFacts):
    """Of an instruction that is nothing else but itself."""

    instruction: Instruction
