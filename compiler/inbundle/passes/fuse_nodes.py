"""FuseNodes: a convolution or product is wrapped with what is computed on its elements, as one MetaNode.

Before:
    %a = Conv(%x, %w, %b)
    %s = Add(%a, %skip)
    %r = Relu(%s)
    %y = MaxPool(%r)

After:
    %y = ConvAddReluMaxPool(%x, %w, %b, %skip)

The sub-graph is protected from other passes from here on, and dumps show it as one. Lowering unfolds it; the IR passes
then make one loop of it.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph, Value
from inbundle.graph.ops.meta import kind_name
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.meta_nodes import wrap


def fuse_nodes(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _fused(rewriter: Rewriter, match: Match) -> dict[Value, Value] | None:
    if len(match.nodes) == 1:
        return None
    return wrap(rewriter, match, "".join(map(kind_name, match.nodes)))


def _any_of(*kinds: str) -> str:
    return " || ".join(f"getType($) == '{kind}'" for kind in kinds)


_FUNCTION = _any_of(
    *("Relu", "LeakyRelu", "PRelu", "Elu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Clip", "Gelu", "SiLU"),
)
_WHERE = {
    "Product": _any_of("Conv", "Gemm", "MatMul"),
    "Function": _FUNCTION,
    "Pool": f"({_any_of('MaxPool', 'AveragePool')})",
}
RULES = (Rule("Fused", Pattern("Product -> Add? -> Function? -> Pool? -> Function?", _WHERE), _fused),)
