"""The agents whose rules call native functions of the host; they cannot be written with literals alone."""

from __future__ import annotations

import math

import numpy as np

from inbundle.nets.neuron.operation import Evaluate, J, K, Operation, binary, otherwise, unary
from inbundle.nets.program import Call, Expr, Variable

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _calls(agent: str, native: str, double: Evaluate, *attributes: str) -> Operation:
    """An agent of one operand whose result is one native call; `double` is the function on doubles."""
    arguments: tuple[Expr, ...] = (K, *map(Variable, attributes))

    def evaluate(x: np.ndarray, *values: np.ndarray) -> np.ndarray:
        result: np.ndarray = double(x.astype(np.float64), *values).astype(np.float32)
        return result

    return unary(agent, evaluate, otherwise(Call(native, arguments)), attributes=attributes)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = 1 / (1 + np.exp(-x))
    return result


def _gelu(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = x * 0.5 * (1 + _erf(x / math.sqrt(2)))
    return result


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return result


def _elu(x: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    return np.where(x < 0, alpha * np.expm1(x), x)


EXP = _calls("Exp", "exp", np.exp)
LOG = _calls("Log", "log", np.log)
SQRT = _calls("Sqrt", "sqrt", np.sqrt)
ERF = _calls("Erf", "erf", _erf)
TANH = _calls("Tanh", "tanh", np.tanh)
SIGMOID = _calls("Sigmoid", "sigmoid", _sigmoid)
GELU = _calls("Gelu", "gelu", _gelu)
GELU_TANH = _calls("GeluTanh", "gelu_tanh", _gelu_tanh)
ELU = _calls("Elu", "elu", _elu, "alpha")
POW = binary("Pow", np.power, otherwise(Call("pow", (K, J))))
