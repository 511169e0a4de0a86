"""Graph passes: a Graph becomes a smaller one with the same results, bit for bit.

`PASSES` is the pipeline, in order. A pass has its module, with an example of before and after on top, and one line in
the table; it changes the Graph in place and knows no other pass.
"""

from __future__ import annotations

from collections.abc import Callable

from inbundle.graph.graph import Graph
from inbundle.passes.cse import merge_equal_values
from inbundle.passes.dce import delete_unused
from inbundle.passes.eliminate_noop import bypass_noops

PASSES: tuple[tuple[str, Callable[[Graph], None]], ...] = (
    ("EliminateNoop", bypass_noops),
    # Nodes that read the same value only by way of a no-op are equal now.
    ("CSE", merge_equal_values),
    # Last, because the others leave constants that nobody reads.
    ("DCE", delete_unused),
)


def optimize(graph: Graph) -> None:
    """Run all passes, once, in order."""
    for _name, run in PASSES:
        run(graph)
