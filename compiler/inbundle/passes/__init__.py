"""Graph passes: a Graph becomes a smaller or faster one with the same results.

`PIPELINE` is the default, in order. A pass has its module, with an example of before and after on top, and one line in
the table, with the reason for its place; it changes the Graph in place and knows no other pass. The manager runs DCE
before each pass and the verifier after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.graph.graph import Graph
from inbundle.graph.verifier import verify
from inbundle.pass_manager import PassManager, Watcher
from inbundle.passes.constant_fold import fold_constants
from inbundle.passes.cse import merge_equal_values
from inbundle.passes.eliminate_noop import bypass_noops
from inbundle.passes.manager import DCE, GRAPHS, GraphPass, chosen_passes

PIPELINE: tuple[GraphPass, ...] = (
    # First, so that the others see constants where they look for them.
    GraphPass("ConstantFold", fold_constants),
    GraphPass("EliminateNoop", bypass_noops),
    # Nodes that read the same value only by way of a no-op are equal now.
    GraphPass("CSE", merge_equal_values),
    # Last, because the others leave constants that nobody reads.
    DCE,
)

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
        post_lowering: what a back end wants to run behind all others, just before the graph is lowered.
        stop_after: number of runs after which no pass runs any more.

    Raises:
        CompileError: an unknown pass, or a pass that broke the graph.
    """
    verify(graph)
    named = {word.strip("-*") for word in words}
    first = [config for config in own if config.name not in named]
    known = {**PASSES, **{config.name: config for config in own}}
    pipeline = [*first, *chosen_passes(words, known, PIPELINE), *post_lowering, *([DCE] if post_lowering else ())]
    PassManager(GRAPHS, watchers, stop_after=stop_after).run(graph, pipeline)


__all__ = ["PASSES", "PIPELINE", "GraphPass", "optimize"]
