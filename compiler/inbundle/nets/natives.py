"""The native functions of the neuron granularity: what attribute expressions of its scripts may call.

Declared once. `nets/neuron` calls them, `kernels/natives.py` writes them in C: a function of numbers NAME is there
`math_NAME` of `templates/kernels/functions/`, which the tile kernels use too, so both granularities compute the same
values. This module knows no C.
"""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.nets.program import NativeFunction, PortKind


@dataclass(frozen=True)
class Native:
    """A native function. `parameters` are names with their kinds."""

    name: str
    parameters: tuple[tuple[str, PortKind], ...]
    result: PortKind
    meaning: str

    @property
    def declaration(self) -> NativeFunction:
        """How a Program declares it."""
        return NativeFunction(self.name, tuple(kind for _, kind in self.parameters), self.result)


_INDEX = ("i", PortKind.INT)

WEIGHT = Native("weight", (_INDEX,), PortKind.FLOAT, "Float number i of constantWeight.")
INPUT = Native("input", (_INDEX,), PortKind.FLOAT, "Float number i of mutableWeight.")
OUTPUT = Native("output", (_INDEX, ("value", PortKind.FLOAT)), PortKind.INT, "Stores float number i of mutableWeight.")


def _of_numbers(name: str, parameters: str, meaning: str) -> Native:
    return Native(name, tuple((word, PortKind.FLOAT) for word in parameters.split()), PortKind.FLOAT, meaning)


OF_NUMBERS = {
    native.name: native
    for native in (
        _of_numbers("exp", "x", "e to the power x."),
        _of_numbers("log", "x", "Natural logarithm."),
        _of_numbers("sqrt", "x", "Square root."),
        _of_numbers("erf", "x", "Error function."),
        _of_numbers("tanh", "x", "Hyperbolic tangent."),
        _of_numbers("sigmoid", "x", "1 / (1 + e^-x)."),
        _of_numbers("pow", "x y", "x to the power y."),
        _of_numbers("elu", "x alpha", "x < 0 ? alpha * (e^x - 1) : x."),
        _of_numbers("gelu", "x", "x * Phi(x)."),
        _of_numbers("gelu_tanh", "x", "x * Phi(x), Phi by the hyperbolic tangent."),
    )
}
"""The functions that look at no memory, by name."""

NATIVES = {native.name: native for native in (WEIGHT, INPUT, OUTPUT)} | OF_NUMBERS
"""All native functions, by name."""
