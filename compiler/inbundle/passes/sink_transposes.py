"""SinkTransposes: transposes move behind what can as well be computed in the order before.

Before:
    %a = Transpose(%x) {perm: [0, 2, 3, 1]}
    %b = Add(%a, %c)                      with %c: float<8> a constant
    %y = ReduceMean(%b) {axes: [1, 2], keepdims: false}

After:
    %b = Add(%x, %c2)                     with %c2: float<8 x 1 x 1>
    %m = ReduceMean(%b) {axes: [2, 3], keepdims: false}
    %y = Transpose(%m) {perm: [0, 1]}

There they meet others, or fewer elements. Where several operands are tensors, all of them must be transposed alike.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inbundle.graph.graph import Attribute, Constant, Graph, Node, NodeOutput, Value
from inbundle.passes.transposes import permutation
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules

Attributes = dict[str, Attribute]
Permutation = tuple[int, ...]


def sink_transposes(graph: Graph) -> None:
    apply_rules(graph, RULES)


_ELEMENTWISE = {
    *("Relu", "LeakyRelu", "Elu", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Exp", "Log", "Sqrt", "Abs", "Neg"),
    *("Erf", "Clip", "Gelu", "Cast", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "PRelu"),
}


def _same(attributes: Attributes, perm: Permutation) -> Attributes:
    return attributes


def _axis(attributes: Attributes, perm: Permutation) -> Attributes:
    axis = attributes["axis"]
    assert isinstance(axis, int)
    return {**attributes, "axis": perm[axis]}


def _axes(attributes: Attributes, perm: Permutation) -> Attributes:
    axes = attributes["axes"]
    assert isinstance(axes, tuple)
    return {**attributes, "axes": tuple(sorted(perm[int(axis)] for axis in axes))}


def _pads(attributes: Attributes, perm: Permutation) -> Attributes:
    pads = attributes["pads"]
    assert isinstance(pads, tuple)
    begins, ends = pads[: len(perm)], pads[len(perm) :]
    return {**attributes, "pads": (*_before(begins, perm), *_before(ends, perm))}


def _bounds(attributes: Attributes, perm: Permutation) -> Attributes:
    return {name: _before(value, perm) for name, value in attributes.items()}


def _before(per_axis: Attribute, perm: Permutation) -> tuple[int, ...]:
    """What is said of the axes of the transposed tensor, in the order of the axes before."""
    assert isinstance(per_axis, tuple)
    return tuple(int(per_axis[perm.index(axis)]) for axis in range(len(perm)))


_MOVED: dict[str, Callable[[Attributes, Permutation], Attributes]] = {
    **dict.fromkeys(_ELEMENTWISE, _same),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Concat", "ArgMax", "ArgMin"), _axis),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), _axes),
    "Pad": _pads,
    "Slice": _bounds,
}
"""Kind -> its attributes in the order before a transpose."""


def _sunk(rewriter: Rewriter, match: Match) -> Value | None:
    transpose, reader = match["Transpose"], match["Reader"]
    perm = permutation(transpose)
    inputs = [_operand_before(rewriter, value, perm, reader) for value in reader.inputs]
    if None in inputs or len(reader.outputs) > 1:
        return None
    attributes = _MOVED[reader.kind](reader.attributes, perm)
    early = rewriter.add(reader.kind, inputs, attributes, outputs=[f"{reader.output.name}_before"]).output
    late = rewriter.add("Transpose", [early], {"perm": _perm_behind(reader, perm)}).output
    return late


def _operand_before(rewriter: Rewriter, value: Value | None, perm: Permutation, reader: Node) -> Value | None:
    """What to read in place of `value`; None where that would need another transpose."""
    if isinstance(value, NodeOutput) and value.node.kind == "Transpose" and permutation(value.node) == perm:
        return value.node.input(0)
    if not isinstance(value, Constant) or value.type.rank > len(perm):
        return None
    if value.type.elements == 1 and reader.kind in _ELEMENTWISE:
        return value
    aligned = value.data.reshape((1,) * (len(perm) - value.type.rank) + value.type.shape)
    return rewriter.constant(f"{value.name}_before", aligned.transpose(np.argsort(perm)))


def _perm_behind(reader: Node, perm: Permutation) -> Permutation:
    """The permutation of the axes that the reader leaves."""
    if reader.attributes.get("keepdims", True):
        return perm
    reduced = reader.attributes.get("axes", (reader.attributes.get("axis"),))
    assert isinstance(reduced, tuple)
    left = [source for axis, source in enumerate(perm) if axis not in reduced]
    return tuple(sorted(left).index(source) for source in left)


_KINDS = " || ".join(f"getType($) == '{kind}'" for kind in sorted(_MOVED))
RULES = (Rule("TransposeBehind", Pattern("Transpose -> Reader", {"Reader": _KINDS}), _sunk),)
