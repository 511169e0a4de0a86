"""What the interpreter computes for element-wise kinds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from inbundle.graph.types import ElemKind
from ir_memory import Operands, kind


def truncated_division(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind == "f":
        return left / right
    quotient = np.abs(left) // np.abs(right)
    return np.where((left < 0) != (right < 0), -quotient, quotient) if left.dtype.kind == "i" else quotient


def power(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    both_integers = left.dtype.kind in "iu" and right.dtype.kind in "iu"
    if both_integers and (right >= 0).all():
        return np.power(left, right.astype(left.dtype))
    return np.power(left.astype(np.float64), right.astype(np.float64))


def spread(o: Operands, result: np.ndarray) -> np.ndarray:
    """A result as large as Dest, even where all operands are smaller: one element may stand for a constant of many."""
    return np.broadcast_to(result, o.type("Dest").shape)


BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": truncated_division,
    "pow": power,
    "min": np.minimum,
    "max": np.maximum,
    "prelu": lambda x, slope: np.where(x >= 0, x, slope * x),
    "fmod": np.fmod,
    "mod": np.mod,
}
for _name, _binary in BINARY.items():
    kind(_name)(lambda o, binary=_binary: spread(o, binary(o["LHS"], o["RHS"])))

erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x: np.ndarray, approximate: str) -> np.ndarray:
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


UNARY: dict[str, Callable[[np.ndarray, Operands], np.ndarray]] = {
    "abs": lambda x, o: np.abs(x),
    "neg": lambda x, o: -x,
    "exp": lambda x, o: np.exp(x),
    "log": lambda x, o: np.log(x),
    "sqrt": lambda x, o: np.sqrt(x),
    "erf": lambda x, o: erf(x),
    "tanh": lambda x, o: np.tanh(x),
    "sigmoid": lambda x, o: 1 / (1 + np.exp(-x)),
    "softplus": lambda x, o: np.logaddexp(0, x),
    "sinh": lambda x, o: np.sinh(x),
    "cosh": lambda x, o: np.cosh(x),
    "asinh": lambda x, o: np.arcsinh(x),
    "acosh": lambda x, o: np.arccosh(x),
    "atanh": lambda x, o: np.arctanh(x),
    "sin": lambda x, o: np.sin(x),
    "cos": lambda x, o: np.cos(x),
    "asin": lambda x, o: np.arcsin(x),
    "acos": lambda x, o: np.arccos(x),
    "atan": lambda x, o: np.arctan(x),
    "floor": lambda x, o: np.floor(x),
    "ceil": lambda x, o: np.ceil(x),
    "round": lambda x, o: np.rint(x),
    "sign": lambda x, o: np.sign(x),
    "relu": lambda x, o: np.maximum(x, 0),
    "leakyrelu": lambda x, o: np.where(x < 0, o.Alpha * x, x),
    "elu": lambda x, o: np.where(x < 0, o.Alpha * np.expm1(x), x),
    "hardsigmoid": lambda x, o: np.clip(o.Alpha * x + o.Beta, 0, 1),
    "hardswish": lambda x, o: x * np.clip(x / 6 + 0.5, 0, 1),
    "gelu": lambda x, o: gelu(x, o.Approximate),
    "clip": lambda x, o: np.minimum(o.Max, np.maximum(x, o.Min)),
}
for _name, _unary in UNARY.items():
    kind(_name)(lambda o, unary=_unary: spread(o, unary(o["Src"], o)))


@kind("convertto")
def _convertto(o: Operands) -> np.ndarray:
    x = o["Src"]
    return spread(o, x != 0 if o.type("Dest").elem is ElemKind.BOOL else x)


# --- comparisons, logic, choices ---------------------------------------------------------------------------------


def shifted(o: Operands, x: np.ndarray, by: np.ndarray) -> np.ndarray:
    bits = 8 * x.dtype.itemsize
    fits = (by >= 0) & (by < bits)
    moved = (np.left_shift if o.Left else np.right_shift)(x, np.where(fits, by, 0).astype(x.dtype))
    zero = np.zeros_like(x)
    return np.where(fits, moved, zero if o.Left else np.where(x < 0, ~zero, zero))


LOGIC: dict[str, Callable[[Operands], np.ndarray]] = {
    "equal": lambda o: o["LHS"] == o["RHS"],
    "less": lambda o: o["LHS"] < o["RHS"],
    "lessorequal": lambda o: o["LHS"] <= o["RHS"],
    "and": lambda o: o["LHS"] & o["RHS"],
    "or": lambda o: o["LHS"] | o["RHS"],
    "xor": lambda o: o["LHS"] ^ o["RHS"],
    "not": lambda o: ~o["Src"],
    "bitshift": lambda o: shifted(o, o["LHS"], o["RHS"]),
    "isnan": lambda o: np.isnan(o["Src"]),
    "isinf": lambda o: (np.isneginf(o["Src"]) & o.Negative) | (np.isposinf(o["Src"]) & o.Positive),
    "select": lambda o: np.where(o["Cond"], o["LHS"], o["RHS"]),
}
for _name, _logic in LOGIC.items():
    kind(_name)(lambda o, logic=_logic: spread(o, logic(o)))
