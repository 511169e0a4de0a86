"""FoldNormalizations: a normalization that exporters write in single steps becomes one node.

Before:
    %m = ReduceMean(%x) {axes: [2], keepdims: true}
    %c = Sub(%x, %m)
    %s = Mul(%c, %c)
    %v = ReduceMean(%s) {axes: [2], keepdims: true}
    %e = Add(%v, %epsilon)
    %d = Sqrt(%e)
    %q = Div(%c, %d)
    %g = Mul(%q, %gamma)
    %y = Add(%g, %beta)

After:
    %y = LayerNormalization(%x, %gamma, %beta) {axis: 2, epsilon: 1e-05}

TensorFlow's form, too: x * f + (beta - mean * f) with f = gamma / deviation. A normalization of the groups of channels
that a Reshape makes becomes a GroupNormalization. Means over other dimensions than the last ones stay.
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.passes.affine import per_channel, rounded
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules, conditions_for
from inbundle.patterns.functions import BUILT_IN, number_of, predicate


def fold_normalizations(graph: Graph) -> None:
    apply_rules(graph, RULES)


# --- forms -----------------------------------------------------------------------------------------------------------

WHERE = {
    "Square": "(getType($) == 'Mul' && $[0] == $[1]) || (getType($) == 'Pow' && value($[1]) == 2)",
    "Epsilon": "getType($) == 'Add' && (value($[0]) != none || value($[1]) != none)",
    "Root": "getType($) == 'Sqrt' || (getType($) == 'Pow' && value($[1]) == 0.5)",
    "Inverse": "getType($) == 'Div' && value($[0]) == 1",
    "InverseRoot": "getType($) == 'Pow' && value($[1]) == -0.5",
    "Scale": "getType($) == 'Mul' && (isConstant($[0]) || isConstant($[1]))",
    "Shift": "getType($) == 'Add' && (isConstant($[0]) || isConstant($[1]))",
    "Rest": "getType($) == 'Sub' && isConstant($[0])",
    "Mean": "(getType($) == 'ReduceMean' && $.keepdims) || getType($) == 'GlobalAveragePool'",
}
"""Conditions of the keys that forms are made of."""
WHEN = "Mean#mean.axes == Mean#variance.axes"
"""Of all keys of a form; a pool has no axes."""


def forms(x: str, tail: str) -> tuple[str, ...]:
    """The ways to write (x - mean) / sqrt(variance + epsilon) and what follows it.

    Args:
        x: where the numbers come from: a key.
        tail: steps behind the quotient, each with its arrow.
    """
    centred = f"{x} -> Mean#mean -1> Sub#centred; {x} -0> Sub#centred"
    variance = "Sub#centred -> Square -> Mean#variance -> Epsilon"
    inverses = ("Root -> Inverse#inverse", "InverseRoot#inverse")
    sum = f"{x} -> Mul#product -> Add#sum; Mean#mean -> Mul#moved -1> Rest#rest -> Add#sum"
    return (
        f"{centred}; Sub#centred -0> Div#quotient{tail}; {variance} -> Root -1> Div#quotient",
        *(f"{centred}; Sub#centred -> Mul#quotient{tail}; {variance} -> {i} -> Mul#quotient" for i in inverses),
        *(
            f"{centred}; Sub#centred -> Mul#quotient -> Shift?; {variance} -> {i} -> Scale -> Mul#quotient"
            for i in inverses
        ),
        *(
            f"{centred}; {variance} -> {i}{scale} -> Mul#product; {sum}; {last} -> Mul#moved"
            for i in inverses
            for scale, last in (("", i.split(" -> ")[-1]), (" -> Scale#scale", "Scale#scale"))
        ),
    )


# --- rewriting -------------------------------------------------------------------------------------------------------


def _layer(rewriter: Rewriter, match: Match) -> Value | None:
    x = match["Mean#mean"].input(0)
    axis = _first_axis(match["Mean#mean"])
    if axis is None or match.nodes[-1].output.type != x.type:
        return None
    scale = match.optional("Scale") or match.optional("Scale#scale")
    shift = match.optional("Shift") or match.optional("Rest#rest")
    factor = _constant(scale) if scale else rewriter.constant(f"{x.name}_one", np.ones((), x.type.elem.dtype))
    epsilon = next(number for number in map(number_of, match["Epsilon"].inputs) if number is not None)
    attributes = {"axis": axis, "epsilon": float(np.float32(epsilon))}
    return rewriter.add("LayerNormalization", [x, factor, _constant(shift) if shift else None], attributes).output


def _first_axis(mean: Node) -> int | None:
    """The first of the dimensions that a mean is taken over, if these are the last ones."""
    rank = mean.output.type.rank
    axes = mean.attributes.get("axes", tuple(range(2, rank)))
    assert isinstance(axes, tuple)
    first = int(min(axes, default=rank))
    return first if first < rank and tuple(sorted(axes)) == tuple(range(first, rank)) else None


def _constant(node: Node) -> Constant:
    return next(value for value in node.inputs if isinstance(value, Constant))


def _group(rewriter: Rewriter, match: Match) -> Value | None:
    reshape, norm = match["Reshape#groups"], match["Norm"]
    x, grouped = reshape.input(0), norm.output.type
    channels, groups = x.type.shape[1], grouped.shape[1]
    parameters = _of_groups(norm, groups)
    if grouped.shape[0] != x.type.shape[0] or not groups or channels % groups or parameters is None:
        return None
    scale, bias = (np.repeat(each, channels // groups) for each in parameters)
    if node := match.optional("Scale"):
        factor = _of_channels(node)
        scale, bias = scale * factor, bias * factor
    if node := match.optional("Shift"):
        bias = bias + _of_channels(node)
    factors, terms = (rounded(each, x.type.elem) for each in (scale, bias))
    if factors is None or terms is None:
        return None
    operands = [x, rewriter.constant(f"{x.name}_scale", factors), rewriter.constant(f"{x.name}_bias", terms)]
    attributes = {"num_groups": groups, "epsilon": norm.attributes["epsilon"]}
    return rewriter.add("GroupNormalization", operands, attributes).output


def _of_groups(norm: Node, groups: int) -> list[np.ndarray] | None:
    """Scale and bias of each group, where the dimensions behind the groups are normalized."""
    if norm.kind == "LayerNormalization" and norm.attributes["axis"] != 2:
        return None
    rank = 2 if norm.kind == "InstanceNormalization" else norm.output.type.rank
    found = []
    for index, default in ((1, 1.0), (2, 0.0)):
        value = norm.inputs[index] if norm.has_input(index) else None
        if value is not None and not isinstance(value, Constant):
            return None
        data = np.float64(default) if value is None else value.data.astype(np.float64)
        numbers = per_channel(data, groups, rank)
        if numbers is None:
            return None
        found.append(numbers)
    return found


def _of_channels(node: Node) -> np.ndarray:
    numbers = _per_channel(node)
    assert numbers is not None
    return numbers


def _per_channel(node: Node) -> np.ndarray | None:
    """The numbers that a node combines each channel of an image with."""
    type = node.output.type
    constants = [value for value in node.inputs if isinstance(value, Constant)]
    if len(constants) != 1 or type.rank < 2 or constants[0].type.rank > type.rank:
        return None
    return per_channel(constants[0].data.astype(np.float64), type.shape[1], type.rank)


_FUNCTIONS = {**BUILT_IN, "perChannel": predicate(lambda node: _per_channel(node) is not None)}
_NORM = "getType($) == 'InstanceNormalization' || getType($) == 'LayerNormalization'"
RULES = (
    *(
        Rule("LayerNormalization", Pattern(form, conditions_for(form, WHERE), WHEN, name="LayerNormalization"), _layer)
        for form in forms("%x", " -> Scale? -> Shift?")
    ),
    Rule(
        "GroupNormalization",
        Pattern(
            "Reshape#groups -> Norm -> Reshape#back -> Scale? -> Shift?",
            {
                "Norm": f"({_NORM}) && rank($) >= 3",
                "Scale": f"({WHERE['Scale']}) && perChannel($)",
                "Shift": f"({WHERE['Shift']}) && perChannel($)",
            },
            "rank(Reshape#back) >= 2 && shape(Reshape#groups[0]) == shape(Reshape#back)",
            functions=_FUNCTIONS,
        ),
        _group,
    ),
)
