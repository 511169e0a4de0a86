"""OptimizeConcatNodes: concats within concats become one; slices that undo a concat, and concats that undo slices, go.

Before:
    %a = Concat(%x, %y) {axis: 1}                 with %x: float<1 x 4>, %y: float<1 x 6>
    %b = Concat(%z, %a, %x) {axis: 1}
    %s = Slice(%a) {starts: [0, 5], shape: [1, 5]}

After:
    %b = Concat(%z, %x, %y, %x) {axis: 1}
    %s = Slice(%y) {starts: [0, 1], shape: [1, 5]}

Slices that lie side by side and are put together again are one slice, or the tensor itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from inbundle.graph.graph import Graph, Node, NodeOutput, Value
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules


def optimize_concats(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _operands(node: Node) -> list[Value]:
    return [value for value in node.inputs if value is not None]


# --- nested concats --------------------------------------------------------------------------------------------------


def _flattened(rewriter: Rewriter, match: Match) -> Value:
    inner, outer = match["Concat#1"], match["Concat#2"]
    operands: list[Value] = []
    for value in _operands(outer):
        operands += _operands(inner) if value is inner.output else [value]
    return rewriter.add("Concat", operands, {"axis": outer.integer("axis")}).output


# --- slices of concats -----------------------------------------------------------------------------------------------


def _slice_of_operand(rewriter: Rewriter, match: Match) -> Value | None:
    """The slice, of the one operand of the concat that it lies in."""
    concat, part = match["Concat"], match["Slice"]
    starts, steps, shape = (list(part.integers(name)) for name in ("starts", "steps", "shape"))
    axis = concat.integer("axis")
    if shape[axis] == 0:
        return None
    last = starts[axis] + (shape[axis] - 1) * steps[axis]
    for operand, begin in _placed(concat):
        if begin <= min(starts[axis], last) and max(starts[axis], last) < begin + operand.type.shape[axis]:
            starts[axis] -= begin
            attributes = {"starts": tuple(starts), "steps": tuple(steps), "shape": tuple(shape)}
            return rewriter.add("Slice", [operand], attributes).output
    return None


def _placed(concat: Node) -> Iterator[tuple[Value, int]]:
    """The operands, and where each begins."""
    operands = _operands(concat)
    sizes = [operand.type.shape[concat.integer("axis")] for operand in operands]
    return ((operand, end - size) for operand, end, size in zip(operands, accumulate(sizes), sizes, strict=True))


# --- concats of slices -----------------------------------------------------------------------------------------------


def _joined_slices(rewriter: Rewriter, match: Match) -> Value | None:
    """The concat with neighbouring slices of one tensor joined; one slice stands alone."""
    concat = match["Concat"]
    axis = concat.integer("axis")
    joined: list[Value] = []
    for value in _operands(concat):
        slices = [_slice(operand) for operand in (joined[-1], value)] if joined else []
        if len(slices) == 2 and slices[0] and slices[1] and _touch(slices[0], slices[1], axis):
            joined[-1] = _both(rewriter, slices[0], slices[1], axis)
        else:
            joined.append(value)
    if len(joined) == len(concat.inputs):
        return None
    return joined[0] if len(joined) == 1 else rewriter.add("Concat", joined, {"axis": axis}).output


def _slice(value: Value) -> Node | None:
    return value.node if isinstance(value, NodeOutput) and value.node.kind == "Slice" else None


def _touch(first: Node, second: Node, axis: int) -> bool:
    """Whether the second begins where the first ends along `axis`, and both are alike along the other axes."""
    if first.input(0) is not second.input(0) or first.attributes["steps"] != second.attributes["steps"]:
        return False
    starts, others, shape, other_shape = (
        node.integers(name) for name in ("starts", "shape") for node in (first, second)
    )
    next_start = starts[axis] + shape[axis] * first.integers("steps")[axis]
    return (
        others[axis] == next_start
        and _without(starts, axis) == _without(others, axis)
        and (_without(shape, axis) == _without(other_shape, axis))
    )


def _without(numbers: Sequence[int], axis: int) -> list[int]:
    return [number for index, number in enumerate(numbers) if index != axis]


def _both(rewriter: Rewriter, first: Node, second: Node, axis: int) -> Value:
    shape = list(first.integers("shape"))
    shape[axis] += second.integers("shape")[axis]
    attributes = {**first.attributes, "shape": tuple(shape)}
    return rewriter.add("Slice", [first.input(0)], attributes, outputs=[f"{first.output.name}_joined"]).output


RULES = (
    Rule("NestedConcats", Pattern("Concat#1 -> Concat#2", when="Concat#1.axis == Concat#2.axis"), _flattened),
    Rule("SliceOfConcat", Pattern("Concat -> Slice", exclusive=False), _slice_of_operand),
    Rule("ConcatOfSlices", Pattern("Concat"), _joined_slices),
)
