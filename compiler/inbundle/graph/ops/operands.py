"""What declarations of kinds of every family share: checks of operands, and ONNX's float attributes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.types import ElemKind, TensorType

FLOATS = frozenset(kind for kind in ElemKind if kind.is_float)
NUMBERS = frozenset(ElemKind) - {ElemKind.BOOL}
UNSIGNED = frozenset({ElemKind.UINT8, ElemKind.UINT16, ElemKind.UINT32, ElemKind.UINT64})
SIGNED = NUMBERS - UNSIGNED
WIDE = FLOATS | {ElemKind.INT32, ElemKind.INT64, ElemKind.UINT32, ElemKind.UINT64}
"""What ONNX lets Gemm, MatMul and PRelu compute in."""


def float32(number: float) -> float:
    """`number` as ONNX's 32-bit float attributes hold it."""
    return float(np.float32(number))


def operand_types(kind: str, inputs: Sequence[Value | None], count: int) -> list[TensorType]:
    """The types of exactly `count` operands, all present. Raises CompileError otherwise."""
    types = [value.type for value in inputs if value is not None]
    if len(inputs) != count or len(types) != count:
        raise CompileError(f"{kind} takes {count} operand{'s' if count > 1 else ''}, not {len(types)}")
    return types


def given(inputs: Sequence[Value | None], index: int) -> TensorType | None:
    """The type of operand `index`, None when it is absent."""
    value = inputs[index] if index < len(inputs) else None
    return value.type if value is not None else None


def required(inputs: Sequence[Value | None], index: int, name: str, elems: Collection[ElemKind]) -> TensorType:
    """The type of operand `index`, which must be there and hold one of `elems`."""
    type = given(inputs, index)
    if type is None:
        raise CompileError(f"input {name} is missing")
    return of_kind(type, name, elems)


def of_kind(type: TensorType, name: str, elems: Collection[ElemKind]) -> TensorType:
    """`type`, which must hold one of `elems`."""
    if type.elem not in elems:
        known = ", ".join(kind.glow_name for kind in ElemKind if kind in elems)
        raise CompileError(f"input {name} is {type}, its elements must be one of {known}")
    return type


def same_elem(first: TensorType, name: str, type: TensorType) -> None:
    """Operand `name` must hold what the first operand holds."""
    if type.elem is not first.elem:
        raise CompileError(f"input {name} is {type}, but the first input is {first}: element kinds must agree")


def shape_text(shape: Sequence[int]) -> str:
    """A shape as messages spell it: `2 x 3`, `scalar`."""
    return " x ".join(map(str, shape)) or "scalar"
