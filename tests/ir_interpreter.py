"""A NumPy interpreter of the IR: the oracle that tests of lowering, IR passes, memory plans and kernels compare with.

`run(function, inputs)` gives every variable and buffer memory of its own. `run(function, inputs, plan)` keeps them in
three byte arrays at the offsets of a MemoryPlan, so that bytes shared wrongly show. Memory that nobody wrote is full of
a pattern that makes results wrong rather than zero. Floats are computed in double and rounded once, into Dest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import ir_kinds_axes as ir_kinds_axes
import ir_kinds_elements as ir_kinds_elements
import ir_kinds_products as ir_kinds_products
import ir_kinds_shape as ir_kinds_shape
import ir_kinds_windows as ir_kinds_windows
from inbundle.ir.function import Function, Instruction
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.stacks import steps
from ir_memory import KINDS, PATTERN, Memory

__all__ = ["KINDS", "PATTERN", "Memory", "execute", "run"]


def run(
    function: Function,
    inputs: Mapping[str, np.ndarray],
    plan: MemoryPlan | None = None,
    order: Sequence[Instruction] | None = None,
) -> dict[str, np.ndarray]:
    """The outputs of a function by name; `order` replaces program order."""
    memory = Memory(function, plan)
    for variable in function.inputs:
        memory.array(variable)[...] = inputs[variable.name]
    with np.errstate(all="ignore"):
        for step in order or function.instructions():
            execute(step, memory)
    return {variable.name: memory.array(variable).copy() for variable in function.outputs}


def execute(step: Instruction, memory: Memory) -> None:
    """Run one instruction, step by step. All operands of a step are read before its Dest is written."""
    for each in steps(step):
        KINDS[each.kind](each, memory)
