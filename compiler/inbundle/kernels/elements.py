"""Element kinds in C: the type in which one is computed, loads and stores, literals, conversions.

Half precision kinds are stored as `uint16_t` and computed in float. Integers wrap: their sums and products are computed
unsigned, where C defines overflow, and cast back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inbundle.graph.types import ElemKind

_HALF = {ElemKind.FLOAT16: "float16", ElemKind.BFLOAT16: "bfloat16"}


def literal(kind: ElemKind, value: float) -> str:
    """A number as a C expression of the type that `kind` is computed in; reads back as the same number.

    Args:
        value: any number; it is rounded to the kind's precision, and saturated for integers.
    """
    if not kind.is_float:
        return _integer_literal(kind, value)
    suffix = "" if kind is ElemKind.FLOAT64 else "f"
    with np.errstate(over="ignore"):
        number = np.float64(value) if kind is ElemKind.FLOAT64 else np.float32(kind.dtype.type(value))
    if np.isnan(number):
        return f'__builtin_nan{suffix}("")'
    if np.isinf(number):
        return f"{'-' if number < 0 else ''}__builtin_inf{suffix}()"
    return f"{number!s}{suffix}"


def _integer_literal(kind: ElemKind, value: float) -> str:
    low, high = limits(kind)
    number = 0 if value != value else high if value >= high else low if value <= low else int(value)
    if number == -(2**63):
        return "(-9223372036854775807 - 1)"
    return f"{number}u" if number >= 2**31 and kind in (ElemKind.UINT32, ElemKind.UINT64) else str(number)


def limits(kind: ElemKind) -> tuple[int, int]:
    """Least and largest value of an integer kind or bool."""
    if kind is ElemKind.BOOL:
        return 0, 1
    info = np.iinfo(kind.dtype)
    return int(info.min), int(info.max)


def is_signed(kind: ElemKind) -> bool:
    """Whether the kind has values below 0."""
    return kind.is_float or limits(kind)[0] < 0


def extremes(kind: ElemKind) -> tuple[str, str]:
    """C expressions of the least and the largest value, infinite for floats."""
    low, high = (-np.inf, np.inf) if kind.is_float else limits(kind)
    return literal(kind, low), literal(kind, high)


def stored_literal(kind: ElemKind, value: float) -> str:
    """A number as a C expression of the type in which `kind` is stored."""
    if kind in _HALF:
        with np.errstate(over="ignore"):
            return f"0x{int(np.array(value).astype(kind.dtype).view(np.uint16)):04x}"
    return literal(kind, value)


def compute_type(kind: ElemKind) -> str:
    """The C type of one element while it is computed with."""
    return "float" if kind in _HALF else kind.c_type


def loaded(kind: ElemKind, stored: str) -> str:
    """The value of a stored element."""
    return f"float_of_{_HALF[kind]}({stored})" if kind in _HALF else stored


def stored(kind: ElemKind, value: str) -> str:
    """What to store for a value of the compute type. Integers are cast, from any integer type, and wrap."""
    if kind in _HALF:
        return f"{_HALF[kind]}_of_float({value})"
    return value if kind.is_float else f"({kind.c_type})({value})"


def rounded(kind: ElemKind, value: str) -> str:
    """A value of the compute type as it is read back after it was stored."""
    return loaded(kind, stored(kind, value))


def wide_type(kind: ElemKind) -> str:
    """The type in which sums and products are accumulated: unsigned for integers, at least as wide as int."""
    if kind.is_float:
        return compute_type(kind)
    return "uint64_t" if kind.size == 8 else "uint32_t"


def widened(kind: ElemKind, value: str) -> str:
    """A value in its wide type."""
    return value if kind.is_float else f"({wide_type(kind)}){value}"


def computed_as_double(kind: ElemKind, value: str) -> str:
    """A value of the compute type as a double."""
    return value if kind is ElemKind.FLOAT64 else f"(double){value}"


def narrowed(kind: ElemKind, value: str) -> str:
    """A double as the compute type of a float kind."""
    return value if kind is ElemKind.FLOAT64 else f"(float){value}"


def saturated(kind: ElemKind, value: str) -> str:
    """A double as an integer kind: truncated towards zero, the nearest limit outside, 0 for NaN."""
    low, high = limits(kind)
    least, largest = literal(ElemKind.FLOAT64, low), literal(ElemKind.FLOAT64, high + 1)
    ends = f"{value} <= {least} ? {literal(kind, low)} : {value} >= {largest} ? {literal(kind, high)}"
    return f"{value} != {value} ? 0 : {ends} : ({kind.c_type}){value}"


@dataclass(frozen=True)
class Buffer:
    """The C array of an operand."""

    name: str
    kind: ElemKind

    @property
    def type(self) -> str:
        """The type that `at` gives and `put` takes."""
        return compute_type(self.kind)

    def at(self, index: str) -> str:
        """An element's value."""
        return loaded(self.kind, f"{self.name}[{index}]")

    def put(self, index: str, value: str) -> str:
        """The statement that stores a value."""
        return f"{self.name}[{index}] = {stored(self.kind, value)};"
