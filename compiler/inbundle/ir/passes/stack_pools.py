"""StackPools: an image that only a pool reads is pooled while it is computed, and never stored.

    %conv = convolution @out %conv_res, @in %x, @in %w        %conv = convolution @out %pool_res, @in %x, @in %w {
    %pool = maxpool @out %pool_res, @in %conv_res        ->       %pool = maxpool @out %pool_res, @in %conv_res
                                                              }

`conv_res` was a buffer and is a register now. What was stacked on the two stays, and is one instruction with them.
Of which pools this is true, `ir/pooling.py` says. Comes after element-wise instructions are stacked, and like that must
run before buffers are shared: as long as every value is written once, a pool may be computed where its image is.
"""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.ir.function import AllocActivation, Function, Instruction, IRValue, Operand, Register, Role, storage
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.pooling import POOLS, can_pool
from inbundle.ir.stacks import MOST_STEPS, stacked, steps
from inbundle.ir.uses import Use, uses


def stack_pools(function: Function) -> None:
    """Join each pool with the convolution before it, where one kernel can do both."""
    found = uses(function)
    joined: dict[Instruction, Instruction | None] = {}
    for pool in function.instructions():
        convolution = _convolution(pool, found)
        if convolution:
            joined |= {convolution: _joined(convolution, pool), pool: None}
    code = (joined.get(step, step) if isinstance(step, Instruction) else step for step in function.code)
    function.code = [step for step in code if step is not None]
    sink_allocs(function)
    hoist_dealloc(function)


def _convolution(pool: Instruction, found: Mapping[IRValue, list[Use]]) -> Instruction | None:
    """The convolution whose image a pool, and nothing else, reads, if one instruction can do the work of both."""
    image = pool["Src"] if pool.kind in POOLS else None
    if not isinstance(image, AllocActivation) or len(found[image]) != 2:
        return None
    written, _ = found[image]
    convolution = written.instruction
    is_short = len(convolution.epilogue) + len(pool.epilogue) + 2 <= MOST_STEPS
    can_be_moved = all(_written(found[storage(value)[0]], image) < written.step for value in pool.reads())
    return convolution if is_short and can_be_moved and can_pool(convolution, pool) else None


def _written(value: list[Use], image: IRValue) -> int:
    """Where the last writer of a value other than `image` stands; -1 where there is none."""
    return max((use.step for use in value if use.operand.role.writes and use.operand.value is not image), default=-1)


def _joined(convolution: Instruction, pool: Instruction) -> Instruction:
    """The steps of both as one instruction, the image between them as a register."""
    first, second = steps(convolution), steps(pool)
    image = Register(pool["Src"].name, pool["Src"].type)
    first[-1].operands["Dest"] = Operand(Role.OUT, image)
    second[0].operands["Src"] = Operand(Role.IN, image)
    return stacked([*first, *second])
