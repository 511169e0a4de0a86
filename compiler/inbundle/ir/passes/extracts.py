"""OptimizeExtracts: a slice whose elements lie side by side is a view, not a copy.

    %part = extracttensor @out %part_res, @in %x { Offsets: [2, 0], Steps: [1, 1]}     (all columns of some rows)
    ->
    %part_res = tensorview @in %x { Ty: …, Offset: …}

Must run before buffers are shared: as long as every value is written once, nothing overwrites what the view shows.
"""

from __future__ import annotations

from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Instruction, Step, TensorView, View
from inbundle.ir.parts import extracted_at
from inbundle.ir.passes.lifetimes import hoist_dealloc


def optimize_extracts(function: Function) -> None:
    """Replace the extracts that write a buffer of their own and whose elements are contiguous in Src."""
    given_up: set[AllocActivation] = set()
    code: list[Step] = []
    for step in function.code:
        view = _as_view(step)
        if view is None:
            code.append(step)
            continue
        assert isinstance(step, Instruction)
        buffer = step["Dest"]
        assert isinstance(buffer, AllocActivation)
        given_up.add(buffer)
        function.replace(buffer, view)
        code.append(View(view))
    function.code = [step for step in code if not (isinstance(step, Alloc | Dealloc) and step.buffer in given_up)]
    hoist_dealloc(function)  # the sliced buffers live as long as their views


def _as_view(step: Step) -> TensorView | None:
    if not isinstance(step, Instruction) or step.kind != "extracttensor":
        return None
    offset = extracted_at(step)
    dest = step["Dest"]
    if offset is None or not isinstance(dest, AllocActivation):
        return None
    return TensorView(dest.name, dest.type, step["Src"], offset)
