"""WriteOutputs: the producer writes an output variable itself.

%a = relu @out %relu_res, @in %x                      %a = relu @out %y, @in %x
%b = abs @out %abs_res, @in %relu_res          ->     %b = abs @out %abs_res, @in %y
%y_save = copy @out %y, @in %relu_res

What only the producer reads, and it could compute in place, is computed in the output's place, too:

%fc = matmul @out %fc_res, @in %x, @in %w             %fc = matmul @out %y, @in %x, @in %w
%softmax = softmax @out %y, @in %fc_res        ->     %softmax = softmax @out %y, @in %y
"""

from __future__ import annotations

from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    Role,
    Step,
    TensorView,
    View,
    storage,
)
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.stacks import operands_to_take
from inbundle.ir.uses import ValueMap


def write_outputs(function: Function) -> None:
    """Replace buffers by output variables: those that are copied there as a whole, when the copy is the variable's only
    use and nothing else can have a claim on its bytes, then those that become outputs in place."""
    outputs = _Outputs(function)
    for instruction in function.instructions():
        if instruction.kind == "copy" and instruction["Dest"] in function.outputs:
            outputs.write_directly(instruction)
    for instruction in reversed(outputs.instructions()):
        if storage(instruction["Dest"])[0] in function.outputs:
            outputs.compute_in_place(instruction)
    function.code = outputs.code()
    sink_allocs(function)
    hoist_dealloc(function)


class _Outputs:
    """A function while buffers become outputs; `_gone` are those, and the copies that are needed no more."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._values = ValueMap(function)
        self._gone: set[IRValue | Instruction] = set()

    def code(self) -> list[Step]:
        """What is left."""
        return [step for step in self._function.code if isinstance(step, View) or _subject(step) not in self._gone]

    def instructions(self) -> list[Instruction]:
        return [instruction for instruction in self._function.instructions() if instruction not in self._gone]

    def write_directly(self, copy: Instruction) -> None:
        output, (buffer, _) = copy["Dest"], storage(copy["Src"])
        is_whole = isinstance(buffer, AllocActivation) and buffer.type.bytes == output.type.bytes
        if is_whole and len(self._values.uses[output]) == 1:
            self._put(buffer, output)
            self._gone.add(copy)

    def compute_in_place(self, instruction: Instruction) -> None:
        """A buffer whose bytes the result may take over, and that nothing else reads, lies where the result does."""
        if instruction.operands["Dest"].role is Role.OUT:
            buffers = (storage(operand.value)[0] for operand in operands_to_take(instruction))
            private = next((buffer for buffer in buffers if self._is_private(buffer, instruction)), None)
            if private:
                self._put(private, instruction["Dest"])

    def _is_private(self, buffer: IRValue, reader: Instruction) -> bool:
        others = [use for use in self._values.uses[buffer] if use.instruction is not reader]
        return all(use.operand.role is not Role.IN for use in others)

    def _put(self, buffer: IRValue, place: IRValue) -> None:
        """Let everything that names `buffer` name `place`, of as many elements."""
        self._gone.add(buffer)
        if buffer.type != place.type:
            place = TensorView(self._function.unique_name(f"{place.name}_view"), buffer.type, place)
            self._values.add_view(place)
        self._values.replace(buffer, place)


def _subject(step: Alloc | Dealloc | Instruction) -> IRValue | Instruction:
    return step if isinstance(step, Instruction) else step.buffer
