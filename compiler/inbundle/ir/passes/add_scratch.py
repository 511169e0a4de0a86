"""AddScratch: memory that kernels need while they run, one piece per tile, as a buffer that lives no longer.

    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b
    ->
    %conv_scratch = allocactivation  { Ty: float<1 x 442368>}
    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b, @inout %conv_scratch
    %dealloc_conv_scratch = deallocactivation @out %conv_scratch

Comes after instructions are stacked, which are told apart by what they write.
"""

from __future__ import annotations

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Instruction, Operand, Role, Step
from inbundle.ir.tasks import tile_count, units
from inbundle.ir.vector_work import winograd_scratch


def add_scratch(function: Function, threads: int) -> None:
    """Give every instruction that needs it a piece of memory per tile, for tiles cut for `threads` workers."""
    code: list[Step] = []
    for step in function.code:
        if not isinstance(step, Instruction) or step.kind != "nhwcwinograd" or not units(step):
            code.append(step)
            continue
        type = TensorType(ElemKind.FLOAT, (tile_count(step, threads), winograd_scratch(step)))
        buffer = AllocActivation(function.unique_name(f"{step.name}_scratch"), type)
        step.operands["Scratch"] = Operand(Role.OUT, buffer)
        code += [Alloc(buffer), step, Dealloc(buffer)]
    function.code = code
