"""OptimizeSlices: a slice of a slice is one; space to depth by slices becomes Reshape, Transpose and Reshape.

Before:
    %r0 = Slice(%x) {starts: [0, 0, 0, 0], steps: [1, 1, 2, 1]}       with %x: float<1 x 3 x 8 x 8>
    %r1 = Slice(%x) {starts: [0, 0, 1, 0], steps: [1, 1, 2, 1]}
    %a = Slice(%r0) {starts: [0, 0, 0, 0], steps: [1, 1, 1, 2]}
    %b = Slice(%r1) {starts: [0, 0, 0, 0], steps: [1, 1, 1, 2]}
    %c = Slice(%r0) {starts: [0, 0, 0, 1], steps: [1, 1, 1, 2]}
    %d = Slice(%r1) {starts: [0, 0, 0, 1], steps: [1, 1, 1, 2]}
    %y = Concat(%a, %b, %c, %d) {axis: 1}

After:
    %t = Reshape(%x) {shape: [1, 3, 4, 2, 4, 2]}
    %u = Transpose(%t) {perm: [0, 5, 3, 1, 2, 4]}
    %y = Reshape(%u) {shape: [1, 12, 4, 4]}

This is the Focus block of YOLO; ONNX's SpaceToDepth has the blocks in the order of rows.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph, Value
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules


def optimize_slices(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _merged(rewriter: Rewriter, match: Match) -> Value:
    first, second = match["Slice#1"], match["Slice#2"]
    starts, steps = first.integers("starts"), first.integers("steps")
    onwards, strides = second.integers("starts"), second.integers("steps")
    attributes = {
        "starts": tuple(start + more * step for start, more, step in zip(starts, onwards, steps, strict=True)),
        "steps": tuple(step * stride for step, stride in zip(steps, strides, strict=True)),
        "shape": second.output.type.shape,
    }
    return rewriter.add("Slice", [first.input(0)], attributes).output


def _space_to_depth(name: str, order: tuple[tuple[int, int], ...], perm: str) -> Rule:
    """`order`: first row and column of each operand of the Concat."""
    parts = "abcd"
    match = "; ".join(f"%x -> Slice#{part} -{port}> Concat#all" for port, part in enumerate(parts))
    when = [f"Slice#{part}.starts == [0, 0, {y}, {x}]" for part, (y, x) in zip(parts, order, strict=True)]
    when += [f"shape(Slice#a)[{axis}] * 2 == shape(%x)[{axis}]" for axis in (2, 3)]
    # No slice leaves out images or channels.
    when += ["shape(Concat#all)[0] == shape(%x)[0]", "shape(Concat#all)[1] == shape(%x)[1] * 4"]
    sizes = "shape(%x)[0], shape(%x)[1], shape(Slice#a)[2], 2, shape(Slice#a)[3], 2"
    return Rule.replacing(
        name,
        match,
        f"%blocks = Reshape(%x) {{shape: [{sizes}]}}\n"
        f"%turned = Transpose(%blocks) {{perm: {perm}}}\n"
        "Concat#all = Reshape(%turned) {shape: shape(Concat#all)}",
        {"Slice": "$.steps == [1, 1, 2, 2]", "Concat#all": "$.axis == 1 && !exists($[4])"},
        " && ".join(when),
    )


RULES = (
    Rule("TwoSlices", Pattern("Slice#1 -> Slice#2", exclusive=False), _merged),
    _space_to_depth("SpaceToDepth", ((0, 0), (0, 1), (1, 0), (1, 1)), "[0, 3, 5, 1, 2, 4]"),
    _space_to_depth("Focus", ((0, 0), (1, 0), (0, 1), (1, 1)), "[0, 5, 3, 1, 2, 4]"),
)
