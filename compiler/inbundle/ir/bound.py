"""How much activation memory a function gets, next to how little it could do with."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.function import Function
from inbundle.ir.ordering import MOST_TRIALS, Problem
from inbundle.ir.passes import FOR_VECTORS, PIPELINE
from inbundle.ir.passes.add_scratch import add_scratch, least_bytes
from inbundle.ir.passes.schedule import schedule_for_memory
from inbundle.ir.planner import plan


@dataclass(frozen=True)
class ActivationMemory:
    """Bytes of the buffers in the activations region, without the engine's memory.

    Attributes:
        own: when every activation had bytes of its own, before the IR passes.
        before: as planned before the IR passes.
        planned: as planned after them, with the memory that kernels work in.
        bound: the largest sum of bytes alive at the same time in the best order of instructions found, for the
            instructions that the passes leave; buffers that can be shared in place count once. What a kernel works in
            counts with the least that will do, beside what its instruction reads and writes.
        is_best: no order of these instructions has less than `bound`.
    """

    own: int
    before: int
    planned: int
    bound: int
    is_best: bool

    @property
    def ratio(self) -> float:
        """Planned bytes for each byte of the bound; 1 where there is nothing to plan."""
        return self.planned / self.bound if self.bound else 1.0


def activation_memory(function: Function, *, vectors: bool = True) -> ActivationMemory:
    """Runs the IR passes on a function as lowered, and says what they make of its memory; `vectors`: those for a target
    that has vector kernels, too."""
    own, before = (plan(function, reuse=reuse).activation_bytes for reuse in (False, True))
    best = None
    for name, run in PIPELINE:
        if name in FOR_VECTORS and not vectors:
            continue
        if run is schedule_for_memory:
            best = Problem.of(function).best_order(10 * MOST_TRIALS)
        run(function)
    assert best is not None, "the pipeline has a pass that orders instructions"
    bound = max(best.peak, least_bytes(function))
    add_scratch(function)
    return ActivationMemory(own, before, plan(function).activation_bytes, bound, best.is_best)
