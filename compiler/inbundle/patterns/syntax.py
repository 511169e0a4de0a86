"""The pattern language as a few classes, before names have a meaning; `at` is an offset in the text.

Expressions stand in conditions and replacements, `Branch`es make a graph pattern. What keys, functions and node kinds
there are is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from lark import Lark, Token, Transformer, Tree, UnexpectedInput, UnexpectedToken, v_args

from inbundle.patterns.text import PatternText

SELF = "$"


@dataclass(frozen=True)
class Literal:
    """A number, text, truth value, or None for `none`."""

    value: float | int | str | bool | None
    at: int


@dataclass(frozen=True)
class Subject:
    """`$`, a node key `Conv#1` or a value key `%x`."""

    name: str
    at: int


@dataclass(frozen=True)
class AttributeOf:
    owner: Expression
    name: str
    at: int


@dataclass(frozen=True)
class Part:
    """An operand of a node, or an element of a list."""

    owner: Expression
    index: Expression
    at: int


@dataclass(frozen=True)
class Call:
    """A function's value; at the start of a statement of a replacement, a new node."""

    name: str
    arguments: tuple[Expression, ...]
    at: int


@dataclass(frozen=True)
class Operation:
    operator: str
    operands: tuple[Expression, ...]
    at: int


@dataclass(frozen=True)
class Listing:
    elements: tuple[Expression, ...]
    at: int


Expression = Literal | Subject | AttributeOf | Part | Call | Operation | Listing


@dataclass(frozen=True)
class NodeItem:
    """One node. `shared`: the key has a `#`, so it is the same node wherever it stands."""

    key: str
    at: int

    @property
    def shared(self) -> bool:
        return "#" in self.key


@dataclass(frozen=True)
class Group:
    steps: tuple[Step, ...]
    at: int


@dataclass(frozen=True)
class Step:
    """What an arrow leads to.

    Attributes:
        port: number of the operand the arrow ends at; None for any, and at the start of a sequence.
        repeat: empty, `?`, `*` or `+`.
    """

    item: NodeItem | Group
    repeat: str
    port: int | None = None

    @property
    def may_be_absent(self) -> bool:
        return self.repeat in ("?", "*")


@dataclass(frozen=True)
class Branch:
    """A sequence; its first node reads `value`, where there is one, as operand `value_port`."""

    steps: tuple[Step, ...]
    value: str
    value_port: int | None
    at: int


@dataclass(frozen=True)
class Statement:
    """`target = expression {attributes}`; the target is a value key, or a node key whose result is replaced."""

    target: str
    expression: Expression
    attributes: dict[str, Expression]
    at: int


_GRAMMAR = Lark.open(
    "grammar.lark",
    rel_to=__file__,
    parser="lalr",
    start=["pattern", "condition", "replacement"],
    maybe_placeholders=True,
)

_LONGEST_NUMBER = 300
"""Digits: what is longer is no float."""
_DEEPEST = 100


def parse_pattern(source: PatternText) -> tuple[Branch, ...]:
    return cast(tuple[Branch, ...], _parse(source, "pattern"))


def parse_condition(source: PatternText) -> Expression:
    return cast(Expression, _parse(source, "condition"))


def parse_replacement(source: PatternText) -> tuple[Statement, ...]:
    return cast(tuple[Statement, ...], _parse(source, "replacement"))


def _parse(source: PatternText, start: str) -> object:
    try:
        tree = _GRAMMAR.parse(source.text, start=start)
    except UnexpectedInput as error:
        raise _unexpected(source, error, start) from None
    _check_size(source, tree, start)
    return _Syntax().transform(tree)


def _check_size(source: PatternText, tree: Tree[Token], start: str) -> None:
    """What reads the tree is recursive, and Python reads no whole number of thousands of digits."""
    level, depth = [tree], 0
    while level:
        children = [child for parent in level for child in parent.children if child is not None]
        for token in children:
            if isinstance(token, Token) and token.type in ("NUMBER", "ARROW") and len(token) > _LONGEST_NUMBER:
                raise source.error(_at(token), f"a number of more than {_LONGEST_NUMBER} digits")
        level, depth = [child for child in children if isinstance(child, Tree)], depth + 1
        if depth > _DEEPEST:
            raise source.error(0, f"the {start} is nested more than {_DEEPEST} levels deep")


