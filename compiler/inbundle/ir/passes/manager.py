"""The IR side of the pass manager: what a Function's state is, and how a pass that broke it is named."""

from __future__ import annotations

from inbundle.ir.function import Dealloc, Function, Instruction, Step, View
from inbundle.ir.stacks import steps
from inbundle.ir.verifier import IRError, verify
from inbundle.pass_manager import State, UnitKind


def function_state(function: Function) -> State:
    """Instructions, buffers, views and ends of lives by name. Passes do not change a constant's data in place."""
    return dict(map(_step_state, function.code))


def _step_state(step: Step) -> tuple[str, object]:
    if isinstance(step, Instruction):
        return step.name, [_computation(each) for each in steps(step)]
    if isinstance(step, View):
        return step.view.name, (step.view.base.name, step.view.offset, step.view.type)
    name = step.buffer.name
    return (f"dealloc_{name}", None) if isinstance(step, Dealloc) else (name, step.buffer.type)


def _computation(step: Instruction) -> object:
    operands = [(name, operand.role, operand.value.name) for name, operand in step.operands.items()]
    return step.kind, operands, repr(step.attributes)


def _verify(function: Function, after: str) -> None:
    try:
        verify(function)
    except IRError as error:
        raise IRError(f"{after}: {error}") from None


FUNCTIONS = UnitKind[Function](
    label="IR",
    parts="steps",
    state=function_state,
    count=lambda function: len(function.code),
    verify=_verify,
)
