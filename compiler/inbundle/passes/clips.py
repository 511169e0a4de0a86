"""OptimizeClips: bounds by any means become one Clip or Relu, or nothing.

Before:
    %a = Max(%x, %zero)                   with %zero and %six one number each
    %b = Min(%a, %six)
    %y = Relu(%b)

After:
    %y = Clip(%x) {min: 0, max: 6}

Clip passes NaN on, as Max, Min and Relu do.
"""

from __future__ import annotations

import math

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops.operands import FLOATS, SIGNED
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def optimize_clips(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _bounds(node: Node) -> tuple[float, float]:
    """Least and largest result of a Relu or Clip; a Clip's maximum wins."""
    if node.kind == "Relu":
        return 0.0, math.inf
    low, high = node.number("min"), node.number("max")
    return min(low, high), high


def _merged(rewriter: Rewriter, match: Match) -> Value | None:
    """One bound for a chain of them."""
    nodes = match.keys["Bound"]
    start = nodes[0].input(0)
    low, high = -math.inf, math.inf
    for node in nodes:
        least, largest = _bounds(node)
        low, high = (min(largest, max(least, bound)) for bound in (low, high))
    if (low, high) == (-math.inf, math.inf):
        return start
    if (low, high) == (0, math.inf) and math.copysign(1.0, low) > 0:
        return None if [node.kind for node in nodes] == ["Relu"] else rewriter.add("Relu", [start]).output
    return None if len(nodes) == 1 else rewriter.add("Clip", [start], {"min": low, "max": high}).output


_FUNCTIONS = {
    **BUILT_IN,
    "isFloat": predicate(lambda node: node.output.type.elem in FLOATS),
    "isSigned": predicate(lambda node: node.output.type.elem in SIGNED),
}
_NUMBER = "value($) >= 0 || value($) < 0"  # no NaN
_SAME_SHAPE = "shape(B#1) == shape(%x)"


def _bound(name: str, kind: str, replacement: str, constant: str, node: str = "isFloat($)") -> Rule:
    """A Max or Min with one number."""
    where = {"%c": constant, "B": f"getType($) == '{kind}' && {node}"}
    return Rule.replacing(
        name, "%x -> B#1; %c -> B#1", f"B#1 = {replacement}", where, _SAME_SHAPE, functions=_FUNCTIONS
    )


RULES = (
    _bound("MaxWithZero", "Max", "Relu(%x)", "value($) == 0", "isSigned($)"),
    _bound("MaxWithNumber", "Max", "Clip(%x) {min: value(%c), max: inf}", _NUMBER),
    _bound("MinWithNumber", "Min", "Clip(%x) {min: -inf, max: value(%c)}", _NUMBER),
    Rule(
        "Bounds",
        Pattern(
            "Bound+", {"Bound": "isFloat($) && (getType($) == 'Relu' || getType($) == 'Clip')"}, functions=_FUNCTIONS
        ),
        _merged,
    ),
)
