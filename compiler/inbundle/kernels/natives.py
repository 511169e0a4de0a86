"""The C of the neuron granularity's native functions, which `nets/natives.py` declares."""

from __future__ import annotations

from inbundle.kernels import templates
from inbundle.kernels.source import kernels_file
from inbundle.nets.natives import INPUT, NATIVES, OUTPUT, WEIGHT, Native
from inbundle.nets.program import NativeFunction, PortKind, Program

_C_TYPES = {PortKind.INT: "inpla_int", PortKind.FLOAT: "float"}

_ON_MEMORY = {
    WEIGHT: ("return ((const float *)(const void *)((const bundle_regions *)user)->constant_weight)[i];",),
    INPUT: ("return ((const float *)(const void *)((const bundle_regions *)user)->mutable_weight)[i];",),
    OUTPUT: (
        "((float *)(void *)((const bundle_regions *)user)->mutable_weight)[i] = value;",
        "return 0;",
    ),
}


def _body(native: Native) -> tuple[str, ...]:
    """The C statements of a native."""
    if native in _ON_MEMORY:
        return _ON_MEMORY[native]
    arguments = ", ".join(f"(double){name}" for name, _ in native.parameters)
    return "(void)user;", f"return (float)math_{native.name}({arguments});"


def _c_function(declared: NativeFunction) -> str:
    native = NATIVES[declared.name]
    assert declared == native.declaration, f"native {declared.name} is declared otherwise in nets/natives.py"
    parameters = ", ".join(f"{_C_TYPES[kind]} {name}" for name, kind in native.parameters)
    return templates.render(
        "native.c.j2", native=native, parameters=parameters, result=_C_TYPES[native.result], body=_body(native)
    )


def generate_natives(program: Program, *, network: str) -> str:
    """The text of NETWORK_kernels.c for a Program of neuron granularity: the natives that it declares."""
    return kernels_file(network, "the functions that the net calls", [_c_function(n) for n in program.natives])
