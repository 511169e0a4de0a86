"""PeepholeOptimizations: rewrites that look at one step.

view of a view                     ->  view of the buffer
view with the buffer's own type    ->  the buffer
copy of bytes onto themselves      ->  nothing
maxpool whose Argmax nobody reads  ->  maxpool without Argmax
"""

from __future__ import annotations

from inbundle.ir.function import AllocActivation, Function, Instruction, IRValue, Step, View, storage
from inbundle.ir.uses import uses


def peephole(function: Function) -> None:
    _collapse_views(function)
    function.code = [step for step in function.code if not _copies_onto_itself(step)]
    _drop_unread_argmax(function)


def _collapse_views(function: Function) -> None:
    for step in [step for step in function.code if isinstance(step, View)]:
        view = step.view
        base, start = storage(view)
        view.base, view.offset = base, start // view.type.elem.size
        if view.type == base.type:
            function.replace(view, base)
            function.code.remove(step)


def _copies_onto_itself(step: Step) -> bool:
    return isinstance(step, Instruction) and step.kind == "copy" and storage(step["Dest"]) == storage(step["Src"])


def _drop_unread_argmax(function: Function) -> None:
    found = uses(function)
    for instruction in function.instructions():
        argmax: IRValue | None = instruction.get("Argmax")
        if argmax is not None and isinstance(argmax, AllocActivation) and len(found[argmax]) == 1:
            del instruction.operands["Argmax"]
