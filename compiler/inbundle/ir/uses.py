"""Which instructions use which variable or buffer, views resolved."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.function import AllocActivation, Function, Instruction, IRValue, Operand, TensorView, View, storage


@dataclass(frozen=True)
class Use:
    """`operand` of `instruction`, which stands at `step` in the code."""

    step: int
    instruction: Instruction
    operand: Operand


def uses(function: Function) -> dict[IRValue, list[Use]]:
    """Used variable or buffer -> its uses in program order, operand order; keys in order of first use."""
    found: dict[IRValue, list[Use]] = {}
    for step, instruction in enumerate(function.code):
        if isinstance(instruction, Instruction):
            for operand in instruction.operands.values():
                base, _ = storage(operand.value)
                found.setdefault(base, []).append(Use(step, instruction, operand))
    return found


def touched_buffers(instruction: Instruction) -> list[AllocActivation]:
    """The activations that its operands lie in, each once, in operand order."""
    bases = dict.fromkeys(storage(operand.value)[0] for operand in instruction.operands.values())
    return [base for base in bases if isinstance(base, AllocActivation)]


class ValueMap:
    """Uses and views of all values, kept up to date while values are replaced: `Function.replace` walks over the whole
    code, which takes quadratic time where a pass replaces many."""

    def __init__(self, function: Function) -> None:
        self.uses = uses(function)
        self._views: dict[IRValue, list[TensorView]] = {}
        for step in function.code:
            if isinstance(step, View):
                self.add_view(step.view)

    def add_view(self, view: TensorView) -> None:
        """Takes notice of a view that no step of the code declares yet."""
        self._views.setdefault(view.base, []).append(view)

    def replace(self, old: IRValue, new: IRValue) -> None:
        """Let every instruction and view that names the variable or buffer `old` name `new`, which is another one or a
        view of it; the uses of `new` are no longer in program order then."""
        found = self.uses.pop(old, [])
        for use in found:
            if use.operand.value is old:
                use.operand.value = new
        for view in self._views.get(old, ()):
            view.base = new
        self._views.setdefault(new, []).extend(self._views.pop(old, ()))
        self.uses.setdefault(storage(new)[0], []).extend(found)
