"""Number literals of Inpla: from values to text and back.

A float literal is the shortest decimal that reads back as the same float32. Readers take it as a double and round that
to single; where rounding twice would hit a neighbour, all digits are written. Infinity is a decimal beyond the range.
"""

from __future__ import annotations

import math
import struct

import numpy as np

from inbundle.errors import CompileError

_INFINITY = "1e39"
_FLOAT = struct.Struct("<f")
_BITS = struct.Struct("<I")


def float_texts(values: np.ndarray) -> list[str]:
    """Literals of float32 values, each with a point or an exponent. Raises CompileError for NaN, which has none."""
    if np.isnan(values).any():
        raise CompileError("NaN has no literal in Inpla", hint="use -inpla-weights=region")
    texts = list(map(str, values.astype(np.float32)))
    for index in np.flatnonzero(np.isinf(values)):
        texts[index] = _INFINITY if values[index] > 0 else f"-{_INFINITY}"
    doubles = np.array(texts, dtype=np.float64) if texts else np.zeros(0)
    for index in np.flatnonzero(_single(doubles) != values):
        texts[index] = repr(float(values[index]))
    return texts


def float_text(value: float) -> str:
    return float_texts(np.array([value], np.float32))[0]


def read_float(text: str) -> float:
    """The float32 that a literal stands for."""
    return _FLOAT.unpack(_packed(float(text)))[0]  # type: ignore[no-any-return]


def float_bits(value: float) -> int:
    """The word of the prefix code that holds a number as a float32."""
    return _BITS.unpack(_packed(value))[0]  # type: ignore[no-any-return]


def _packed(value: float) -> bytes:
    try:
        return _FLOAT.pack(value)
    except OverflowError:
        return _FLOAT.pack(math.copysign(math.inf, value))


def is_float_text(text: str) -> bool:
    """Whether the literal is a float in the joined language: it has a point or an exponent."""
    return not text.isdigit()


def _single(doubles: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return doubles.astype(np.float32)
