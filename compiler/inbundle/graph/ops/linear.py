"""Matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.broadcast import broadcast_shapes, broadcasts_to
from inbundle.graph.ops.operands import WIDE, given, required, same_elem, shape_text
from inbundle.graph.ops.spec import OpSpec, declare
from inbundle.graph.types import TensorType


def _matrix(type: TensorType, name: str, transposed: bool) -> tuple[int, int]:
    if type.rank != 2:
        raise CompileError(f"input {name} is {type}, a matrix is needed")
    rows, columns = type.shape
    return (columns, rows) if transposed else (rows, columns)


def _gemm(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    a, b = required(inputs, 0, "A", WIDE), required(inputs, 1, "B", WIDE)
    same_elem(a, "B", b)
    rows, inner = _matrix(a, "A", attributes["transA"])
    inner_b, columns = _matrix(b, "B", attributes["transB"])
    if inner != inner_b:
        raise CompileError(
            f"A of {shape_text(a.shape)} and B of {shape_text(b.shape)} do not multiply "
            f"(transA {attributes['transA']:d}, transB {attributes['transB']:d})"
        )
    c = given(inputs, 2)
    if c is not None:
        same_elem(a, "C", c)
        if not broadcasts_to(c.shape, (rows, columns)):
            raise CompileError(f"input C is {c}, which does not broadcast to {rows} x {columns}")
    return [a.with_shape((rows, columns))]


def _matmul(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    a, b = required(inputs, 0, "A", WIDE), required(inputs, 1, "B", WIDE)
    same_elem(a, "B", b)
    if not a.rank or not b.rank:
        raise CompileError(f"inputs are {a} and {b}, a scalar has no matrix product")
    # A vector is a row on the left and a column on the right; the dimension it lends leaves the result again.
    left = a.shape if a.rank > 1 else (1, *a.shape)
    right = b.shape if b.rank > 1 else (*b.shape, 1)
    if left[-1] != right[-2]:
        raise CompileError(f"A of {shape_text(a.shape)} and B of {shape_text(b.shape)} do not multiply")
    batch = broadcast_shapes(left[:-2], right[:-2])
    rows = left[-2:-1] if a.rank > 1 else ()
    columns = right[-1:] if b.rank > 1 else ()
    return [a.with_shape((*batch, *rows, *columns))]


declare(
    OpSpec(
        "Gemm",
        "alpha * A * B + beta * C for matrices A and B (transposed if asked for); C broadcasts to the result",
        ("A", "B", "C?"),
        ("Y",),
        _gemm,
        {"alpha": 1.0, "beta": 1.0, "transA": False, "transB": False},
    )
)
declare(
    OpSpec(
        "MatMul",
        "NumPy's matmul: products of the last two dimensions, the others broadcast; vectors allowed",
        ("A", "B"),
        ("Y",),
        _matmul,
    )
)
