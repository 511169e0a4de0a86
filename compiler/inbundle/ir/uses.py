"""Which instructions use which variable or buffer, views resolved."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.function import Function, Instruction, IRValue, Operand, storage


@dataclass(frozen=True)
class Use:
    """`operand` of `instruction`, which stands at `step` in the code."""

    step: int
    instruction: Instruction
    operand: Operand


def uses(function: Function) -> dict[IRValue, list[Use]]:
    """Used variable or buffer -> its uses in program order, operand order; keys in order of first use."""
    found: dict[IRValue, list[Use]] = {}
    for step, instruction in enumerate(function.code):
        if isinstance(instruction, Instruction):
            for operand in instruction.operands.values():
                base, _ = storage(operand.value)
                found.setdefault(base, []).append(Use(step, instruction, operand))
    return found
