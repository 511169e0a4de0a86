"""Attributes of instructions, by their types."""

from __future__ import annotations

from inbundle.ir.function import Instruction


def number(instruction: Instruction, name: str) -> float:
    value = instruction.attributes[name]
    assert isinstance(value, int | float), f"{instruction.kind}: {name} is {value!r}"
    return value


def integers(instruction: Instruction, name: str) -> tuple[int, ...]:
    value = instruction.attributes[name]
    assert isinstance(value, tuple), f"{instruction.kind}: {name} is {value!r}"
    return tuple(int(item) for item in value)
