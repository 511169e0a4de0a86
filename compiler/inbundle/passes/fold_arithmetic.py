"""FoldArithmetic: constant factors and terms per channel become part of the weights before or behind them.

Before:
    %a = Conv(%x, %w, %b)
    %n = BatchNormalization(%a, %scale, %bias, %mean, %var)
    %y = Mul(%n, %c)                      with %c: float<8 x 1 x 1>, all but %x constants

After:
    %y = Conv(%x, %w2, %b2)

Likewise behind a Gemm, behind a MatMul (factors only), and in front of a Conv: factors always, terms where it does not
pad, because padding is 0 and has no term. Infinite, vanishing or overflowing numbers are left where they are.
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.graph.types import ElemKind
from inbundle.passes.affine import LARGEST_TERM, Affine, affine_of, composed, per_channel, rounded, varying_operand
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def fold_arithmetic(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _is_per_channel(node: Node) -> bool:
    affine, type = affine_of(node), node.output.type
    if affine is None or type.rank < 2:
        return False
    parts = (per_channel(numbers, type.shape[1], type.rank) for numbers in (affine.factor, affine.term))
    return all(part is not None for part in parts)


def _is_per_column(node: Node) -> bool:
    """One factor for each index of the last dimension."""
    affine = affine_of(node)
    return affine is not None and not affine.adds and (affine.factor.ndim == 0 or _is_row(affine.factor.shape))


def _is_row(shape: tuple[int, ...]) -> bool:
    return all(size == 1 for size in shape[:-1])


def _channels(affine: Affine, node: Node) -> tuple[np.ndarray, np.ndarray]:
    """Factor and term for each channel of the node's result."""
    type = node.output.type
    factor, term = (per_channel(part, type.shape[1], type.rank) for part in (affine.factor, affine.term))
    assert factor is not None
    assert term is not None
    return factor, term


def _constant(rewriter: Rewriter, like: Value, numbers: np.ndarray, elem: ElemKind) -> Value | None:
    """A new constant with a name like that of `like`."""
    data = rounded(numbers, elem)
    return None if data is None else rewriter.constant(f"{like.name}_folded", data)


def _known(node: Node, index: int) -> np.ndarray | None:
    """The numbers of a constant operand, 0 for an absent one, None for others."""
    if not node.has_input(index):
        return np.zeros(())
    value = node.input(index)
    return value.data.astype(np.float64) if isinstance(value, Constant) else None


def _into_conv(rewriter: Rewriter, match: Match) -> Value | None:
    conv = match["Conv"]
    weights, bias = _known(conv, 1), _known(conv, 2)
    if weights is None or bias is None:
        return None
    affine = composed(match.keys["Affine"])
    factor, term = _channels(affine, conv)
    bias = factor * bias + term
    elem = conv.output.type.elem
    new = _constant(rewriter, conv.input(1), weights * factor.reshape(-1, *[1] * (weights.ndim - 1)), elem)
    added = _constant(rewriter, conv.input(2) if conv.has_input(2) else conv.input(1), bias, elem)
    if new is None or added is None:
        return None
    keeps_none = not affine.adds and not conv.has_input(2)
    return rewriter.add("Conv", [conv.input(0), new, None if keeps_none else added], conv.attributes).output


def _into_gemm(rewriter: Rewriter, match: Match) -> Value | None:
    gemm = match["Gemm"]
    weights, bias = _known(gemm, 1), _known(gemm, 2)
    beta = gemm.number("beta")
    if weights is None or bias is None:
        return None
    affine = composed(match.keys["Affine"])
    factor, term = _channels(affine, gemm)
    bias = factor * (np.float32(beta) * bias) + term
    elem = gemm.output.type.elem
    scaled = weights * (factor[:, None] if gemm.attributes["transB"] else factor)
    new = _constant(rewriter, gemm.input(1), scaled, elem)
    added = _constant(rewriter, gemm.input(2) if gemm.has_input(2) else gemm.input(1), bias, elem)
    if new is None or added is None:
        return None
    keeps_none = not affine.adds and not gemm.has_input(2)
    attributes = {**gemm.attributes, "beta": 1.0}
    return rewriter.add("Gemm", [gemm.input(0), new, None if keeps_none else added], attributes).output


def _into_matmul(rewriter: Rewriter, match: Match) -> Value | None:
    matmul = match["MatMul"]
    weights = _known(matmul, 1)
    if weights is None or weights.ndim != 2:
        return None
    factor = composed(match.keys["Affine"]).factor.reshape(-1)
    new = _constant(rewriter, matmul.input(1), weights * factor, matmul.output.type.elem)
    return None if new is None else rewriter.add("MatMul", [matmul.input(0), new]).output


def _into_next_conv(rewriter: Rewriter, match: Match) -> Value | None:
    conv, nodes = match["Conv"], match.keys["Affine"]
    weights, bias = _known(conv, 1), _known(conv, 2)
    affine = composed(nodes)
    if weights is None or bias is None or (affine.adds and any(conv.integers("pads"))):
        return None
    factor, term = _channels(affine, nodes[0])
    elem = conv.output.type.elem
    seen = _of_groups(conv, factor, weights)
    terms = (weights * _of_groups(conv, term, weights)).reshape(weights.shape[0], -1)
    if (abs(terms).sum(axis=1) > LARGEST_TERM).any():
        return None
    added = bias + terms.sum(axis=1)
    new = _constant(rewriter, conv.input(1), weights * seen, elem)
    new_bias = _constant(rewriter, conv.input(2) if conv.has_input(2) else conv.input(1), added, elem)
    start = nodes[0].input(varying_operand(nodes[0]) or 0)
    if new is None or new_bias is None:
        return None
    keeps_none = not affine.adds and not conv.has_input(2)
    return rewriter.add("Conv", [start, new, None if keeps_none else new_bias], conv.attributes).output


def _of_groups(conv: Node, numbers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A number per input channel, where the weights M x C/group x kernel meet that channel."""
    group = conv.integer("group")
    rows = np.repeat(numbers.reshape(group, -1), weights.shape[0] // group, axis=0)
    return rows.reshape(*rows.shape, *[1] * (weights.ndim - 2))


_FUNCTIONS = {
    **BUILT_IN,
    "isPerChannel": predicate(_is_per_channel),
    "isPerColumn": predicate(_is_per_column),
}


def _pattern(match: str, affine: str = "isPerChannel($)") -> Pattern:
    return Pattern(match, {"Affine": affine}, functions=_FUNCTIONS)


RULES = (
    Rule("AffineIntoConv", _pattern("Conv -> Affine+"), _into_conv),
    Rule("AffineIntoGemm", _pattern("Gemm -> Affine+"), _into_gemm),
    Rule("FactorIntoMatMul", _pattern("MatMul -> Affine+", "isPerColumn($)"), _into_matmul),
    Rule("AffineIntoNextConv", _pattern("Affine+ -0> Conv"), _into_next_conv),
)
