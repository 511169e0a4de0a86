"""MergePad: padding with zeros becomes the padding of the convolution or average that reads it.

Before:
    %p = Pad(%x) {pads: [0, 0, 1, 1, 0, 0, 1, 1]}
    %y = Conv(%p, %w) {pads: [0, 0, 0, 0]}

After:
    %y = Conv(%x, %w) {pads: [1, 1, 1, 1]}

An AveragePool counts it then, and for a MaxPool the padding is what never wins, -inf.
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.graph import Attribute, Constant, Graph, Node, Value
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def merge_pad(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _is_of_image(node: Node) -> bool:
    """Padding of spatial dimensions only, and no cropping."""
    if node.kind != "Pad" or node.attributes["mode"] != "constant" or node.output.type.rank < 3:
        return False
    pads, rank = node.integers("pads"), node.output.type.rank
    return min(pads) >= 0 and not any(pads[axis] for axis in (0, 1, rank, rank + 1))


def _has_finite_weights(node: Node) -> bool:
    """Padding is no operand, but a zero beside an infinite weight gives NaN."""
    weights = node.inputs[1]
    return isinstance(weights, Constant) and bool(np.isfinite(weights.data.astype(np.float64)).all())


def _joined_pads(match: Match, reader: Node) -> tuple[int, ...]:
    pads, rank = match["Pad"].integers("pads"), match["Pad"].output.type.rank
    outer = (*pads[2:rank], *pads[rank + 2 :])
    return tuple(a + b for a, b in zip(outer, reader.integers("pads"), strict=True))


def _fits_windows(reader: Node, pads: tuple[int, ...]) -> bool:
    """Pools with a window in the padding alone are not what ONNX allows."""
    kernel = reader.integers("kernel_shape")
    return reader.kind == "Conv" or all(pad < size for pad, size in zip(pads, kernel * 2, strict=True))


def _reading(rewriter: Rewriter, match: Match) -> Value | None:
    """The reader, on what the Pad reads."""
    reader = match["Reader"]
    pads = _joined_pads(match, reader)
    if not _fits_windows(reader, pads):
        return None
    attributes: dict[str, Attribute] = {**reader.attributes, "pads": pads}
    if reader.kind == "AveragePool":
        attributes["count_include_pad"] = True
    return rewriter.add(reader.kind, [match["Pad"].input(0), *reader.inputs[1:]], attributes).output


_FUNCTIONS = {
    **BUILT_IN,
    "isOfImage": predicate(_is_of_image),
    "hasFiniteWeights": predicate(_has_finite_weights),
    "hasPads": predicate(lambda node: any(node.integers("pads"))),
    "hasOneResult": predicate(lambda node: len(node.outputs) == 1),
}


def _rule(reader: str, condition: str, value: str) -> Rule:
    where = {"Pad": f"isOfImage($) && $.value == {value}", "Reader": f"getType($) == '{reader}' && {condition}"}
    return Rule(f"PadInto{reader}", Pattern("Pad -0> Reader", where, functions=_FUNCTIONS), _reading)


RULES = (
    _rule("Conv", "hasFiniteWeights($)", "0"),
    # Own padding that does not count would make another divisor, and so would a window beyond the image.
    _rule("AveragePool", "($.count_include_pad || !hasPads($)) && !$.ceil_mode", "0"),
    _rule("MaxPool", "hasOneResult($) && !$.ceil_mode", "-inf"),
)
