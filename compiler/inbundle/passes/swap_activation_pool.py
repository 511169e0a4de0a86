"""SwapActivationAndMaxPool: the largest element is chosen before a function that never falls is applied to it.

Before:
    %a = Relu(%x)
    %y = MaxPool(%a)

After:
    %p = MaxPool(%x)
    %y = Relu(%p)

The function is computed for the elements of the smaller tensor. Not where the pool's indices are read: equal elements
after the function may be different ones before it. Not where a window may see padding alone, which a Relu would raise.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph, Node, Value
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def swap_activation_and_max_pool(graph: Graph) -> None:
    apply_rules(graph, RULES)


_RISING = ("Relu", "Sigmoid", "Tanh", "Exp", "Erf", "Clip")
_RISING_WITH_ALPHA = ("LeakyRelu", "Elu", "HardSigmoid")


def _never_falls(node: Node) -> bool:
    """An alpha of 0 makes NaN of an infinite element, even where it is not the largest."""
    alpha = node.attributes.get("alpha")
    return node.kind in _RISING or (node.kind in _RISING_WITH_ALPHA and isinstance(alpha, float) and alpha > 0)


def _is_plain(node: Node) -> bool:
    """A pool without indices, each of whose windows sees the image, and that makes the image smaller."""
    if node.kind == "GlobalMaxPool":
        return True
    if node.kind != "MaxPool" or len(node.outputs) > 1 or node.attributes["ceil_mode"]:
        return False
    kernel, pads = node.integers("kernel_shape"), node.integers("pads")
    unpadded = not any(pads) or not any(step > 1 for step in node.integers("dilations"))
    return unpadded and all(pad < size for pad, size in zip(pads, kernel * 2, strict=True))


def _swapped(rewriter: Rewriter, match: Match) -> Value | None:
    function, pool = match["Function"], match["Pool"]
    if pool.output.type.elements > function.output.type.elements:
        return None
    name = f"{function.input(0).name}_pooled"
    pooled = rewriter.add(pool.kind, [function.input(0)], pool.attributes, outputs=[name]).output
    return rewriter.add(function.kind, [pooled], function.attributes).output


_FUNCTIONS = {**BUILT_IN, "neverFalls": predicate(_never_falls), "isPlain": predicate(_is_plain)}
RULES = (
    Rule(
        "FunctionBeforePool",
        Pattern("Function -> Pool", {"Function": "neverFalls($)", "Pool": "isPlain($)"}, functions=_FUNCTIONS),
        _swapped,
    ),
)
