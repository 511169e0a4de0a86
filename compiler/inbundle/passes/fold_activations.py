"""FoldActivations: functions that exporters write in single steps become one node.

Before:
    %a = Div(%x, %root)                   with %root, %one, %half one number each: 1.4142135, 1, 0.5
    %b = Erf(%a)
    %c = Add(%b, %one)
    %d = Mul(%x, %c)
    %y = Mul(%d, %half)

After:
    %y = Gelu(%x)

Likewise Gelu by Tanh, Sigmoid, HardSigmoid, HardSwish and Softmax. Single steps of a Softmax overflow for numbers above
88, where they do not subtract the maximum; the one node does not.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes

from inbundle.graph.graph import Constant, Graph, Node
from inbundle.graph.ops.operands import FLOATS
from inbundle.patterns import Rule, apply_rules, conditions_for
from inbundle.patterns.facts import Facts
from inbundle.patterns.functions import BUILT_IN, Function, Type, number_of


def fold_activations(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _number_beside(node: object, kinds: tuple[str, ...]) -> tuple[str, Any] | None:
    """Kind and number of a node that combines a tensor with one number, not of larger shape than the tensor."""
    if not isinstance(node, Node) or node.kind not in kinds or node.output.type.elem not in FLOATS:
        return None
    for index in (1, 0) if node.kind in ("Add", "Mul") else (1,):
        number, other = number_of(node.inputs[index]), node.inputs[1 - index]
        if number is not None and not isinstance(other, Constant) and other and other.type == node.output.type:
            return node.kind, number
    return None


def _factor(facts: Facts, node: object) -> float | None:
    """What a node multiplies by."""
    found = _number_beside(node, ("Mul", "Div"))
    if found is None or (found[0] == "Div" and not found[1]):
        return None
    return float(found[1]) if found[0] == "Mul" else 1 / float(found[1])


def _term(facts: Facts, node: object) -> float | None:
    """What a node adds."""
    found = _number_beside(node, ("Add", "Sub"))
    if found is None:
        return None
    return float(found[1]) if found[0] == "Add" else -float(found[1])


def _multiplies(facts: Facts, node: Any, number: float) -> bool:
    """Up to rounding to the node's elements, or to float."""
    factor = _factor(facts, node)
    if factor is None:
        return False
    rounding = float(ml_dtypes.finfo(node.output.type.elem.dtype).eps)  # type: ignore[no-untyped-call]
    return abs(factor - number) <= abs(number) * max(1e-6, rounding)


_FUNCTIONS = {
    **BUILT_IN,
    "multiplies": Function(
        (Type.SUBJECT, Type.NUMBER), Type.TRUTH, _multiplies, "whether a node multiplies by about a number"
    ),
    "factor": Function((Type.SUBJECT,), Type.NUMBER, _factor, "what a node multiplies by, if one number"),
    "term": Function((Type.SUBJECT,), Type.NUMBER, _term, "what a node adds, if one number"),
}
_WHERE = {
    "PlusOne": "term($) == 1",
    "Half": "factor($) == 0.5",
    "ByRoot": "multiplies($, 0.7071067811865476)",
    "ByTanhRoot": "multiplies($, 0.7978845608028654)",
    "Small": "multiplies($, 0.044715)",
    "Cube": "getType($) == 'Pow' && value($[1]) == 3",
    "Square": "getType($) == 'Mul' && $[0] == $[1]",
    "PlusThree": "term($) == 3",
    "UpToSix": "getType($) == 'Clip' && $.min == 0 && $.max == 6",
    "BySix": "multiplies($, 0.16666666666666666)",
    "OneSixth": "getType($) == 'HardSigmoid' && close($.alpha, 0.16666666666666666) && $.beta == 0.5",
    "One": "getType($) == 'Div' && value($[0]) == 1",
    "Sum": "getType($) == 'ReduceSum' && len($.axes) == 1 && $.keepdims",
    "Largest": "getType($) == 'ReduceMax' && len($.axes) == 1 && $.keepdims",
}


def _rule(name: str, match: str, replace: str, when: str = "") -> Rule:
    return Rule.replacing(name, match, replace, conditions_for(match, _WHERE), when, functions=_FUNCTIONS)


# 1 + 0.044715 x^2, and what comes of it.
_FACTORS = ("%x -> Small -> Mul#c -> PlusOne#f; %x -> Mul#c", "%x -> Square -> Small -> PlusOne#f")
_FACTORED = (
    "%x -> ByTanhRoot -> Mul#t; PlusOne#f -> Mul#t -> Tanh -> PlusOne#p",
    "PlusOne#f -> Mul#t -> ByTanhRoot -> Tanh -> PlusOne#p; %x -> Mul#t",
    "PlusOne#f -> ByTanhRoot -> Mul#t -> Tanh -> PlusOne#p; %x -> Mul#t",
)
# What Gelu multiplies x with, up to the number 1/2.
_PHI = {
    "none": ("%x -> ByRoot -> Erf -> PlusOne#p",),
    "tanh": (
        "%x -> Cube -> Small -> Add#a -> ByTanhRoot -> Tanh -> PlusOne#p; %x -> Add#a",
        "%x -> Square -> Mul#c -> Small -> Add#a -> ByTanhRoot -> Tanh -> PlusOne#p; %x -> Mul#c; %x -> Add#a",
        *(f"{factor}; {product}" for factor in _FACTORS for product in _FACTORED),
    ),
}
# Where the number 1/2 may stand, and the last node.
_PRODUCTS = (
    ("%x -> Half -> Mul#o; PlusOne#p -> Mul#o", "Mul#o"),
    ("PlusOne#p -> Half -> Mul#o; %x -> Mul#o", "Mul#o"),
    ("PlusOne#p -> Mul#o -> Half#h; %x -> Mul#o", "Half#h"),
)
_GELU = tuple(
    _rule(f"Gelu_{approximate}", f"{phi}; {product}", f"{last} = Gelu(%x) {{approximate: '{approximate}'}}")
    for approximate, phis in _PHI.items()
    for phi in phis
    for product, last in _PRODUCTS
)
RULES = (
    *_GELU,
    _rule("Sigmoid", "%x -> Neg -> Exp -> PlusOne -1> One", "One = Sigmoid(%x)", "shape(One) == shape(%x)"),
    _rule(
        "HardSigmoid",
        "%x -> PlusThree -> UpToSix -> BySix",
        "BySix = HardSigmoid(%x) {alpha: 1 / 6, beta: 0.5}",
    ),
    _rule("HardSwish", "%x -> OneSixth -> Mul#m; %x -> Mul#m", "Mul#m = HardSwish(%x)"),
    _rule("HardSwishFirst", "%x -> BySix -> Mul#m; %x -> PlusThree -> UpToSix -> Mul#m", "Mul#m = HardSwish(%x)"),
    _rule("HardSwishLast", "%x -> PlusThree -> UpToSix -> Mul#m -> BySix; %x -> Mul#m", "BySix = HardSwish(%x)"),
    _rule(
        "StableSoftmax",
        "%x -0> Sub#s -> Exp#e -> Sum -1> Div#d; Exp#e -0> Div#d; %x -> Largest -1> Sub#s",
        "Div#d = Softmax(%x) {axis: Sum.axes[0]}",
        "Sum.axes == Largest.axes",
    ),
    _rule("Softmax", "%x -> Exp#e -> Sum -1> Div#d; Exp#e -0> Div#d", "Div#d = Softmax(%x) {axis: Sum.axes[0]}"),
)
