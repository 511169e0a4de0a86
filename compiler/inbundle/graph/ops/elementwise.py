"""Binary element-wise operators with multidirectional broadcasting.

Variadic Min, Max, Sum and Mean do not exist here: they are chains of the binary kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.broadcast import broadcast_shapes, broadcasts_to
from inbundle.graph.ops.operands import FLOATS, NUMBERS, WIDE, required, same_elem
from inbundle.graph.ops.spec import Inference, OpSpec, declare
from inbundle.graph.types import ElemKind, TensorType


def binary(elems: Collection[ElemKind], result: ElemKind | None = None) -> Inference:
    """Two operands of one of `elems`, which broadcast; the result is of `result`, or as they are."""

    def infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
        a, b = required(inputs, 0, "A", elems), required(inputs, 1, "B", elems)
        same_elem(a, "B", b)
        return [TensorType(result or a.elem, broadcast_shapes(a.shape, b.shape))]

    return infer


def _pow(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x = required(inputs, 0, "X", FLOATS | {ElemKind.INT32, ElemKind.INT64})
    y = required(inputs, 1, "Y", NUMBERS)
    return [x.with_shape(broadcast_shapes(x.shape, y.shape))]


def _prelu(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    x, slope = required(inputs, 0, "X", WIDE), required(inputs, 1, "slope", WIDE)
    same_elem(x, "slope", slope)
    if not broadcasts_to(slope.shape, x.shape):
        raise CompileError(
            f"input slope is {slope}, which does not broadcast to X, {x}",
            hint="a slope per channel has the shape C x 1 x 1 for an X of N x C x H x W",
        )
    return [x]


for _kind, _meaning in (
    ("Add", "A + B; integers wrap"),
    ("Sub", "A - B; integers wrap"),
    ("Mul", "A * B; integers wrap"),
    ("Div", "A / B; integers truncate towards zero"),
    ("Min", "smaller of A and B; NaN wins"),
    ("Max", "larger of A and B; NaN wins"),
):
    declare(OpSpec(_kind, f"element by element {_meaning}", ("A", "B"), ("C",), binary(NUMBERS)))
declare(
    OpSpec(
        "Pow",
        "X to the power Y, in X's element kind; an integer X with a float Y is computed in float and converted back",
        ("X", "Y"),
        ("Z",),
        _pow,
    )
)
declare(
    OpSpec("PRelu", "X where X >= 0, else slope * X; slope broadcasts to X", ("X", "slope"), ("Y",), _prelu),
)
declare(
    OpSpec(
        "Mod",
        "remainder of A / B, with the sign of A if `fmod`, else with the sign of B",
        ("A", "B"),
        ("C",),
        binary(NUMBERS),
        {"fmod": False},
    )
)
