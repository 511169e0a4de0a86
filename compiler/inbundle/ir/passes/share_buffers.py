"""ShareBuffers: a result takes over the buffer of an operand that nobody reads afterwards.

    %a = relu @out %relu_res, @in %conv_res        ->     %a = relu @out %conv_res, @in %conv_res

Only operands that the kind declares as `inplace`, of the result's own type: element i of the result then depends on
element i of the operand alone (or, for Softmax, on its line, which the kernel reads before it writes).
"""

from __future__ import annotations

import itertools

from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    TensorView,
    View,
    storage,
)
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.passes.lifetimes import hoist_dealloc
from inbundle.ir.uses import Use, uses


def share_buffers(function: Function) -> None:
    """Let results take over buffers, in program order, so that a chain of element-wise instructions needs one."""
    found, views = uses(function), _views(function)
    given_up: set[IRValue] = set()
    for instruction in function.instructions():
        result = instruction["Dest"]
        taken = _buffer_to_take(instruction, found)
        if taken is not None and isinstance(result, AllocActivation) and found[result][0].instruction is instruction:
            _replace(result, taken, found, views)
            given_up.add(result)
    function.code = [
        step for step in function.code if not (isinstance(step, Alloc | Dealloc) and step.buffer in given_up)
    ]
    hoist_dealloc(function)  # the buffers that are left live longer now


def _views(function: Function) -> dict[IRValue, list[TensorView]]:
    """What is viewed -> its views."""
    found: dict[IRValue, list[TensorView]] = {}
    for step in function.code:
        if isinstance(step, View):
            found.setdefault(step.view.base, []).append(step.view)
    return found


def _replace(
    old: IRValue, new: IRValue, found: dict[IRValue, list[Use]], views: dict[IRValue, list[TensorView]]
) -> None:
    """As Function.replace, but by the known uses: a walk over the code for each result takes quadratic time."""
    for use in found[old]:
        if use.operand.value is old:
            use.operand.value = new
    for view in views.get(old, ()):
        view.base = new
    views.setdefault(new, []).extend(views.pop(old, ()))
    found[storage(new)[0]] += found.pop(old)


def _buffer_to_take(instruction: Instruction, found: dict[IRValue, list[Use]]) -> IRValue | None:
    """The operand (a buffer or a view of a whole one) that the result may replace."""
    for name in INSTRUCTIONS[instruction.kind].inplace:
        value = instruction[name]
        buffer, _ = storage(value)
        if isinstance(buffer, AllocActivation) and found[buffer][-1].instruction is instruction:
            own = list(itertools.takewhile(lambda use: use.instruction is instruction, reversed(found[buffer])))
            if all(_is_inplace(use, instruction, buffer) for use in own):
                return value
    return None


def _is_inplace(use: Use, instruction: Instruction, buffer: IRValue) -> bool:
    """The operand is read element by element, and shows all of its buffer in the result's shape."""
    inplace = INSTRUCTIONS[instruction.kind].inplace
    is_declared = any(instruction.operands.get(name) is use.operand for name in inplace)
    value = use.operand.value
    return is_declared and value.type == instruction["Dest"].type and value.type.bytes == buffer.type.bytes
