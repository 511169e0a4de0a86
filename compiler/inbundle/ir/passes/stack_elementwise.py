"""StackElementwise: what only an element-wise instruction reads is never stored.

    %conv = convolution @out %conv_res, @in %x, @in %w       %conv = convolution @out %conv_res, @in %x, @in %w {
    %add = add @out %add_res, @in %conv_res, @in %skip   ->      %add = add @out %add_res, @in %conv_res, @in %skip
    %relu = relu @out %relu_res, @in %add_res                    %relu = relu @out %relu_res, @in %add_res
                                                               }

`conv_res` and `add_res` were buffers and are registers now. Element-wise chains take in what moves elements, too: the
slices, transposes and broadcasts that only they read, and the insertion of their result into a larger tensor.

Must run before buffers are shared: as long as every value
is written once, an instruction may be computed later, where its result is read.
"""

from __future__ import annotations

from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    Operand,
    Register,
    Role,
    Step,
    TensorView,
    View,
    storage,
)
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.stacks import INSERT, MOST_STEPS, broken_rule, elementwise_operands, is_loop, stacked, steps


def stack_elementwise(function: Function) -> None:
    """Join instructions with the producers of what they read element by element, as long as there is one to join."""
    code = _Code(function)
    for instruction in function.instructions():
        reader: Instruction | None = instruction
        while reader:
            reader = code.joined(reader)
    function.code = code.steps()
    sink_allocs(function)
    hoist_dealloc(function)


class _Code:
    """The code while instructions are joined; `_users` are the instructions that read or write a value's storage."""

    def __init__(self, function: Function) -> None:
        self._code: list[Step | None] = list(function.code)
        self._place = {step: index for index, step in enumerate(function.code) if isinstance(step, Instruction)}
        self._users: dict[IRValue, set[Instruction]] = {}
        for instruction in self._place:
            self._enter(instruction)

    def steps(self) -> list[Step]:
        """The code without the buffers that became registers."""
        return [step for step in self._code if step is not None and not self._is_gone(step)]

    def _is_gone(self, step: Step) -> bool:
        if isinstance(step, View):
            return isinstance(storage(step.view)[0], AllocActivation) and storage(step.view)[0] not in self._users
        return isinstance(step, Alloc | Dealloc) and step.buffer not in self._users

    def _enter(self, instruction: Instruction) -> None:
        for operand in instruction.operands.values():
            self._users.setdefault(storage(operand.value)[0], set()).add(instruction)

    def _remove(self, instruction: Instruction) -> None:
        self._code[self._place.pop(instruction)] = None
        for operand in instruction.operands.values():
            self._users.get(storage(operand.value)[0], set()).discard(instruction)

    def joined(self, reader: Instruction) -> Instruction | None:
        """`reader` joined with one of its producers, in the place of both; None where all stay apart. What has loops of
        its own comes first: it can only be the first step."""
        buffers = dict.fromkeys(storage(operand.value)[0] for operand in _passed_through(reader))
        found = [(producer, buffer) for buffer in buffers if (producer := self._producer(buffer, reader))]
        for producer, buffer in sorted(found, key=lambda pair: is_loop(pair[0])):
            place = self._place_of(producer, reader, buffer)
            joined = _joined(producer, reader, buffer) if place is not None else None
            if joined and place is not None:
                self._remove(producer)
                self._remove(reader)
                del self._users[buffer]
                self._code[place], self._place[joined] = joined, place
                self._enter(joined)
                return joined
        return None

    def _producer(self, buffer: IRValue, reader: Instruction) -> Instruction | None:
        """The instruction that writes all of `buffer` and nothing else, if only `reader` reads it."""
        others = self._users[buffer] - {reader}
        if not isinstance(buffer, AllocActivation) or len(others) != 1:
            return None
        (producer,) = others
        written, read = producer.writes(), [storage(value)[0] for value in producer.reads()]
        is_only_written = len(written) == 1 and written[0] is buffer and buffer not in read
        return producer if is_only_written and INSTRUCTIONS[producer.kind].epilogue else None

    def _place_of(self, producer: Instruction, reader: Instruction, buffer: IRValue) -> int | None:
        """Where both can be computed as one without keeping more bytes alive than the buffer that is saved.

        That is where the producer stands, if all that the reader reads is there by then. Else what has loops of its own
        is not put off; the operands of others may live on until the reader is computed, when they are no larger than
        what is saved.
        """
        start, end = self._place[producer], self._place[reader]
        read = (operand.value for operand in reader.operands.values() if operand.role is Role.IN)
        if all(self._written(value) < start for value in read if storage(value)[0] is not buffer):
            return start
        bases = {storage(value)[0] for value in producer.reads()}
        prolonged = (base for base in bases if isinstance(base, AllocActivation) and self._last_use(base) < end)
        is_worth_it = sum(base.type.bytes for base in prolonged) <= buffer.type.bytes
        is_next = not any(isinstance(self._code[between], Instruction) for between in range(start + 1, end))
        return end if is_loop(producer) and (is_worth_it or is_next) else None

    def _last_use(self, base: IRValue) -> int:
        return max(self._place[user] for user in self._users[base])

    def _written(self, value: IRValue) -> int:
        """Where the last writer of a value's storage stands; -1 where there is none."""
        base, _ = storage(value)
        writers = (user for user in self._users[base] if any(storage(v)[0] is base for v in user.writes()))
        return max((self._place[writer] for writer in writers), default=-1)


def _passed_through(reader: Instruction) -> list[Operand]:
    """The operands that could be registers: those read element by element, and what is inserted."""
    return [reader.operands["Src"]] if reader.kind == INSERT else elementwise_operands(reader)


def _joined(producer: Instruction, reader: Instruction, buffer: IRValue) -> Instruction | None:
    """The steps of both as one instruction, `buffer` as a register; None where that breaks a rule of stacks."""
    first, second = _copies(producer), _copies(reader)
    register = Register(buffer.name, buffer.type)
    first[-1].operands["Dest"] = Operand(Role.OUT, register)
    for step in second:
        for name, operand in step.operands.items():
            if storage(operand.value)[0] is buffer:
                step.operands[name] = Operand(operand.role, _seen_as(operand.value, register))
    has_loops = reader.kind != INSERT and not is_loop(reader)
    sequence = [second[0], *first, *second[1:]] if has_loops else [*first, *second]
    if len(sequence) > MOST_STEPS:
        return None
    joined = stacked(sequence)
    return None if broken_rule(joined) else joined


def _copies(instruction: Instruction) -> list[Instruction]:
    return [
        Instruction(step.kind, step.name, dict(step.operands), step.attributes, step.origin)
        for step in steps(instruction)
    ]


def _seen_as(value: IRValue, register: Register) -> IRValue:
    """The register in the shape in which the buffer was read."""
    return register if value.type == register.type else TensorView(value.name, value.type, register)
