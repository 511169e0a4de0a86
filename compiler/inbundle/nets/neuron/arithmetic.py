"""The agents of one and two operands that need no native function: they run on any implementation of the language."""

from __future__ import annotations

import numpy as np

from inbundle.nets.neuron.operation import (
    ONE,
    ZERO,
    J,
    K,
    at_least,
    binary,
    is_nan,
    less,
    minus,
    otherwise,
    unary,
    when,
)
from inbundle.nets.program import Binary, FloatLiteral, Variable

_ALPHA, _BETA, _LOW, _HIGH = Variable("alpha"), Variable("beta"), Variable("low"), Variable("high")

ADD = binary("Add", np.add, otherwise(Binary("+", J, K)), commutative=True)
MUL = binary("Mul", np.multiply, otherwise(Binary("*", J, K)), commutative=True)
DIV = binary("Div", np.divide, otherwise(Binary("/", K, J)))
MAX = binary("Max", np.maximum, when(at_least(K, J), K), when(is_nan(K), K), otherwise(J), commutative=True)  # NaN wins
MIN = binary("Min", np.minimum, when(at_least(J, K), K), when(is_nan(K), K), otherwise(J), commutative=True)  # NaN wins

MATERIALIZE = unary("Materialize", lambda x: x, otherwise(K))
RELU = unary(
    "ReLU", lambda x: np.where(x <= 0, np.float32(0), x), when(Binary("<=", K, ZERO), ZERO), otherwise(K)
)  # NaN stays
ABS = unary("Abs", np.abs, when(less(K, ZERO), minus(K)), otherwise(K))
NEG = unary("Neg", np.negative, otherwise(minus(K)))
LEAKY_RELU = unary(
    "LeakyReLU",
    lambda x, alpha: np.where(x < 0, alpha * x, x),
    when(less(K, ZERO), Binary("*", _ALPHA, K)),
    otherwise(K),
    attributes=("alpha",),
)
CLIP = unary(
    "Clip",
    lambda x, low, high: np.minimum(high, np.maximum(x, low)),
    when(Binary(">", K, _HIGH), _HIGH),
    when(less(K, _LOW), _LOW),
    otherwise(K),
    attributes=("low", "high"),
)

_LINE = Binary("+", Binary("*", _ALPHA, K), _BETA)
HARD_SIGMOID = unary(
    "HardSigmoid",
    lambda x, alpha, beta: np.clip(alpha * x + beta, np.float32(0), np.float32(1)),
    when(at_least(_LINE, ONE), ONE),
    when(Binary("<=", _LINE, ZERO), ZERO),
    otherwise(_LINE),
    attributes=("alpha", "beta"),
)

_GATE = Binary("+", Binary("/", K, FloatLiteral(6.0)), FloatLiteral(0.5))
HARD_SWISH = unary(
    "HardSwish",
    lambda x: x * np.clip(x / np.float32(6) + np.float32(0.5), np.float32(0), np.float32(1)),
    when(at_least(K, FloatLiteral(3.0)), K),
    when(Binary("<=", K, FloatLiteral(-3.0)), ZERO),
    otherwise(Binary("*", K, _GATE)),
)

PRELU = binary(
    "PReLU",
    lambda x, slope: np.where(x >= 0, x, slope * x),
    when(at_least(K, ZERO), K),
    otherwise(Binary("*", J, K)),
)
