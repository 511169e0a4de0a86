"""Graph passes: a Graph becomes a smaller or faster one with the same results.

`PIPELINE` is the default, in order. A pass has its module, with an example of before and after on top, and one line in
the table, with the reason for its place; it changes the Graph in place and knows no other pass. The manager runs DCE
before each pass and the verifier after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from inbundle.graph.graph import Graph
from inbundle.graph.verifier import verify
from inbundle.pass_manager import PassManager, Watcher
from inbundle.passes.clips import optimize_clips
from inbundle.passes.constant_fold import fold_constants
from inbundle.passes.cse import merge_equal_values
from inbundle.passes.eliminate_noop import bypass_noops
from inbundle.passes.fold_activations import fold_activations
from inbundle.passes.fold_arithmetic import fold_arithmetic
from inbundle.passes.fuse_nodes import fuse_nodes
from inbundle.passes.manager import DCE, GRAPHS, GraphPass, chosen_passes
from inbundle.passes.matmul_to_gemm import matmul_to_gemm
from inbundle.passes.merge_pad import merge_pad
from inbundle.passes.multiply_add import multiply_add
from inbundle.passes.name_blocks import name_blocks
from inbundle.passes.normalizations import fold_normalizations
from inbundle.passes.optimize_concats import optimize_concats
from inbundle.passes.reduce_mean_to_pool import reduce_mean_to_pool
from inbundle.passes.simplify_arithmetic import simplify_arithmetic
from inbundle.passes.sink_transposes import sink_transposes
from inbundle.passes.slices import optimize_slices
from inbundle.passes.swap_activation_pool import swap_activation_and_max_pool
from inbundle.passes.transposes import merge_transposes

PIPELINE: tuple[GraphPass, ...] = (
    # First, so that the others see constants where they look for them.
    GraphPass("ConstantFold", fold_constants),
    GraphPass("EliminateNoop", bypass_noops),
    # Nodes that read the same value only by way of a no-op are equal now.
    GraphPass("CSE", merge_equal_values),
    GraphPass("OptimizeArithmeticNodes", simplify_arithmetic, until_fixed_point=True),
    GraphPass("OptimizeClips", optimize_clips, until_fixed_point=True),
    # Before arithmetic is folded: it is part of what these look for.
    GraphPass("FoldActivations", fold_activations, until_fixed_point=True),
    # While the means are still reductions.
    GraphPass("FoldNormalizations", fold_normalizations, until_fixed_point=True),
    GraphPass("OptimizeReduceMean", reduce_mean_to_pool),
    GraphPass("OptimizeSlices", optimize_slices, until_fixed_point=True),
    GraphPass("OptimizeConcatNodes", optimize_concats, until_fixed_point=True),
    # Down to where they meet; what stood apart because of a transpose is side by side then.
    GraphPass("SinkTransposes", sink_transposes, until_fixed_point=True),
    # Before transposes are merged: a Gemm takes them into its flags and weights.
    GraphPass("MatMulAddToGemm", matmul_to_gemm),
    GraphPass("MergeTransposes", merge_transposes, until_fixed_point=True),
    GraphPass("MergePad", merge_pad, until_fixed_point=True),
    GraphPass("FoldArithmetic", fold_arithmetic, until_fixed_point=True),
    # What no weights could take.
    GraphPass("MultiplyAdd", multiply_add, until_fixed_point=True),
    GraphPass("SwapActivationAndMaxPool", swap_activation_and_max_pool, until_fixed_point=True),
    # What the passes above have left: operands of constants, shapes that are there already, equal nodes.
    GraphPass("ConstantFold", fold_constants),
    GraphPass("EliminateNoop", bypass_noops),
    GraphPass("CSE", merge_equal_values),
    DCE,
    # Last, because nothing looks into a MetaNode. Extensions of the back end come before these two.
    GraphPass("NameBlocks", name_blocks),
    GraphPass("FuseNodes", fuse_nodes),
)

WRAPPING = ("NameBlocks", "FuseNodes")
"""The passes that hide nodes in MetaNodes."""

PASSES: dict[str, GraphPass] = {config.name: config for config in PIPELINE}
"""Pass id -> pass, of all passes that there are; `-graph-passes` chooses from them."""


def optimize(
    graph: Graph,
    words: Sequence[str] = ("default",),
    watchers: Sequence[Watcher[Graph]] = (),
    *,
    own: Sequence[GraphPass] = (),
    post_lowering: Sequence[GraphPass] = (),
    stop_after: int | None = None,
) -> None:
    """Run a pipeline on `graph` in place, and verify it.

    Args:
        words: those of `-graph-passes`, see `passes/manager.py`.
        watchers: look on while the passes run.
        own: passes of the user's own, which `words` may name; they run before the others where it does not.
        post_lowering: what a back end wants to run behind all others, just before nodes are wrapped and lowered.
        stop_after: number of runs after which no pass runs any more.

    Raises:
        CompileError: an unknown pass, or a pass that broke the graph.
    """
    verify(graph)
    named = {word.removesuffix("*") for word in words}
    first = [config for config in own if config.name not in named]
    known = {**PASSES, **{config.name: config for config in own}}
    chosen = chosen_passes(words, known, PIPELINE, first)
    wrapping = list(takewhile(lambda config: config.name in WRAPPING, reversed(chosen)))[::-1]
    lowered = [*post_lowering, *([DCE] if post_lowering else ())]
    pipeline = [*chosen[: len(chosen) - len(wrapping)], *lowered, *wrapping]
    PassManager(GRAPHS, watchers, stop_after=stop_after).run(graph, pipeline)


__all__ = ["PASSES", "PIPELINE", "GraphPass", "optimize"]
