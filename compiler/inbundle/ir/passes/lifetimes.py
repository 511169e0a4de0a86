"""HoistDealloc and SinkAllocas: a buffer lives from just before its first use to just after its last one."""

from __future__ import annotations

from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    Step,
    TensorView,
    View,
    storage,
)
from inbundle.ir.uses import uses


def hoist_dealloc(function: Function) -> None:
    """End every buffer's life right after its last use; a buffer without a use dies where it is allocated.

    The declaration of a view counts as a use, even if no instruction names the view.
    """
    last = {value: found[-1].step for value, found in uses(function).items()}
    for index, step in enumerate(function.code):
        if isinstance(step, View):
            base, _ = storage(step.view)
            last[base] = max(index, last.get(base, 0))
    ending: dict[int, list[AllocActivation]] = {}
    for index, step in enumerate(function.code):
        if isinstance(step, Alloc):
            ending.setdefault(last.get(step.buffer, index), []).append(step.buffer)
    code: list[Step] = []
    for index, step in enumerate(function.code):
        if not isinstance(step, Dealloc):
            code.append(step)
        code.extend(Dealloc(buffer) for buffer in ending.get(index, ()))
    function.code = code


def sink_allocs(function: Function) -> None:
    """Move allocations and views to right before their first use; those without a use vanish, deallocation included."""
    code: list[Step] = []
    declared: set[IRValue] = set(function.variables)

    def declare(value: IRValue) -> None:
        if value in declared:
            return
        declared.add(value)
        if isinstance(value, TensorView):
            declare(value.base)
            code.append(View(value))
        else:
            assert isinstance(value, AllocActivation)
            code.append(Alloc(value))

    for step in function.code:
        if isinstance(step, Instruction):
            for operand in step.operands.values():
                declare(operand.value)
            code.append(step)
        elif isinstance(step, Dealloc) and step.buffer in declared:
            code.append(step)
    function.code = code
