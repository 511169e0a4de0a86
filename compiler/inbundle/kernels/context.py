"""What a kernel is generated from: an instruction, where its operands lie, its tiles."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from inbundle.ir.function import Instruction, Role
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.tasks import Task
from inbundle.ir.units import Split, units
from inbundle.kernels import templates
from inbundle.kernels.elements import Buffer
from inbundle.kernels.facts import InstructionFacts
from inbundle.kernels.layout import indented

_REGIONS = {"constantWeight": "constant_weight", "mutableWeight": "mutable_weight", "activations": "activations"}
_LARGEST_INT = 2**31 - 1


@dataclass(frozen=True)
class KernelContext(InstructionFacts):
    """A task and the memory plan, with the accessors that kernels share.

    In C an operand is a pointer with its name in lower case, `first` and `last` are the tile's units.
    """

    task: Task
    plan: MemoryPlan

    @property
    def instruction(self) -> Instruction:  # type: ignore[override]
        return self.task.instruction

    @property
    def split(self) -> Split:
        """What the tiles are cut along."""
        return self.task.tiling.split

    @property
    def units(self) -> int:
        return units(self.instruction, self.split)

    def buffer(self, operand: str) -> Buffer:
        return Buffer(operand.lower(), self.type(operand).elem)


# Writes the statements of a kernel, not indented.
KernelWriter = Callable[[KernelContext], str]

KERNELS: dict[str, KernelWriter] = {}


def kernel(*kinds: str) -> Callable[[KernelWriter], KernelWriter]:
    """Decorator: this function writes the kernel of these instruction kinds."""

    def register(writer: KernelWriter) -> KernelWriter:
        for kind in kinds:
            assert kind not in KERNELS, f"two kernels for {kind}"
            KERNELS[kind] = writer
        return writer

    return register


def c_function(context: KernelContext) -> str:
    """The native function of a task."""
    body = KERNELS[context.instruction.kind](context)
    return templates.render(
        "function.c.j2",
        heading=heading(context.instruction),
        native=context.task.native,
        body=statements(context, body),
    )


def statements(context: KernelContext, body: str) -> str:
    """The statements of a native function: what `body` names is declared in front of it."""
    return indented("\n".join([*_declarations(context, body), "", body, "return 0;"]))


def heading(instruction: Instruction) -> list[str]:
    """Comment lines: the instruction with its types, and the steps stacked on it."""
    lines = [_title(instruction)]
    lines += [f"  {operand.role.value} {name} {operand.value.type}" for name, operand in instruction.operands.items()]
    lines += [f"  {name} {value}" for name, value in instruction.attributes.items()]
    for step in instruction.epilogue:
        lines += [f"then {_title(step)}", *(f"  {name} {value}" for name, value in step.attributes.items())]
    return [_in_comment(line) for line in lines]


def _title(instruction: Instruction) -> str:
    name = instruction.name if instruction.name != instruction.kind else ""
    return f"{instruction.kind} {name}".rstrip()


def _in_comment(text: str) -> str:
    """A name may hold anything; a comment must not end in it, nor leave ASCII."""
    return re.sub(r"[^ -)+-\[\]-~]", "_", text)


def _declarations(context: KernelContext, body: str) -> list[str]:
    """The parameters and variables that the body names; unused ones would be warnings."""
    words = set(re.findall(r"\w+", body))
    operands = context.instruction.operands
    single = [name for name in operands if f"{name.lower()}_0" in words]
    pointers = [_pointer(context, name) for name in operands if name.lower() in words or name in single]
    regions = ["const bundle_regions *regions = (const bundle_regions *)user;"] if pointers else ["(void)user;"]
    elements = [_only_element(context, name) for name in single]
    return regions + pointers + elements + _bounds(context.units, context.task.tiles)


def _only_element(context: KernelContext, name: str) -> str:
    buffer = Buffer(name.lower(), context.instruction[name].type.elem)
    return f"const {buffer.type} {buffer.name}_0 = {buffer.at('0')};"


def _pointer(context: KernelContext, name: str) -> str:
    operand = context.instruction.operands[name]
    place = context.plan.place(operand.value)
    const = "const " if operand.role is Role.IN else ""
    type = f"{const}{operand.value.type.elem.c_type} *"
    start = f"regions->{_REGIONS[place.region]} + {place.offset}"
    return f"{type}{name.lower()} = ({type})({const}void *)({start});"


def _bounds(count: int, tiles: int) -> list[str]:
    """First unit of the tile and the end of its units."""
    if tiles == 1:
        return [f"const inpla_int first = 0, last = {count};", "", "(void)tile;"]
    if count * (tiles + 1) > _LARGEST_INT:
        return [
            f"const inpla_int first = (inpla_int)((int64_t)tile * {count} / {tiles});",
            f"const inpla_int last = (inpla_int)(((int64_t)tile + 1) * {count} / {tiles});",
        ]
    return [f"const inpla_int first = tile * {count} / {tiles}, last = (tile + 1) * {count} / {tiles};"]
