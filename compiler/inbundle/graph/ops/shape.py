"""Kinds that move or reinterpret data without computing on it.

Every attribute is resolved: axes are non-negative, shapes are numbers, `perm`, `starts`, `steps` and `pads` cover the
full rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant, Value
from inbundle.graph.ops.operands import operand_types
from inbundle.graph.ops.spec import OpSpec, Required, declare
from inbundle.graph.types import ElemKind, TensorType

REDUCTIONS = ("none", "add", "mul", "max", "min")
PAD_MODES = ("constant", "reflect", "edge", "wrap")

Inputs = Sequence[Value | None]
Attributes = dict[str, Any]


def _check_axis(axis: int, type: TensorType) -> None:
    if not 0 <= axis < type.rank:
        raise CompileError(f"axis {axis} is outside the rank of {type}")


def _check_length(name: str, given: Sequence[int], wanted: int, type: TensorType) -> None:
    if len(given) != wanted:
        raise CompileError(f"{name} {list(given)} has {len(given)} entries, {type} needs {wanted}")


def _infer_reshape(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Reshape", inputs, 1)
    shape = attributes["shape"]
    if any(size < 0 for size in shape) or math.prod(shape) != type.elements:
        raise CompileError(f"cannot reshape {type} ({type.elements} elements) to {list(shape)}")
    return [type.with_shape(shape)]


def _infer_transpose(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Transpose", inputs, 1)
    perm = attributes["perm"]
    if sorted(perm) != list(range(type.rank)):
        raise CompileError(f"perm {list(perm)} is no permutation of the axes of {type}")
    return [type.with_shape(tuple(type.shape[axis] for axis in perm))]


def _infer_concat(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    types = operand_types("Concat", inputs, max(len(inputs), 1))
    first, axis = types[0], attributes["axis"]
    _check_axis(axis, first)
    for type in types[1:]:
        _check_concat_pair(first, type, axis)
    shape = list(first.shape)
    shape[axis] = sum(type.shape[axis] for type in types)
    return [first.with_shape(tuple(shape))]


def _check_concat_pair(first: TensorType, other: TensorType, axis: int) -> None:
    if other.elem is not first.elem or other.rank != first.rank:
        raise CompileError(f"{first} and {other} differ in element type or rank")
    for at, (size, other_size) in enumerate(zip(first.shape, other.shape, strict=True)):
        if at != axis and size != other_size:
            raise CompileError(f"{first} and {other} differ in dimension {at}, not only along axis {axis}")


def _infer_slice(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Slice", inputs, 1)
    starts, steps, shape = attributes["starts"], attributes["steps"], attributes["shape"]
    for name, given in (("starts", starts), ("steps", steps), ("shape", shape)):
        _check_length(name, given, type.rank, type)
    for axis, (start, step, size) in enumerate(zip(starts, steps, shape, strict=True)):
        last = start + (size - 1) * step
        inside = 0 <= start < type.shape[axis] and 0 <= last < type.shape[axis]
        if step == 0 or size < 0 or (size > 0 and not inside):
            raise CompileError(f"{size} elements from {start} by {step} leave axis {axis} of {type}")
    return [type.with_shape(shape)]


def _infer_pad(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Pad", inputs, 1)
    pads, mode = attributes["pads"], attributes["mode"]
    if mode not in PAD_MODES:
        raise CompileError(f"mode {mode!r} is none of {', '.join(PAD_MODES)}")
    _check_length("pads", pads, 2 * type.rank, type)
    for axis, size in enumerate(type.shape):
        _check_padded_axis(mode, axis, size, pads[axis], pads[axis + type.rank])
    padded = (size + pads[axis] + pads[axis + type.rank] for axis, size in enumerate(type.shape))
    return [type.with_shape(tuple(padded))]


def _check_padded_axis(mode: str, axis: int, size: int, begin: int, end: int) -> None:
    kept = size + min(begin, 0) + min(end, 0)
    if kept < 0:
        raise CompileError(f"negative pads {begin}, {end} take more than the {size} elements of axis {axis}")
    if mode == "constant" or max(begin, end) <= 0:
        return
    needed = max(begin, end) + 1 if mode == "reflect" else 1
    if kept < needed:
        raise CompileError(f"mode {mode} with pads {begin}, {end} needs {needed} elements, axis {axis} has {kept}")


def _infer_gather(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    data, indices = operand_types("Gather", inputs, 2)
    axis = attributes["axis"]
    _check_axis(axis, data)
    if indices.elem not in (ElemKind.INT32, ElemKind.INT64):
        raise CompileError(f"the indices are {indices}, not int32 or int64")
    size = data.shape[axis]
    if size == 0 and indices.elements > 0:
        raise CompileError(f"axis {axis} of {data} has no element to choose")
    known = inputs[1]
    if isinstance(known, Constant) and known.data.size and not -size <= known.data.min() <= known.data.max() < size:
        raise CompileError(f"an index of '{known.name}' is outside [{-size}, {size - 1}], axis {axis} of {data}")
    return [data.with_shape(data.shape[:axis] + indices.shape + data.shape[axis + 1 :])]


def _infer_scatter(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    data, indices, updates = operand_types("ScatterND", inputs, 3)
    if attributes["reduction"] not in REDUCTIONS:
        raise CompileError(f"reduction {attributes['reduction']!r} is none of {', '.join(REDUCTIONS)}")
    if indices.elem is not ElemKind.INT64 or indices.rank != 2 or indices.shape[1] != 1 or not data.rank:
        raise CompileError(f"the indices are {indices} for data of {data}, not one int64 for each update")
    if updates != data.with_shape((indices.shape[0], *data.shape[1:])):
        raise CompileError(f"the updates are {updates} for {indices.shape[0]} rows of {data}")
    return [data]


def _infer_expand(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Expand", inputs, 1)
    shape = attributes["shape"]
    missing = len(shape) - type.rank
    if missing < 0 or any(old not in (1, new) for old, new in zip(type.shape, shape[missing:], strict=True)):
        raise CompileError(f"cannot expand {type} to {list(shape)}")
    return [type.with_shape(shape)]


def _infer_cast(inputs: Inputs, attributes: Attributes) -> list[TensorType]:
    (type,) = operand_types("Cast", inputs, 1)
    if attributes["to"] not in ElemKind.__members__:
        raise CompileError(f"{attributes['to']!r} is no element kind")
    return [type.with_elem(ElemKind[attributes["to"]])]


declare(
    OpSpec(
        "Reshape",
        "The same elements in row-major order under another `shape` of as many elements.",
        inputs=("data",),
        outputs=("reshaped",),
        infer=_infer_reshape,
        attributes={"shape": Required(())},
    )
)
declare(
    OpSpec(
        "Transpose",
        "Axis i of the result is axis `perm[i]` of the operand.",
        inputs=("data",),
        outputs=("transposed",),
        infer=_infer_transpose,
        attributes={"perm": Required(())},
    )
)
declare(
    OpSpec(
        "Concat",
        "The operands one after the other along `axis`; all other dimensions are equal.",
        inputs=("inputs*",),
        outputs=("concat_result",),
        infer=_infer_concat,
        attributes={"axis": Required(0)},
    )
)
declare(
    OpSpec(
        "Slice",
        "Element i along an axis is element `starts + i * steps` of the operand; a step may be negative.",
        inputs=("data",),
        outputs=("output",),
        infer=_infer_slice,
        attributes={"starts": Required(()), "steps": Required(()), "shape": Required(())},
    )
)
declare(
    OpSpec(
        "Pad",
        "Negative `pads` (first all begins, then all ends) crop, then positive ones add elements by `mode`: the "
        "constant `value`, the mirror image without the border (reflect), the border (edge), the other end (wrap).",
        inputs=("data",),
        outputs=("output",),
        infer=_infer_pad,
        attributes={"pads": Required(()), "mode": "constant", "value": 0.0},
    )
)
declare(
    OpSpec(
        "Gather",
        "Slices of the data along `axis` at int32 or int64 indices of any rank; a negative index counts from the end.",
        inputs=("data", "indices"),
        outputs=("output",),
        infer=_infer_gather,
        attributes={"axis": Required(0)},
    )
)
declare(
    OpSpec(
        "Expand",
        "The operand repeated along axes of size 1 and along new leading axes until it has `shape`.",
        inputs=("input",),
        outputs=("output",),
        infer=_infer_expand,
        attributes={"shape": Required(())},
    )
)
declare(
    OpSpec(
        "Cast",
        "Elements converted to the element kind named `to`: float to integer towards zero, to bool by != 0.",
        inputs=("input",),
        outputs=("output",),
        infer=_infer_cast,
        attributes={"to": Required("")},
    )
)
declare(
    OpSpec(
        "ScatterND",
        "The data with its rows (slices along axis 0) at int64 indices replaced by the updates, or joined with them "
        "by `reduction`. In this normal form an index is a tuple of one.",
        inputs=("data", "indices", "updates"),
        outputs=("output",),
        infer=_infer_scatter,
        attributes={"reduction": "none"},
    )
)
