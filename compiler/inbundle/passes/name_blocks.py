"""NameBlocks: sub-graphs that exporters write for one operator are wrapped as MetaNodes with its name.

Before:
    %r = Reshape(%x) {shape: [1, 2, 3, 8, 8]}
    %t = Transpose(%r) {perm: [0, 2, 1, 3, 4]}
    %y = Reshape(%t) {shape: [1, 6, 8, 8]}

After:
    %y = ChannelShuffle(%x)

LayerNorm (over other dimensions than the last ones), SiLU, ScaledDotProductAttention, PixelUnshuffle (space to depth)
and PixelShuffle, too. The names are PyTorch's, because those of ONNX's operators stand for single nodes. Nothing is
computed otherwise.
"""

from __future__ import annotations

from inbundle.graph.graph import Graph
from inbundle.passes.normalizations import WHEN, WHERE, forms
from inbundle.patterns import Pattern, Rule, apply_rules, conditions_for, wrapped


def name_blocks(graph: Graph) -> None:
    apply_rules(graph, RULES)


_WHERE = {
    **WHERE,
    "ByNumber": "(getType($) == 'Mul' || getType($) == 'Div') && (value($[0]) != none || value($[1]) != none)",
    "Turned": "getType($) == 'Transpose' && ($.perm == [0, 2, 1] || $.perm == [0, 1, 3, 2])",
    "Mask": "getType($) == 'Add' || getType($) == 'Where'",
}


def _rule(name: str, match: str, where: dict[str, str] | None = None, when: str = "") -> Rule:
    keys = conditions_for(match, _WHERE)
    return Rule(name, Pattern(match, keys | (where or {}), when, name=name), wrapped(name))


def _normalizations(name: str, x: str, tail: str) -> tuple[Rule, ...]:
    return tuple(_rule(name, form, when=WHEN) for form in forms(x, tail))


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
    *_normalizations("LayerNorm", "%x", " -> Scale? -> Shift?"),
    _rule("SiLU", "%x -> Sigmoid -> Mul#m; %x -> Mul#m"),
    _rule(
        "ScaledDotProductAttention",
        "ByNumber? -0> MatMul#scores -> ByNumber? -> Mask? -> Softmax -0> MatMul#mixed;"
        "(ByNumber? -> Turned)? -> ByNumber? -1> MatMul#scores",
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
        ("[0, 3, 5, 1, 2, 4]", "[0, 5, 3, 1, 2, 4]", "[0, 1, 3, 5, 2, 4]"),
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
