"""What element-wise kinds compute of one element, in C.

A formula gives statements and an expression of the variables that hold the elements of the operands. It knows neither
loops nor arrays, so that a step of a stacked instruction and an instruction of its own are computed alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction
from inbundle.kernels.facts import InstructionFacts

# Statements, and the value, an expression of Dest's compute type (any integer type for integers).
Computation = tuple[list[str], str]


@dataclass(frozen=True)
class Step(InstructionFacts):
    """An element-wise instruction, and per operand the variable that holds its element, of its compute type.

    Attributes:
        position: tells the variables of this step from those of others.
    """

    instruction: Instruction
    variables: Mapping[str, str]
    position: int

    @property
    def kind(self) -> ElemKind:
        """Of the result."""
        return self.type("Dest").elem

    @property
    def x(self) -> str:
        """The operand of a unary kind."""
        return self.variables["Src"]

    @property
    def pair(self) -> tuple[str, str]:
        """The operands of a binary kind."""
        return self.variables["LHS"], self.variables["RHS"]

    def local(self, name: str) -> str:
        """A name for a variable of the formula."""
        return f"{name}{self.position}"


Formula = Callable[[Step], Computation]
FORMULAS: dict[str, Formula] = {}
