"""Native functions of the neuron granularity: what attribute expressions of a script may call.

The table is the contract with `nets/neuron`: a Program may declare these names and no others. The functions on numbers
are those that the tile kernels use, so both granularities compute the same values.
"""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.kernels import templates
from inbundle.kernels.source import kernels_file
from inbundle.nets.program import NativeFunction, PortKind, Program

_C_TYPES = {PortKind.INT: "inpla_int", PortKind.FLOAT: "float"}


@dataclass(frozen=True)
class Native:
    """A native function. `parameters` are names with their kinds, `body` the C statements of the function."""

    meaning: str
    parameters: tuple[tuple[str, PortKind], ...]
    result: PortKind
    body: tuple[str, ...]

    def declaration(self, name: str) -> NativeFunction:
        """How a Program declares it."""
        return NativeFunction(name, tuple(kind for _, kind in self.parameters), self.result)


def _of_numbers(meaning: str, parameters: str, expression: str) -> Native:
    """A function of float numbers that looks at no memory."""
    ports = tuple((name, PortKind.FLOAT) for name in parameters.split())
    return Native(meaning, ports, PortKind.FLOAT, ("(void)user;", f"return (float){expression};"))


_INDEX = ("i", PortKind.INT)

NATIVES: dict[str, Native] = {
    "weight": Native(
        "Float number i of constantWeight.",
        (_INDEX,),
        PortKind.FLOAT,
        ("return ((const float *)(const void *)((const bundle_regions *)user)->constant_weight)[i];",),
    ),
    "input": Native(
        "Float number i of mutableWeight.",
        (_INDEX,),
        PortKind.FLOAT,
        ("return ((const float *)(const void *)((const bundle_regions *)user)->mutable_weight)[i];",),
    ),
    "output": Native(
        "Stores float number i of mutableWeight.",
        (_INDEX, ("value", PortKind.FLOAT)),
        PortKind.INT,
        ("((float *)(void *)((const bundle_regions *)user)->mutable_weight)[i] = value;", "return 0;"),
    ),
    "exp": _of_numbers("e to the power x.", "x", "math_exp((double)x)"),
    "log": _of_numbers("Natural logarithm.", "x", "math_log((double)x)"),
    "sqrt": _of_numbers("Square root.", "x", "math_sqrt((double)x)"),
    "erf": _of_numbers("Error function.", "x", "math_erf((double)x)"),
    "tanh": _of_numbers("Hyperbolic tangent.", "x", "math_tanh((double)x)"),
    "sigmoid": _of_numbers("1 / (1 + e^-x).", "x", "math_sigmoid((double)x)"),
    "pow": _of_numbers("x to the power y.", "x y", "math_pow((double)x, (double)y)"),
    "elu": _of_numbers("x < 0 ? alpha * (e^x - 1) : x.", "x alpha", "math_elu((double)x, (double)alpha)"),
    "gelu": _of_numbers("x * Phi(x).", "x", "math_gelu((double)x)"),
    "gelu_tanh": _of_numbers("x * Phi(x), Phi by the hyperbolic tangent.", "x", "math_gelu_tanh((double)x)"),
}


def _c_function(declared: NativeFunction) -> str:
    native = NATIVES[declared.name]
    assert declared == native.declaration(declared.name), f"native {declared.name} is declared otherwise in NATIVES"
    parameters = ", ".join(f"{_C_TYPES[kind]} {name}" for name, kind in native.parameters)
    return templates.render(
        "native.c.j2", name=declared.name, native=native, parameters=parameters, result=_C_TYPES[native.result]
    )


def generate_natives(program: Program, *, network: str) -> str:
    """The text of NETWORK_kernels.c for a Program of neuron granularity: the natives that it declares."""
    return kernels_file(network, "the functions that the net calls", [_c_function(n) for n in program.natives])
