"""MultiplyAdd: a chain of arithmetic with constants becomes one multiplication and one addition.

Before:
    %a = BatchNormalization(%x, %scale, %bias, %mean, %var)
    %b = Div(%a, %c)
    %y = Sub(%b, %d)                      all but %x constants

After:
    %m = Mul(%x, %factor)
    %y = Add(%m, %term)

A BatchNormalization alone, too. Other chains only where nodes are saved, and not where factor or term would need more
bytes than the constants of the chain, or cost digits (`LARGEST_TERM`).
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.passes.affine import LARGEST_TERM, affine_of, composed, rounded, varying_operand
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def multiply_add(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _multiply_add(rewriter: Rewriter, match: Match) -> Value | None:
    nodes = match.keys["Affine"]
    affine = composed(nodes)
    scales = bool((affine.factor != 1).any())
    if scales + affine.adds >= len(nodes) and nodes[0].kind != "BatchNormalization":
        return None
    start = nodes[0].input(varying_operand(nodes[0]) or 0)
    elem = start.type.elem
    factor, term = rounded(affine.factor, elem), rounded(affine.term, elem)
    if factor is None or term is None or (scales and (abs(term) > LARGEST_TERM).any()):
        return None
    if factor.size * scales + term.size * affine.adds > sum(map(_constant_elements, nodes)):
        return None
    value = start
    if scales:
        operands = [value, _constant(rewriter, nodes, factor)]
        value = rewriter.add("Mul", operands, outputs=[f"{start.name}_scaled"]).output
    if affine.adds:
        value = rewriter.add("Add", [value, _constant(rewriter, nodes, term)]).output
    return value


def _constant(rewriter: Rewriter, nodes: tuple[Node, ...], numbers: np.ndarray) -> Value:
    return rewriter.constant(f"{nodes[-1].output.name}_constant", numbers)


def _constant_elements(node: Node) -> int:
    return sum(value.type.elements for value in node.inputs if isinstance(value, Constant))


_FUNCTIONS = {**BUILT_IN, "isAffine": predicate(lambda node: affine_of(node) is not None)}
RULES = (Rule("MultiplyAdd", Pattern("Affine+", {"Affine": "isAffine($)"}, functions=_FUNCTIONS), _multiply_add),)
