"""The textual form of a Function, in Glow's style: what `-dump-ir` prints.

0 %relu_res = allocactivation  { Ty: float<1 x 4>} // size: 16 // Users: @out 3, @in 2, @out 1
1 %relu = relu @out %relu_res, @in %x

A stacked instruction shows its steps, and between them registers that no line declares:

2 %add = add @out %add_res, @in %x, @in %y {
    %relu = relu @out %relu_res, @in %add_res
  }
"""

from __future__ import annotations

from collections.abc import Iterator

from inbundle.graph.graph import Attribute
from inbundle.ir.function import Alloc, Dealloc, Function, Instruction, IRValue, Role, Step, View, WeightVar
from inbundle.ir.stacks import steps
from inbundle.ir.uses import uses


def to_text(function: Function) -> str:
    """The function as text, with a newline at the end. Variables stand by first use, unused ones last."""
    users = _users(function)
    order = {value: index for index, value in enumerate(uses(function))}
    variables = sorted(function.variables, key=lambda variable: order.get(variable, len(order)))
    lines = [f"function {function.name}", "declare {"]
    lines += [f"  {_variable(variable)}{_users_text(users.get(variable))}" for variable in variables]
    lines += ["", f"  ; size = {sum(variable.type.bytes for variable in variables)} bytes", "}", "", "code {"]
    for index, step in enumerate(function.code):
        lines.append(f"  {index} {_step(step, users)}")
        lines += _epilogue(step)
    return "\n".join([*lines, "}", ""])


Users = dict[IRValue, list[tuple[Role, int]]]


def _users(function: Function) -> Users:
    """Value -> the role and number of each step that names it, in program order."""
    users: Users = {}
    for index, step in enumerate(function.code):
        for value, role in _named(step):
            users.setdefault(value, []).append((role, index))
    return users


def _named(step: Step) -> Iterator[tuple[IRValue, Role]]:
    if isinstance(step, Instruction):
        yield from ((operand.value, operand.role) for operand in step.operands.values())
    elif isinstance(step, View):
        yield step.view.base, Role.IN
    elif isinstance(step, Dealloc):
        yield step.buffer, Role.OUT


def _users_text(users: list[tuple[Role, int]] | None) -> str:
    """Latest first."""
    if not users:
        return ""
    return " // Users: " + ", ".join(f"{role.value} {index}" for role, index in reversed(users))


def _variable(variable: WeightVar) -> str:
    return f"%{variable.name} = WeightVar {variable.type} {variable.mutability.value} // size: {variable.type.bytes}"


def _step(step: Step, users: Users) -> str:
    if isinstance(step, Alloc):
        buffer = step.buffer
        size = f"// size: {buffer.type.bytes}{_users_text(users.get(buffer))}"
        return f"%{buffer.name} = allocactivation  {{ Ty: {buffer.type}}} {size}"
    if isinstance(step, View):
        view = step.view
        text = f"%{view.name} = tensorview @in %{view.base.name} {{ Ty: {view.type}, Offset: {view.offset}}}"
        return text + _users_text(users.get(view))
    if isinstance(step, Dealloc):
        buffer = step.buffer
        return f"%dealloc_{buffer.name} = deallocactivation @out %{buffer.name} // size: {buffer.type.bytes}"
    first = steps(step)[0]
    return _instruction(first) + (" {" if step.epilogue else "")


def _epilogue(step: Step) -> list[str]:
    """The further steps of a stacked instruction, in braces."""
    if not isinstance(step, Instruction) or not step.epilogue:
        return []
    return [*(f"      {_instruction(further)}" for further in step.epilogue), "    }"]


def _instruction(instruction: Instruction) -> str:
    operands = ", ".join(f"{operand.role.value} %{operand.value.name}" for operand in instruction.operands.values())
    text = f"%{instruction.name} = {instruction.kind} {operands}"
    if not instruction.attributes:
        return text
    members = ", ".join(f"{name}: {_attribute(value)}" for name, value in instruction.attributes.items())
    return f"{text} {{ {members}}}"


def _attribute(value: Attribute) -> str:
    """Booleans are 0 and 1 as in Glow; floats have as many digits as it takes to read the same number back."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_attribute, value))}]"
    return str(int(value)) if isinstance(value, bool) else str(value)
