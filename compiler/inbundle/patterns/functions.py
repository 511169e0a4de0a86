"""What expressions of the pattern language can call: the built-in functions, and predicates of the user's own.

A function takes nodes, values (tensors), numbers, texts and lists; `none` where there is nothing to give.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inbundle.graph.graph import Constant, Node, NodeOutput, Placeholder, Value
from inbundle.graph.ops.meta import kind_name
from inbundle.patterns.facts import Facts


class Type(enum.Enum):
    """What an expression gives, as far as it is known before there is a graph."""

    ANY = "anything"
    TRUTH = "a truth value"
    NUMBER = "a number"
    TEXT = "a text"
    LIST = "a list"
    SUBJECT = "a node or value"


@dataclass(frozen=True)
class Function:
    """`run(facts, *arguments)` gives the value; arguments beyond `parameters` are an error of the pattern."""

    parameters: tuple[Type, ...]
    result: Type
    run: Callable[..., object]
    meaning: str


Functions = Mapping[str, Function]


def predicate(test: Callable[[Node], bool], meaning: str = "") -> Function:
    """A predicate of the user's own: `isLarge($)` with `{"isLarge": predicate(is_large)}`."""

    def run(facts: Facts, node: object) -> bool:
        return isinstance(node, Node) and bool(test(node))

    return Function((Type.SUBJECT,), Type.TRUTH, run, meaning)


def tensor(subject: object) -> Value | None:
    """A value itself; of a node its first result."""
    if isinstance(subject, Node):
        return subject.output
    return subject if isinstance(subject, Value) else None


def kind_of(subject: object) -> str | None:
    """The kind of a node, or of what gives a value; of a MetaNode the name of what it stands for."""
    node = subject.node if isinstance(subject, NodeOutput) else subject
    if isinstance(node, Node):
        return kind_name(node)
    if isinstance(node, Constant):
        return "Constant"
    return "Placeholder" if isinstance(node, Placeholder) else None


def number_of(subject: object) -> Any:
    """The number that all elements of a constant are; None for anything else, and for no elements."""
    if not isinstance(subject, Constant) or subject.data.size == 0:
        return None
    flat = subject.data.reshape(-1)
    if not bool((flat.view(np.uint8).reshape(flat.size, -1) == flat[:1].view(np.uint8)).all()):
        return None
    return flat[:1].astype(np.float64).item() if subject.type.elem.is_float else flat[0].item()


def _of_tensor(get: Callable[[Value], object]) -> Callable[..., object]:
    def run(facts: Facts, subject: object) -> object:
        value = tensor(subject)
        return None if value is None else get(value)

    return run


def _readers(facts: Facts, subject: object) -> int:
    """A model output counts as a reader."""
    values = subject.outputs if isinstance(subject, Node) else [subject] if isinstance(subject, Value) else []
    return sum(len(facts.readers_of(value)) + (value in facts.shown) for value in values)


def _shown(facts: Facts, subject: object) -> bool:
    return tensor(subject) in facts.shown


def _close(facts: Facts, left: Any, right: Any) -> bool:
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return numbers and bool(np.isclose(left, right, rtol=1e-6, atol=0))


def _length(facts: Facts, given: object) -> int | None:
    return len(given) if isinstance(given, tuple | str) else None


def _name(facts: Facts, subject: object) -> str | None:
    return subject.name if isinstance(subject, Node | Value) else None


_ONE = (Type.SUBJECT,)
BUILT_IN: dict[str, Function] = {
    "getType": Function(
        _ONE, Type.TEXT, lambda facts, x: kind_of(x), "kind of a node, or of what gives a value: Constant, Placeholder"
    ),
    "name": Function(_ONE, Type.TEXT, _name, "name of a node or value"),
    "elem": Function(_ONE, Type.TEXT, _of_tensor(lambda v: v.type.elem.glow_name), "element type: 'float', 'index64'"),
    "shape": Function(_ONE, Type.LIST, _of_tensor(lambda v: v.type.shape), "dimensions"),
    "rank": Function(_ONE, Type.NUMBER, _of_tensor(lambda v: v.type.rank), "number of dimensions"),
    "elements": Function(_ONE, Type.NUMBER, _of_tensor(lambda v: v.type.elements), "number of elements"),
    "readers": Function(_ONE, Type.NUMBER, _readers, "how many operands and model outputs read it"),
    "isOutput": Function(_ONE, Type.TRUTH, _shown, "whether the model shows it"),
    "isConstant": Function(
        _ONE, Type.TRUTH, lambda facts, x: isinstance(x, Constant), "whether it is known at compile time"
    ),
    "exists": Function(_ONE, Type.TRUTH, lambda facts, x: x is not None, "whether an optional operand is there"),
    "value": Function(
        _ONE, Type.NUMBER, lambda facts, x: number_of(x), "the number that all elements of a constant are, else none"
    ),
    "close": Function((Type.NUMBER, Type.NUMBER), Type.TRUTH, _close, "equal up to rounding to float"),
    "len": Function((Type.LIST,), Type.NUMBER, _length, "number of elements of a list"),
}
