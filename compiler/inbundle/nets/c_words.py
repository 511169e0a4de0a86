"""The two word models of generated C: what a port and a number are. All that differs between them is here.

- *Typed words*, in bundles. An agent's signature says what a port is: a member of `inpla_word`. An int is an
  `inpla_int`, of the target's word size.
- *Values*, in executables of inpla-cc. A port is an `inpla_cell *` that says itself what it is (inpla_value.h). An int
  n is computed with as it lies in a value, as the word 2n + 1, so that it wraps around at 63 bits and costs nothing to
  store. A float is taken out of its value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from inbundle.nets.literals import float_text
from inbundle.nets.program import PortKind

C_TYPE = {PortKind.WIRE: "inpla_cell *", PortKind.INT: "inpla_int", PortKind.FLOAT: "float"}
"""Types of C variables for what a port holds."""


def constant(kind: PortKind) -> str:
    """The start of a declaration."""
    return "inpla_cell *const" if kind is PortKind.WIRE else f"const {C_TYPE[kind]}"


def float_literal(value: float) -> str:
    text = float_text(value)
    return text.replace("1e39", "INFINITY") if "1e39" in text else f"{text}f"


class Words(ABC):
    """A word model. Texts of operands are C expressions that bind as tightly as a cast or tighter."""

    helpers: ClassVar[Mapping[str, str]]
    """C functions that texts call, by name: `/` and `%` of ints. A zero divisor sets `failed`."""

    @abstractmethod
    def int_literal(self, value: int) -> str: ...

    @abstractmethod
    def int_of_truth(self, condition: str) -> str:
        """1 or 0."""

    @abstractmethod
    def float_of_int(self, operand: str) -> str: ...

    @abstractmethod
    def negated_int(self, operand: str) -> str: ...

    @abstractmethod
    def int_arithmetic(self, operator: str, left: str, right: str) -> str:
        """`operator` is one of `+ - * / %`."""

    @abstractmethod
    def member(self, kind: PortKind, text: str) -> tuple[str, str]:
        """The member of `inpla_word` that takes a number of this kind, and what is assigned to it."""


def _call_helper(operator: str, left: str, right: str) -> str:
    name = {"/": "int_quotient", "%": "int_remainder"}[operator]
    return f"{name}({left}, {right}, &failed)"


class TypedWords(Words):
    helpers: ClassVar = {
        "int_quotient": """\
static inpla_int int_quotient(inpla_int a, inpla_int b, int *failed)
{
    if (b == 0 || b == -1) {
        *failed |= b == 0;
        return (inpla_int)(0u - (uintptr_t)a);
    }
    return a / b;
}
""",
        "int_remainder": """\
static inpla_int int_remainder(inpla_int a, inpla_int b, int *failed)
{
    if (b == 0 || b == -1) {
        *failed |= b == 0;
        return 0;
    }
    return a % b;
}
""",
    }

    def int_literal(self, value: int) -> str:
        if value == -(2**63):
            return "(-9223372036854775807LL - 1)"
        return str(value) if abs(value) < 2**31 else f"{value}LL"

    def int_of_truth(self, condition: str) -> str:
        return f"(inpla_int)({condition})"

    def float_of_int(self, operand: str) -> str:
        return f"(float)({operand})"

    def negated_int(self, operand: str) -> str:
        return f"(inpla_int)(0u - (uintptr_t){operand})"

    def int_arithmetic(self, operator: str, left: str, right: str) -> str:
        if operator in "/%":
            return _call_helper(operator, left, right)
        return f"(inpla_int)((uintptr_t){left} {operator} (uintptr_t){right})"

    def member(self, kind: PortKind, text: str) -> tuple[str, str]:
        return kind.value, text


class Values(Words):
    """The functions that texts call are in compiled_rule.h."""

    helpers: ClassVar = {}

    def int_literal(self, value: int) -> str:
        word = ((2 * value + 1) + 2**63) % 2**64 - 2**63
        if word == -(2**63) + 1:
            return "(-9223372036854775807LL)"
        return str(word) if abs(word) < 2**31 else f"{word}LL"

    def int_of_truth(self, condition: str) -> str:
        return f"(inpla_int)(({condition}) ? 3 : 1)"

    def float_of_int(self, operand: str) -> str:
        return f"(float)({operand} >> 1)"

    def negated_int(self, operand: str) -> str:
        return f"(inpla_int)(2u - (uintptr_t){operand})"

    def int_arithmetic(self, operator: str, left: str, right: str) -> str:
        if operator == "+":
            return f"(inpla_int)((uintptr_t){left} + (uintptr_t){right} - 1u)"
        if operator == "-":
            return f"(inpla_int)((uintptr_t){left} - (uintptr_t){right} + 1u)"
        if operator == "*":
            return f"(inpla_int)(((uintptr_t){left} - 1u) * (uintptr_t)({right} >> 1) + 1u)"
        return _call_helper(operator, left, right)

    def member(self, kind: PortKind, text: str) -> tuple[str, str]:
        return "cell", f"(inpla_cell *)({text})" if kind is PortKind.INT else f"inpla_of_float({text})"
