"""Unary element-wise operators: the result has the operand's type."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import FLOATS, NUMBERS, SIGNED, float32, required
from inbundle.graph.ops.spec import Inference, OpSpec, Required, declare
from inbundle.graph.types import ElemKind, TensorType

GELU_APPROXIMATIONS = ("none", "tanh")


def unary(elems: Collection[ElemKind]) -> Inference:
    """An operand of one of `elems`; the result has its type."""

    def infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
        return [required(inputs, 0, "X", elems)]

    return infer


def _gelu(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    if attributes["approximate"] not in GELU_APPROXIMATIONS:
        raise CompileError(f"approximate is {attributes['approximate']!r}", hint="it is none or tanh")
    return [required(inputs, 0, "X", FLOATS)]


for _kind, _elems, _meaning, _attributes in (
    ("Relu", SIGNED, "max(X, 0)", {}),
    ("LeakyRelu", FLOATS, "X where X >= 0, else alpha * X", {"alpha": float32(0.01)}),
    ("Elu", FLOATS, "X where X >= 0, else alpha * (e^X - 1)", {"alpha": 1.0}),
    ("Sigmoid", FLOATS, "1 / (1 + e^-X)", {}),
    ("HardSigmoid", FLOATS, "max(0, min(1, alpha * X + beta))", {"alpha": float32(0.2), "beta": 0.5}),
    ("HardSwish", FLOATS, "X * max(0, min(1, X / 6 + 1 / 2))", {}),
    ("Softplus", FLOATS, "log(1 + e^X)", {}),
    ("Tanh", FLOATS, "hyperbolic tangent", {}),
    ("Sinh", FLOATS, "hyperbolic sine", {}),
    ("Cosh", FLOATS, "hyperbolic cosine", {}),
    ("Asinh", FLOATS, "what X is the hyperbolic sine of", {}),
    ("Acosh", FLOATS, "what X is the hyperbolic cosine of, not below 0", {}),
    ("Atanh", FLOATS, "what X is the hyperbolic tangent of", {}),
    ("Sin", FLOATS, "sine of X in radians", {}),
    ("Cos", FLOATS, "cosine of X in radians", {}),
    ("Asin", FLOATS, "angle from -pi / 2 to pi / 2 with the sine X", {}),
    ("Acos", FLOATS, "angle from 0 to pi with the cosine X", {}),
    ("Atan", FLOATS, "angle from -pi / 2 to pi / 2 with the tangent X", {}),
    ("Floor", FLOATS, "largest integer up to X", {}),
    ("Ceil", FLOATS, "smallest integer from X on", {}),
    ("Round", FLOATS, "nearest integer, of two the even one", {}),
    ("Sign", NUMBERS, "-1, 0 or 1, as X is below, at or above 0; NaN stays", {}),
    ("Exp", FLOATS, "e^X", {}),
    ("Log", FLOATS, "natural logarithm", {}),
    ("Sqrt", FLOATS, "square root", {}),
    ("Abs", NUMBERS, "magnitude; the least integer stays", {}),
    ("Neg", SIGNED, "-X", {}),
    ("Erf", FLOATS, "error function", {}),
    (
        "Clip",
        NUMBERS,
        "min(max, max(X, min)), so max wins; int bounds for integers, float bounds for floats",
        {"min": Required(0.0), "max": Required(0.0)},
    ),
):
    declare(OpSpec(_kind, _meaning, ("X",), ("Y",), unary(_elems), _attributes))
declare(
    OpSpec(
        "Gelu",
        "X * Phi(X), Phi the normal distribution; approximate tanh: 0.5 X (1 + tanh(sqrt(2 / pi) (X + 0.044715 X^3)))",
        ("X",),
        ("Y",),
        _gelu,
        {"approximate": "none"},
    )
)
