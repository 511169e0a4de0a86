"""AddScratch: memory that kernels need while they run, one piece per tile, as a buffer that lives no longer.

    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b
    ->
    %conv_scratch = allocactivation  { Ty: float<1 x 442368>}
    %conv = nhwcwinograd @out %conv_res, @in %x, @in %w, @in %b, @out %conv_scratch
    %dealloc_conv_scratch = deallocactivation @out %conv_scratch

The fullest moment of the program decides how large a piece is: what the region has free while the instruction runs may
be used, and a little more for each piece. Comes after instructions are stacked, which are told apart by what they
write.
"""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Instruction, Operand, Role, Step
from inbundle.ir.memory import align
from inbundle.ir.packing import Life, fullest_moment
from inbundle.ir.planner import lives_of
from inbundle.ir.tiling import UNCUT, Tiling
from inbundle.ir.units import Split, units
from inbundle.ir.uses import touched_buffers
from inbundle.ir.vector_work import winograd_blocks, winograd_floats

MARGIN = 1 / 7
"""By how much of the fullest moment an instruction and its scratch may exceed it, per piece."""


def add_scratch(function: Function, tilings: Mapping[Instruction, Tiling] | None = None) -> None:
    """Give every instruction that needs it a piece of memory per tile; what is not in `tilings` has one tile."""
    lives = lives_of(function)
    most = fullest_moment(lives)
    code: list[Step] = []
    for index, step in enumerate(function.code):
        if not isinstance(step, Instruction) or not _needs_scratch(step):
            code.append(step)
            continue
        tiling = (tilings or {}).get(step, UNCUT)
        type = _fit(step, tiling, int(most * (1 + MARGIN * tiling.tiles)) - _live_bytes(lives, index))
        scratch = AllocActivation(function.unique_name(f"{step.name}_scratch"), type)
        step.operands["Scratch"] = Operand(Role.OUT, scratch)
        code += [Alloc(scratch), step, Dealloc(scratch)]
    function.code = code


def _live_bytes(lives: list[Life], index: int) -> int:
    """Bytes of the buffers that are alive at a step."""
    return sum(life.size for life in lives if life.start < index < life.end)


def _fit(winograd: Instruction, tiling: Tiling, room: int) -> TensorType:
    """The largest scratch that has room, else the smallest that will do."""
    types = _choices(winograd, tiling)
    return next((type for type in types if align(type.bytes) <= room), types[-1])


def _choices(winograd: Instruction, tiling: Tiling) -> list[TensorType]:
    """What its scratch may be, the fastest first."""
    parts = (1, tiling.tiles) if tiling.split is Split.CHANNELS else (tiling.tiles, 1)
    floats = winograd_floats(winograd, parts[1])
    pieces = [block * floats for block in winograd_blocks(winograd, *parts)]
    return [TensorType(ElemKind.FLOAT, (tiling.tiles, piece)) for piece in pieces]


def least_bytes(function: Function) -> int:
    """Of the instructions that are to get scratch, the most that one of them has to have: the smallest that will do,
    and the activations that it reads and writes."""
    return max((_least_bytes(step) for step in function.instructions() if _needs_scratch(step)), default=0)


def _least_bytes(winograd: Instruction) -> int:
    smallest = _choices(winograd, UNCUT)[-1]
    return align(smallest.bytes) + sum(align(buffer.type.bytes) for buffer in touched_buffers(winograd))


def _needs_scratch(instruction: Instruction) -> bool:
    return instruction.kind == "nhwcwinograd" and bool(units(instruction))
