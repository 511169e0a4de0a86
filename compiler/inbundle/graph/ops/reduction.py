"""Kinds that reduce along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.ops.operands import operand_types
from inbundle.graph.ops.spec import Inference, OpSpec, Required, declare
from inbundle.graph.types import ElemKind, TensorType


def reduced_shape(shape: tuple[int, ...], axes: Sequence[int], keepdims: bool) -> tuple[int, ...]:
    """The shape that is left of `shape` when `axes` are reduced."""
    if keepdims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def _operand(kind: str, inputs: Sequence[Value | None], takes_bool: bool) -> TensorType:
    (type,) = operand_types(kind, inputs, 1)
    if type.elem is ElemKind.BOOL and not takes_bool:
        raise CompileError(f"{kind} of {type} is not defined: the operand must be a number")
    return type


def _check_axes(axes: Sequence[int], type: TensorType) -> None:
    if any(not 0 <= axis < type.rank for axis in axes) or list(axes) != sorted(set(axes)):
        raise CompileError(f"axes {list(axes)} do not fit {type}; they must ascend within its rank")


def _check_not_empty(kind: str, axes: Sequence[int], type: TensorType) -> None:
    if any(type.shape[axis] == 0 for axis in axes):
        raise CompileError(f"{kind} of {type} along axes {list(axes)} is undefined: there is no element")


def _infer_reduce(kind: str) -> Inference:
    def infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
        type = _operand(kind, inputs, takes_bool=kind in ("ReduceMax", "ReduceMin"))
        _check_axes(attributes["axes"], type)
        if kind == "ReduceMean":
            _check_not_empty(kind, attributes["axes"], type)
        return [type.with_shape(reduced_shape(type.shape, attributes["axes"], attributes["keepdims"]))]

    return infer


def _infer_arg(kind: str) -> Inference:
    def infer(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
        type = _operand(kind, inputs, takes_bool=False)
        axes = (attributes["axis"],)
        _check_axes(axes, type)
        _check_not_empty(kind, axes, type)
        return [TensorType(ElemKind.INT64, reduced_shape(type.shape, axes, attributes["keepdims"]))]

    return infer


for _kind, _meaning in (
    ("ReduceSum", "Sum along `axes`; 0 of no elements."),
    ("ReduceProd", "Product along `axes`; 1 of no elements."),
    ("ReduceMean", "Arithmetic mean along `axes`; integers are divided towards zero."),
    ("ReduceMax", "Largest element along `axes`; of no elements the smallest value of the type, -inf for floats."),
    ("ReduceMin", "Smallest element along `axes`; of no elements the largest value of the type, inf for floats."),
):
    declare(
        OpSpec(
            _kind,
            f"{_meaning} A reduced axis stays with size 1 if `keepdims`.",
            inputs=("data",),
            outputs=("reduced",),
            infer=_infer_reduce(_kind),
            attributes={"axes": Required(()), "keepdims": True},
        )
    )

for _kind, _which in (("ArgMax", "largest"), ("ArgMin", "smallest")):
    declare(
        OpSpec(
            _kind,
            f"Index (int64) of the {_which} element along `axis`: the first one, or the last if `select_last_index`.",
            inputs=("data",),
            outputs=("reduced",),
            infer=_infer_arg(_kind),
            attributes={"axis": Required(0), "keepdims": True, "select_last_index": False},
        )
    )


def _infer_cumulated(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    type = _operand("CumSum", inputs, takes_bool=False)
    _check_axes((attributes["axis"],), type)
    return [type]


declare(
    OpSpec(
        "CumSum",
        "Sum along `axis` up to each element, or before it if `exclusive`; from the end if `reverse`.",
        inputs=("x",),
        outputs=("y",),
        infer=_infer_cumulated,
        attributes={"axis": Required(0), "exclusive": False, "reverse": False},
    )
)


def _infer_top(inputs: Sequence[Value | None], attributes: dict[str, Any]) -> list[TensorType]:
    type, axis, k = _operand("TopK", inputs, takes_bool=False), attributes["axis"], attributes["k"]
    _check_axes((axis,), type)
    if not 0 <= k <= type.shape[axis]:
        raise CompileError(f"{k} elements are wanted of {type.shape[axis]} along axis {axis} of {type}")
    values = type.with_shape((*type.shape[:axis], k, *type.shape[axis + 1 :]))
    return [values, values.with_elem(ElemKind.INT64)]


declare(
    OpSpec(
        "TopK",
        "The `k` largest (or smallest) elements along `axis`, sorted, and their indices; of equal ones the lower index "
        "comes first.",
        inputs=("X",),
        outputs=("Values", "Indices"),
        infer=_infer_top,
        attributes={"axis": Required(0), "k": Required(0), "largest": True},
    )
)
