"""ShareBuffers: a result takes over the buffer of an operand that nobody reads afterwards.

    %a = relu @out %relu_res, @in %conv_res        ->     %a = relu @out %conv_res, @in %conv_res

Only operands that the kind declares as `inplace` or its epilogue reads, as large as the result: element i of the result
then depends on element i of the operand alone (or, for Softmax, on its line, which the kernel reads before it writes).
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
from inbundle.ir.passes.lifetimes import hoist_dealloc
from inbundle.ir.stacks import operands_to_take
from inbundle.ir.uses import Use, ValueMap


def share_buffers(function: Function) -> None:
    """Let results take over buffers, in program order, so that a chain of element-wise instructions needs one."""
    values = ValueMap(function)
    given_up: set[IRValue] = set()
    code: list[Step] = []
    for step in function.code:
        if isinstance(step, Instruction) and (taken := _buffer_to_take(step, values.uses)):
            result = step["Dest"]
            given_up.add(result)
            if result.type != taken.type:
                taken = TensorView(function.unique_name(f"{taken.name}_view"), result.type, taken)
                code.append(View(taken))
                values.add_view(taken)
            values.replace(result, taken)
        code.append(step)
    function.code = [step for step in code if not (isinstance(step, Alloc | Dealloc) and step.buffer in given_up)]
    hoist_dealloc(function)  # the buffers that are left live longer now


def _buffer_to_take(instruction: Instruction, found: dict[IRValue, list[Use]]) -> IRValue | None:
    """The operand, a buffer or a view of a whole one, that Dest may replace; Dest is a buffer of its own so far."""
    result = instruction["Dest"]
    is_whole = isinstance(result, AllocActivation) and instruction.operands["Dest"].role is Role.OUT
    if not is_whole or found[result][0].instruction is not instruction:
        return None
    for operand in operands_to_take(instruction):
        buffer, _ = storage(operand.value)
        if found[buffer][-1].instruction is instruction:
            return operand.value
    return None