def _unexpected(source: PatternText, error: UnexpectedInput, start: str) -> Exception:
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(source.text) if ended else error.pos_in_stream or 0
    found = "the end" if ended else f"`{source.text[at : at + 12].split()[0]}'"
    return source.error(at, f"syntax error in the {start}, unexpected {found}")


def _at(token: Token) -> int:
    return token.start_pos or 0


def _port(arrow: Token) -> int | None:
    digits = arrow[1:-1]
    return int(digits) if digits else None


@v_args(inline=True)
class _Syntax(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def pattern(self, *branches: Branch | None) -> tuple[Branch, ...]:
        return tuple(branch for branch in branches if branch is not None)

    def branch(self, value: Token | None, arrow: Token | None, steps: tuple[Step, ...]) -> Branch:
        at = _at(value) if value is not None else steps[0].item.at
        return Branch(steps, str(value or ""), None if arrow is None else _port(arrow), at)

    def sequence(self, first: Step, *rest: Any) -> tuple[Step, ...]:
        arrows, steps = rest[::2], rest[1::2]
        return (
            first,
            *(Step(step.item, step.repeat, _port(arrow)) for arrow, step in zip(arrows, steps, strict=True)),
        )

    def once(self, item: NodeItem | Group) -> Step:
        return Step(item, "")

    def repeated(self, item: NodeItem | Group, repeat: Token) -> Step:
        return Step(item, str(repeat))

    def node(self, key: Token) -> NodeItem:
        return NodeItem(str(key), _at(key))

    def group(self, steps: tuple[Step, ...]) -> Group:
        return Group(steps, steps[0].item.at)

    def condition(self, expression: Expression) -> Expression:
        return expression

    def replacement(self, *statements: Statement) -> tuple[Statement, ...]:
        return statements

    def statement(self, target: Token, expression: Expression, attributes: dict[str, Expression] | None) -> Statement:
        return Statement(str(target), expression, attributes or {}, _at(target))

    def attributes(self, *pairs: tuple[str, Expression] | None) -> dict[str, Expression]:
        return dict(pair for pair in pairs if pair is not None)

    def attribute(self, name: Token, value: Expression) -> tuple[str, Expression]:
        return str(name), value

    def binary(self, left: Expression, operator: Token, right: Expression) -> Expression:
        return Operation(str(operator), (left, right), _at(operator))

    def unary(self, operator: Token, operand: Expression) -> Expression:
        return Operation(str(operator), (operand,), _at(operator))

    def subject(self, name: Token) -> Expression:
        return Subject(str(name), _at(name))

    def call(self, name: Token, *arguments: Expression | None) -> Expression:
        return Call(str(name), _present(arguments), _at(name))

    def attribute_of(self, owner: Expression, name: Token) -> Expression:
        return AttributeOf(owner, str(name), _at(name))

    def part(self, owner: Expression, index: Expression) -> Expression:
        return Part(owner, index, owner.at)

    def listing(self, *elements: Expression | None) -> Expression:
        return Listing(_present(elements), elements[0].at if elements and elements[0] else 0)

    def number(self, token: Token) -> Expression:
        return Literal(int(token) if token.isdecimal() else float(token), _at(token))

    def text(self, token: Token) -> Expression:
        return Literal(str(token[1:-1]), _at(token))

    def true(self, token: Token) -> Expression:
        return Literal(True, _at(token))

    def false(self, token: Token) -> Expression:
        return Literal(False, _at(token))

    def none(self, token: Token) -> Expression:
        return Literal(None, _at(token))


def _present(expressions: Sequence[Expression | None]) -> tuple[Expression, ...]:
    return tuple(expression for expression in expressions if expression is not None)
