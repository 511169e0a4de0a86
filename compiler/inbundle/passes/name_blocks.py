"""NameBlocks: sub-graphs that exporters write for one operator are wrapped as MetaNodes with its name.

Before:
    %r = Reshape(%x) {shape: [1, 2, 3, 8, 8]}
    %t = Transpose(%r) {perm: [0, 2, 1, 3, 4]}
    %y = Reshape(%t) {shape: [1, 6, 8, 8]}

After:
    %y = ChannelShuffle(%x)

LayerNorm, GroupNorm, ScaledDotProductAttention, PixelUnshuffle (space to depth) and PixelShuffle, too. The names are
PyTorch's, because those of ONNX's operators stand for single nodes. Nothing is computed otherwise.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph
from inbundle.patterns import Pattern, Rule, apply_rules, wrapped


def name_blocks(graph: Graph) -> None:
    apply_rules(graph, RULES)


_WHERE = {
    "Square": "(getType($) == 'Mul' && $[0] == $[1]) || (getType($) == 'Pow' && value($[1]) == 2)",
    "Epsilon": "getType($) == 'Add' && (value($[0]) != none || value($[1]) != none)",
    "Scale": "getType($) == 'Mul' && (isConstant($[0]) || isConstant($[1]))",
    "Shift": "getType($) == 'Add' && (isConstant($[0]) || isConstant($[1]))",
    "ByNumber": "(getType($) == 'Mul' || getType($) == 'Div') && (value($[0]) != none || value($[1]) != none)",
    "Mean": "(getType($) == 'ReduceMean' && $.keepdims) || getType($) == 'GlobalAveragePool'",
}


def _rule(name: str, match: str, where: dict[str, str] | None = None, when: str = "") -> Rule:
    keys = {key: condition for key, condition in _WHERE.items() if key in match}
    return Rule(name, Pattern(match, keys | (where or {}), when, name=name), wrapped(name))


def _normalization(name: str, x: str, tail: str) -> Rule:
    """(x - mean) / sqrt(variance + epsilon); `x` is where the numbers come from, `tail` what follows the quotient."""
    match = (
        f"{x} -> Mean#mean -1> Sub#centred; {x} -0> Sub#centred; Sub#centred -0> Div#quotient{tail};"
        "Sub#centred -> Square -> Mean#variance -> Epsilon -> Sqrt -1> Div#quotient"
    )
    return _rule(name, match, when="Mean#mean.axes == Mean#variance.axes")  # a pool has none


_INPUT, _FIRST, _SECOND = "shape(Reshape#1[0])", "shape(Reshape#1)", "shape(Reshape#2)"


def _shuffle(name: str, perms: tuple[str, ...], *sizes: str) -> Rule:
    """Reshape, Transpose and Reshape between images of which the sizes agree as said."""
    where = {"Transpose": " || ".join(f"$.perm == {perm}" for perm in perms)}
    return _rule(name, "Reshape#1 -> Transpose -> Reshape#2", where, " && ".join(sizes))


def _blocks(image: str, blocks: str, height: int, width: int, *, first: int, second: int) -> tuple[str, ...]:
    """Axes `height` and `width` of `blocks` times the block sizes are those of `image`, which has 4 dimensions."""
    return (
        f"len({image}) == 4",
        f"{blocks}[{first}] == {blocks}[{second}]",
        f"{blocks}[{height}] * {blocks}[{first}] == {image}[2]",
        f"{blocks}[{width}] * {blocks}[{second}] == {image}[3]",
    )


RULES = (
    _normalization("GroupNorm", "Reshape#groups", " -> Reshape#back -> Scale? -> Shift?"),
    _normalization("LayerNorm", "%x", " -> Scale? -> Shift?"),
    _rule(
        "ScaledDotProductAttention",
        "MatMul#scores -> ByNumber? -> Add? -> Softmax -0> MatMul#mixed",
        {"MatMul#scores": "rank($) >= 3", "Softmax": "$.axis == rank($) - 1"},
    ),
    _shuffle(
        "ChannelShuffle",
        ("[0, 2, 1, 3]", "[0, 2, 1, 3, 4]"),
        f"{_INPUT} == {_SECOND}",
        f"{_FIRST}[0] == {_INPUT}[0]",
        f"{_FIRST}[3] == {_INPUT}[2]",
    ),
    _shuffle(
        "PixelUnshuffle",
        ("[0, 3, 5, 1, 2, 4]", "[0, 1, 3, 5, 2, 4]"),
        *_blocks(_INPUT, _FIRST, 2, 4, first=3, second=5),
        f"{_SECOND}[2] == {_FIRST}[2] && {_SECOND}[3] == {_FIRST}[4]",
    ),
    _shuffle(
        "PixelShuffle",
        ("[0, 3, 4, 1, 5, 2]",),
        *_blocks(_SECOND, _FIRST, 4, 5, first=1, second=2),
        f"{_INPUT}[2] == {_FIRST}[4] && {_INPUT}[3] == {_FIRST}[5]",
    ),
    _shuffle(
        "PixelShuffle",
        ("[0, 1, 4, 2, 5, 3]",),
        *_blocks(_SECOND, _FIRST, 4, 5, first=2, second=3),
        f"{_INPUT}[2] == {_FIRST}[4] && {_INPUT}[3] == {_FIRST}[5]",
    ),
)
