"""OptimizeReduceMean: the mean over all spatial dimensions is a GlobalAveragePool.

Before:
    %y = ReduceMean(%x) {axes: [2, 3], keepdims: false}     with %x: float<1 x 8 x 7 x 7>

After:
    %p = GlobalAveragePool(%x)
    %y = Reshape(%p) {shape: [1, 8]}
"""

from __future__ import annotations

from inbundle.graph.graph import Graph
from inbundle.graph.ops.operands import FLOATS
from inbundle.patterns import Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def reduce_mean_to_pool(graph: Graph) -> None:
    apply_rules(graph, RULES)


_FUNCTIONS = {
    **BUILT_IN,
    "isOfImage": predicate(
        lambda node: (
            node.output.type.elem in FLOATS
            and node.input(0).type.elements > 0
            and 3 <= node.input(0).type.rank <= 5
            and node.attributes["axes"] == tuple(range(2, node.input(0).type.rank))
        )
    ),
}
RULES = (
    Rule.replacing(
        "MeanOfImage",
        "%x -> ReduceMean",
        "%p = GlobalAveragePool(%x)\nReduceMean = Reshape(%p) {shape: shape(ReduceMean)}",
        where={"ReduceMean": "isOfImage($) && !$.keepdims"},
        functions=_FUNCTIONS,
    ),
    Rule.replacing(
        "MeanOfImageKept",
        "%x -> ReduceMean",
        "ReduceMean = GlobalAveragePool(%x)",
        where={"ReduceMean": "isOfImage($)"},
        functions=_FUNCTIONS,
    ),
)
