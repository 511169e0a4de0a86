"""AddScratch: memory that kernels need while they run, one piece per tile, as a buffer that lives no longer.

    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b
    ->
    %conv_scratch = allocactivation  { Ty: float<1 x 442368>}
    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b, @out %conv_scratch
    %dealloc_conv_scratch = deallocactivation @out %conv_scratch

The fullest moment of the program decides how large a piece is: what the region has free while the instruction runs may
be used, and little more. Comes after instructions are stacked, which are told apart by what they write.
"""

from __future__ import annotations

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Instruction, Operand, Role, Step
from inbundle.ir.memory import align
from inbundle.ir.packing import Life, fullest_moment
from inbundle.ir.planner import lives_of
from inbundle.ir.tasks import tile_count, units
from inbundle.ir.vector_work import winograd_blocks, winograd_floats

MARGIN = 0.1
"""By how much of the fullest moment an instruction and its scratch may exceed it."""


def add_scratch(function: Function, threads: int) -> None:
    """Give every instruction that needs it a piece of memory per tile, for tiles cut for `threads` workers."""
    lives = lives_of(function)
    most = int(fullest_moment(lives) * (1 + MARGIN))
    code: list[Step] = []
    for index, step in enumerate(function.code):
        if not isinstance(step, Instruction) or step.kind != "nhwcwinograd" or not units(step):
            code.append(step)
            continue
        scratch = AllocActivation(function.unique_name(f"{step.name}_scratch"), TensorType(ElemKind.FLOAT, (1, 0)))
        step.operands["Scratch"] = Operand(Role.OUT, scratch)
        _fit(step, scratch, most - _live_bytes(lives, index), threads)
        code += [Alloc(scratch), step, Dealloc(scratch)]
    function.code = code


def _live_bytes(lives: list[Life], index: int) -> int:
    """Bytes of the buffers that are alive at a step."""
    return sum(life.size for life in lives if life.start < index < life.end)


def _fit(winograd: Instruction, scratch: AllocActivation, room: int, threads: int) -> None:
    """The largest scratch that has room, else the smallest that will do."""
    for block in winograd_blocks(winograd):
        piece = block * winograd_floats(winograd)
        scratch.type = TensorType(ElemKind.FLOAT, (1, piece))  # the number of tiles depends on the size of a piece
        scratch.type = TensorType(ElemKind.FLOAT, (tile_count(winograd, threads), piece))
        if align(scratch.type.bytes) <= room:
            break
