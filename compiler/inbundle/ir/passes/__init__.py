"""IR passes: each takes a Function and changes it in place; the pipeline is one list, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inbundle.ir.function import Function
from inbundle.ir.passes.channels_last import channels_last
from inbundle.ir.passes.dead_allocs import delete_dead_allocs
from inbundle.ir.passes.dead_stores import delete_dead_stores
from inbundle.ir.passes.extracts import optimize_extracts
from inbundle.ir.passes.inserts import optimize_inserts
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.passes.manager import FUNCTIONS
from inbundle.ir.passes.pack_weights import pack_weights
from inbundle.ir.passes.peephole import peephole
from inbundle.ir.passes.scalar_constants import scalar_constants
from inbundle.ir.passes.schedule import schedule_for_memory
from inbundle.ir.passes.share_buffers import share_buffers
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.passes.stack_pools import stack_pools
from inbundle.ir.passes.write_outputs import write_outputs
from inbundle.ir.verifier import verify
from inbundle.pass_manager import PassConfig, PassManager, Watcher

Pass = Callable[[Function], None]

# Names are Glow's where Glow has the pass.
PIPELINE: tuple[tuple[str, Pass], ...] = (
    ("PeepholeOptimizations", peephole),
    ("DSE", delete_dead_stores),
    ("ScalarConstants", scalar_constants),
    ("ChannelsLast", channels_last),
    ("PackWeights", pack_weights),
    # Transposes whose order weights have now.
    ("DSE", delete_dead_stores),
    ("OptimizeExtracts", optimize_extracts),
    ("OptimizeInserts", optimize_inserts),
    # Slices and parts that are no copies need no loop. Before what gives one buffer to several values.
    ("StackElementwise", stack_elementwise),
    # With what was stacked on both.
    ("StackPools", stack_pools),
    # Before sharing: a producer that writes an output must have a buffer of its own.
    ("WriteOutputs", write_outputs),
    # Counts on what is shared next.
    ("ScheduleForMemory", schedule_for_memory),
    ("ShareBuffers", share_buffers),
    # The passes above replace buffers by views and leave views of views.
    ("PeepholeOptimizations", peephole),
    ("DeleteDeadAllocs", delete_dead_allocs),
    # What was replaced left lives that begin too early and end too late.
    ("SinkAllocas", sink_allocs),
    ("HoistDealloc", hoist_dealloc),
)
# What only the kernels of vector units profit from.
FOR_VECTORS = frozenset({"ChannelsLast", "PackWeights"})


def optimize(
    function: Function,
    watchers: Sequence[Watcher[Function]] = (),
    *,
    enabled: bool = True,
    vectors: bool = False,
    stop_after: int | None = None,
) -> None:
    """Verify the function, run the pipeline, and verify it after each pass.

    Args:
        watchers: look on while the passes run.
        enabled: False leaves the function as it is (`-optimize-ir=false`): valid, only larger and slower.
        vectors: for a target that has vector kernels.
        stop_after: number of runs after which no pass runs any more.

    Raises:
        IRError: a pass, or lowering, broke a rule of the IR: a bug.
    """
    verify(function)
    pipeline = [PassConfig(name, run) for name, run in PIPELINE if enabled and (vectors or name not in FOR_VECTORS)]
    PassManager(FUNCTIONS, watchers, stop_after=stop_after).run(function, pipeline)


__all__ = ["PIPELINE", "Pass", "hoist_dealloc", "optimize"]
