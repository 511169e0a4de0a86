"""The statements that take one element through the steps of an instruction, from loads to the store.

Between two steps an element is rounded to the kind that a buffer there would have: stacking changes no result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction, IRValue, Operand, Register, Role, storage
from inbundle.ir.stacks import steps
from inbundle.kernels.elements import Buffer, compute_type, rounded, stored
from inbundle.kernels.facts import InstructionFacts
from inbundle.kernels.formulas import FORMULAS, Formula, Step

_DECLARED = re.compile(r"const \w+ (\w+) = ")


@dataclass(frozen=True)
class Dialect:
    """What an element is in C: one number, or a vector of them. `type` gives the type for an element kind."""

    formulas: Mapping[str, Formula]
    type: Callable[[ElemKind], str]


ONE_ELEMENT = Dialect(FORMULAS, compute_type)


def chain(
    facts: InstructionFacts,
    value_of: Callable[[str], str],
    target: str,
    computed: str = "",
    dialect: Dialect = ONE_ELEMENT,
) -> list[str]:
    """The statements for one element.

    Args:
        value_of: the element of an operand, by the operand's name, as a C expression.
        target: the element of Dest, in C.
        computed: the value of the kind itself, where that is not element-wise.
    """
    writer = _Chain(facts, value_of, dialect)
    first, *further = steps(facts.instruction)
    value = computed or writer.compute(first)
    for step in further:
        writer.keep(first, value)
        first, value = step, writer.compute(step)
    writer.lines.append(f"{target} = {stored(first['Dest'].type.elem, value)};")
    return _without_unread(writer.lines)


class _Chain:
    """Statements so far, and the variables that hold elements of operands and registers."""

    def __init__(self, facts: InstructionFacts, value_of: Callable[[str], str], dialect: Dialect) -> None:
        self.lines: list[str] = []
        self._value_of = value_of
        self._dialect = dialect
        self._names = {operand: name for name, operand in facts.instruction.operands.items()}
        self._variables: dict[IRValue | Operand, str] = {}
        self._kinds: dict[str, ElemKind] = {}
        self._steps = 0
        self._declared = 0

    def compute(self, step: Instruction) -> str:
        """The value of a step, after its statements."""
        operands = {name: operand for name, operand in step.operands.items() if operand.role is Role.IN}
        variables = {name: self._variable(operand) for name, operand in operands.items()}
        self._steps += 1
        statements, value = self._dialect.formulas[step.kind](Step(step, variables, self._steps))
        self.lines += statements
        return value

    def keep(self, step: Instruction, value: str) -> None:
        """Hold the value of a step for later ones."""
        register = step["Dest"]
        kind = register.type.elem
        is_held = self._kinds.get(value) is kind
        self._variables[register] = value if is_held else self._declare(kind, rounded(kind, value))

    def _variable(self, operand: Operand) -> str:
        base, _ = storage(operand.value)
        if isinstance(base, Register):
            return self._variables[base]
        if operand not in self._variables:
            value, kind = self._value_of(self._names[operand]), operand.value.type.elem
            self._variables[operand] = value if value.isidentifier() else self._declare(kind, value)
            self._kinds[self._variables[operand]] = kind
        return self._variables[operand]

    def _declare(self, kind: ElemKind, value: str) -> str:
        name = f"x{self._declared}"
        self._declared += 1
        self._kinds[name] = kind
        self.lines.append(f"const {self._dialect.type(kind)} {name} = {value};")
        return name


def _without_unread(lines: list[str]) -> list[str]:
    """The statements without variables that no later one reads: what a formula does not need."""
    kept: list[str] = []
    words: set[str] = set()
    for line in reversed(lines):
        declared = _DECLARED.match(line)
        if declared is None or declared[1] in words:
            kept.append(line)
            words |= set(re.findall(r"\w+", line))
    return kept[::-1]


class Result:
    """What a kernel computes, element by element, on its way through the epilogue into Dest.

    Where nothing follows, an element is stored as it is. Operands of an epilogue that are constant along the kernel's
    inner loops are read before them: one element by `NAME_0` (declared with the kernel), one per channel by `NAME_c`
    (which `per_channel` declares).
    """

    def __init__(self, facts: InstructionFacts) -> None:
        self._facts = facts
        self._type = facts.type("Dest")
        self.kind = self._type.elem
        self.type = compute_type(self.kind)

    @property
    def has_epilogue(self) -> bool:
        return bool(self._facts.instruction.epilogue)

    @property
    def holds_sums(self) -> bool:
        """Whether Dest's elements can hold what the kernel computes before it is passed on: no rounding, no change of
        kind."""
        memory = self._facts.instruction["Dest"].type.elem
        return memory is self.kind and compute_type(self.kind) == self.kind.c_type

    def put(self, index: str, value: str, column: str = "", target: str = "") -> str:
        """The statements that store a value.

        Args:
            index: of the element in Dest, in C.
            column: its index along Dest's last dimension, where the kind's operands may repeat along the others.
            target: where to store it, in C, if Dest is no memory.
        """

        def value_of(name: str) -> str:
            type = self._facts.instruction.operands[name].value.type
            buffer = Buffer(name.lower(), type.elem)
            if type.elements == 1:
                return f"{buffer.name}_0"
            if type.elements == self._type.elements:
                return buffer.at(index)
            return buffer.at(column) if column else f"{buffer.name}_c"

        return "\n".join(chain(self._facts, value_of, target or f"dest[{index}]", value))

    def per_channel(self, channel: str) -> str:
        """Declarations of the operands that have one element per channel; `channel` is its index, in C."""
        lines = []
        words = set(re.findall(r"\w+", self.put("0", "0")))
        for name, operand in self._facts.instruction.operands.items():
            buffer = Buffer(name.lower(), operand.value.type.elem)
            if f"{buffer.name}_c" in words:
                lines.append(f"const {buffer.type} {buffer.name}_c = {buffer.at(channel)};")
        return "\n".join(lines)
