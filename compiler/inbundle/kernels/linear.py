"""Kernels of matrix products. A unit is one element of Dest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inbundle.graph.types import ElemKind, row_major
from inbundle.ir.stacks import sums_elsewhere
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext, kernel
from inbundle.kernels.elements import (
    Buffer,
    computed_as_double,
    literal,
    saturated,
    stored,
    wide_type,
    widened,
)
from inbundle.kernels.nests import Axis, broadcast_strides, merge, start, times, total


@dataclass(frozen=True)
class Product:
    """A product of matrices, Dest[row, i] = sum over k of left * right.

    Attributes:
        rows: the axes of Dest but the last; strides in the left and in the right array.
        left_step, right_step: elements from k to k + 1.
        column_step: elements of the right array from column i to i + 1.
        begin: what a sum starts with, in the wide type.
        finish: what is stored for `sum`.
    """

    left: Buffer
    right: Buffer
    rows: list[Axis]
    columns: int
    depth: int
    left_step: int
    right_step: int
    column_step: int
    begin: str = "0"
    finish: str = "sum"


def _render(context: KernelContext, product: Product) -> str:
    """By rows where Dest can hold partial sums and a row of the right array is contiguous, else point by point."""
    kind = context.type("Dest").elem
    left_start, right_start = (start("row", product.rows, array) for array in (0, 1))
    right_line = total(right_start, times("k", product.right_step))
    left_index = total("left_start", times("k", product.left_step))
    right_index = total("right_start", times("k", product.right_step))
    result = Result(context)
    by_rows = result.holds_sums and product.columns > 1 and product.column_step == 1
    return templates.render(
        "product_rows.c.j2" if by_rows else "product_points.c.j2",
        dest=result,
        elsewhere=sums_elsewhere(context.instruction),
        left=product.left,
        right=product.right,
        columns=product.columns,
        depth=product.depth,
        wide=wide_type(kind),
        begin=product.begin if not by_rows else stored(kind, product.begin),
        finish=product.finish,
        left_start=left_start or "0",
        right_start=total(right_start, times("i", product.column_step)),
        left_element=product.left.at(total(left_start, times("k", product.left_step))),
        right_line=right_line,
        add_product=_add_product(kind),
        product=f"{widened(kind, product.left.at(left_index))} * {widened(kind, product.right.at(right_index))}",
    )


def _add_product(kind: ElemKind) -> str:
    """The statement that adds a product to Dest's element `out[i]`."""
    product = f"{widened(kind, 'l')} * {widened(kind, 'line[i]')}"
    if kind.is_float:
        return f"out[i] += {product};"
    return f"out[i] = {stored(kind, widened(kind, 'out[i]') + ' + ' + product)};"


@kernel("matmul")
def _matmul(context: KernelContext) -> str:
    dest, lhs, rhs = context.shape("Dest"), context.shape("LHS"), context.shape("RHS")
    left = (*_batch_strides(lhs, dest), lhs[-1])
    right = (*_batch_strides(rhs, dest), 0)
    rows = merge([Axis(*axis) for axis in zip(dest[:-1], zip(left, right, strict=True), strict=True)])
    columns = dest[-1]
    return _render(
        context, Product(context.buffer("LHS"), context.buffer("RHS"), rows, columns, lhs[-1], 1, columns, 1)
    )


def _batch_strides(shape: tuple[int, ...], dest: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of the matrices of a stack, along the dimensions of Dest but the last two."""
    matrix = shape[-2] * shape[-1]
    return tuple(stride * matrix for stride in broadcast_strides(shape[:-2], dest[:-2]))


@kernel("fullyconnected")
def _fullyconnected(context: KernelContext) -> str:
    rows, columns = context.shape("Dest")
    a, b = context.shape("Src"), context.shape("Weights")
    a_strides, b_strides = row_major(a), row_major(b)
    row, left_step = reversed(a_strides) if context.integer("TransA") else a_strides
    right_step, column_step = reversed(b_strides) if context.integer("TransB") else b_strides
    depth = a[0] if context.integer("TransA") else a[1]
    begin, finish = _scaled(context)
    return _render(
        context,
        Product(
            context.buffer("Src"),
            context.buffer("Weights"),
            merge([Axis(rows, (row, 0))]),
            columns,
            depth,
            left_step,
            right_step,
            column_step,
            begin,
            finish,
        ),
    )


def _scaled(context: KernelContext) -> tuple[str, str]:
    """What a sum starts with and what is stored: Alpha * sum + Beta * Bias. With Alpha 1 a sum starts with the bias."""
    kind = context.type("Dest").elem
    alpha, beta = (float(np.float32(context.number(name))) for name in ("Alpha", "Beta"))
    bias = _bias(context)
    if not kind.is_float and (alpha, beta) != (1.0, 1.0):
        return "0", _scaled_integer(kind, alpha, beta, bias)
    scale = ElemKind.FLOAT64 if kind is ElemKind.FLOAT64 else ElemKind.FLOAT
    addend = widened(kind, bias) if beta == 1.0 else f"{literal(scale, beta)} * {bias}"
    if alpha == 1.0:
        return addend if bias else "0", "sum"
    scaled = f"{literal(scale, alpha)} * sum"
    return "0", f"{scaled} + {addend}" if bias else scaled


def _bias(context: KernelContext) -> str:
    """The element of Bias for `row` and `i`, empty without."""
    if not context.has("Bias"):
        return ""
    row, column = broadcast_strides(context.shape("Bias"), context.shape("Dest"))
    return context.buffer("Bias").at(total(times("row", row), times("i", column)))


def _scaled_integer(kind: ElemKind, alpha: float, beta: float, bias: str) -> str:
    """Computed in double and truncated."""
    sum_of_products = computed_as_double(kind, f"({kind.c_type})sum")
    scaled = f"{literal(ElemKind.FLOAT64, alpha)} * {sum_of_products}"
    if bias:
        scaled += f" + {literal(ElemKind.FLOAT64, beta)} * {computed_as_double(kind, bias)}"
    return saturated(kind, f"({scaled})")
