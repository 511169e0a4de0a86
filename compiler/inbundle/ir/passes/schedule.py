"""ScheduleForMemory: the order of instructions whose fullest moment needs the fewest bytes.

    %a = convolution @out %a_res, @in %x        (large)        %a = convolution @out %a_res, @in %x
    %b = convolution @out %b_res, @in %x        (large)   ->   %c = maxpool @out %c_res, @in %a_res
    %c = maxpool @out %c_res, @in %a_res        (small)        %b = convolution @out %b_res, @in %x
    %d = maxpool @out %d_res, @in %b_res        (small)        %d = maxpool @out %d_res, @in %b_res

Must run before buffers are shared, which ties instructions to one order.
"""

from __future__ import annotations

from inbundle.ir.function import Function
from inbundle.ir.ordering import Problem
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs


def schedule_for_memory(function: Function) -> None:
    """Reorder the instructions if that makes the fullest moment smaller; an order that is as good stays."""
    instructions = function.instructions()
    order = Problem.of(function).best_order().indices
    if order != tuple(range(len(instructions))):
        function.code = [instructions[index] for index in order]
        sink_allocs(function)
        hoist_dealloc(function)
