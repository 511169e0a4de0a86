"""Kernels of binary element-wise kinds, which broadcast, and of conversions between element kinds."""

from __future__ import annotations

import re
from collections.abc import Callable

from inbundle.graph.types import ElemKind
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import (
    compute_type,
    computed_as_double,
    is_signed,
    narrowed,
    saturated,
    widened,
)
from inbundle.kernels.nests import Nest, broadcast_strides

# Dest's kind -> value of `l op r` in its compute type, or in its wide type for integers.
Operation = Callable[[ElemKind], str]


def _arithmetic(operator: str) -> Operation:
    return lambda kind: f"{widened(kind, 'l')} {operator} {widened(kind, 'r')}"


def _division(kind: ElemKind) -> str:
    """Integer division by zero gives 0, and the least integer by -1 wraps: neither may trap."""
    if kind.is_float:
        return "l / r"
    if not is_signed(kind):
        return "r == 0 ? 0 : l / r"
    return f"r == 0 ? 0 : r == -1 ? ({compute_type(kind)})(0 - {widened(kind, 'l')}) : l / r"


def _extremum(operator: str) -> Operation:
    """A NaN on the left wins by the second test, one on the right because the first fails."""
    return lambda kind: f"l {operator} r{' || l != l' if kind.is_float else ''} ? l : r"


def _prelu(kind: ElemKind) -> str:
    if kind.is_float:
        return "l < 0 ? l * r : l"
    product = f"({compute_type(kind)})({_arithmetic('*')(kind)})"
    return f"l < 0 ? {product} : l" if is_signed(kind) else "l"


_OPERATIONS: dict[str, Operation] = {
    "add": _arithmetic("+"),
    "sub": _arithmetic("-"),
    "mul": _arithmetic("*"),
    "div": _division,
    "min": _extremum("<"),
    "max": _extremum(">"),
    "prelu": _prelu,
}


def _binary(context: KernelContext, value: str, *statements: str) -> str:
    """The kernel that stores `value`, an expression of the variables l and r, and of what `statements` declare."""
    shape = context.shape("Dest")
    words = re.findall(r"\w+", " ".join([*statements, value]))
    variables = {name: variable for name, variable in (("LHS", "l"), ("RHS", "r")) if variable in words}
    buffers = {name: context.buffer(name) for name in ("Dest", *variables)}
    nest = Nest.over(shape, {b.name: broadcast_strides(context.shape(name), shape) for name, b in buffers.items()})
    lines = [
        f"const {buffers[name].type} {variable} = {buffers[name].at(nest.index(buffers[name].name))};"
        for name, variable in variables.items()
    ]
    store = buffers["Dest"].put(nest.index("dest"), value)
    return templates.render("map.c.j2", nest=nest, lines=[*lines, *statements, "", store])


@kernel(*_OPERATIONS)
def _operation(context: KernelContext) -> str:
    return _binary(context, _OPERATIONS[context.instruction.kind](context.type("Dest").elem))


@kernel("pow")
def _pow(context: KernelContext) -> str:
    base, exponent = context.type("LHS").elem, context.type("RHS").elem
    if not base.is_float and not exponent.is_float:
        return _binary(context, "integer_power((uint64_t)l, (int64_t)r)")
    power = f"math_pow({computed_as_double(base, 'l')}, {computed_as_double(exponent, 'r')})"
    if base.is_float:
        return _binary(context, narrowed(base, power))
    return _binary(context, saturated(base, "power"), f"const double power = {power};")


def _converted(source: ElemKind, dest: ElemKind) -> str:
    """Variable x, of the compute type of `source`, in the compute type of `dest`."""
    if dest is ElemKind.BOOL:
        return "x != 0"
    if not dest.is_float:
        return saturated(dest, "x") if source.is_float else "x"
    if source is ElemKind.FLOAT64 and dest in (ElemKind.FLOAT16, ElemKind.BFLOAT16):
        return "float_odd_of_double(x)"
    return "x" if compute_type(source) == compute_type(dest) else f"({compute_type(dest)})x"


@kernel("convertto")
def _convertto(context: KernelContext) -> str:
    src, dest = context.buffer("Src"), context.buffer("Dest")
    nest = Nest.over((context.type("Dest").elements,), {"dest": (1,), "src": (1,)})
    x_type, x = src.type, src.at(nest.index("src"))
    if src.kind.is_float and not dest.kind.is_float and dest.kind is not ElemKind.BOOL:
        x_type, x = "double", computed_as_double(src.kind, x)
    lines = [f"const {x_type} x = {x};", "", dest.put(nest.index("dest"), _converted(src.kind, dest.kind))]
    return templates.render("map.c.j2", nest=nest, lines=lines)
