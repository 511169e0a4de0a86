"""Comparisons, logic, bits, and the choice between two tensors; all broadcast as the arithmetic kinds do.

Greater and GreaterOrEqual do not exist here: they are Less and LessOrEqual of exchanged operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.activation import unary
from inbundle.graph.ops.broadcast import broadcast_shapes
from inbundle.graph.ops.elementwise import binary
from inbundle.graph.ops.operands import FLOATS, NUMBERS, required
from inbundle.graph.ops.spec import OpSpec, Required, declare
from inbundle.graph.types import ElemKind, TensorType

BOOL = frozenset({ElemKind.BOOL})
INTEGERS = NUMBERS - FLOATS
DIRECTIONS = ("LEFT", "RIGHT")


def _test_of_float(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    return [required(inputs, 0, "X", FLOATS).with_elem(ElemKind.BOOL)]


def _where(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    condition = required(inputs, 0, "condition", BOOL)
    x, y = required(inputs, 1, "X", frozenset(ElemKind)), required(inputs, 2, "Y", frozenset(ElemKind))
    if x.elem is not y.elem:
        raise CompileError(f"inputs X and Y are {x} and {y}: element kinds must agree")
    return [x.with_shape(broadcast_shapes(condition.shape, x.shape, y.shape))]


def _bit_shift(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    if attributes["direction"] not in DIRECTIONS:
        raise CompileError(f"direction is {attributes['direction']!r}", hint="it is LEFT or RIGHT")
    return binary(INTEGERS)(inputs, attributes)


for _kind, _elems, _meaning in (
    ("Equal", frozenset(ElemKind), "whether A is B"),
    ("Less", NUMBERS, "whether A is below B"),
    ("LessOrEqual", NUMBERS, "whether A is B or below"),
):
    declare(OpSpec(_kind, _meaning, ("A", "B"), ("C",), binary(_elems, ElemKind.BOOL)))
for _prefix, _elems in (("", BOOL), ("Bitwise", INTEGERS)):
    for _kind, _meaning in (("And", "A and B"), ("Or", "A or B"), ("Xor", "either A or B")):
        declare(OpSpec(f"{_prefix}{_kind}", f"{_meaning}, bit by bit", ("A", "B"), ("C",), binary(_elems)))
    declare(OpSpec(f"{_prefix}Not", "the other value of each bit", ("X",), ("Y",), unary(_elems)))
declare(
    OpSpec(
        "BitShift",
        "X moved by Y bits to the `direction` LEFT or RIGHT, where its sign moves in; a negative Y is all bits",
        ("X", "Y"),
        ("Z",),
        _bit_shift,
        {"direction": Required("")},
    )
)
declare(OpSpec("IsNaN", "whether X is no number", ("X",), ("Y",), _test_of_float))
declare(
    OpSpec(
        "IsInf",
        "whether X is infinite: below 0 if `detect_negative`, above if `detect_positive`",
        ("X",),
        ("Y",),
        _test_of_float,
        {"detect_negative": True, "detect_positive": True},
    )
)
declare(OpSpec("Where", "X where the condition is true, else Y", ("condition", "X", "Y"), ("output",), _where))
