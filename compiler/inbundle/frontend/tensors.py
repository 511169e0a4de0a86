"""ONNX tensors and element types as NumPy arrays and element kinds, with the limits a bundle can have.

Tensors that ONNX knows but a bundle does not hold (strings, complex and 4- or 8-bit floats) are refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from inbundle.errors import CompileError, UnsupportedError
from inbundle.frontend.external_data import external_bytes
from inbundle.graph.types import ElemKind

MAX_ELEMENTS = 2**31
MAX_BYTES = 16 * 2**30

_KINDS: dict[int, ElemKind] = {
    TensorProto.FLOAT: ElemKind.FLOAT,
    TensorProto.FLOAT16: ElemKind.FLOAT16,
    TensorProto.BFLOAT16: ElemKind.BFLOAT16,
    TensorProto.DOUBLE: ElemKind.FLOAT64,
    TensorProto.INT8: ElemKind.INT8,
    TensorProto.UINT8: ElemKind.UINT8,
    TensorProto.INT16: ElemKind.INT16,
    TensorProto.UINT16: ElemKind.UINT16,
    TensorProto.INT32: ElemKind.INT32,
    TensorProto.UINT32: ElemKind.UINT32,
    TensorProto.INT64: ElemKind.INT64,
    TensorProto.UINT64: ElemKind.UINT64,
    TensorProto.BOOL: ElemKind.BOOL,
}

# The field of TensorProto that holds the numbers of a kind when they are not raw.
_FIELDS = {
    ElemKind.FLOAT: "float_data",
    ElemKind.FLOAT64: "double_data",
    ElemKind.INT64: "int64_data",
    ElemKind.UINT32: "uint64_data",
    ElemKind.UINT64: "uint64_data",
}


def elem_kind(data_type: int, what: str) -> ElemKind:
    """The kind of ONNX's `data_type`; `what` names the tensor in the error ("tensor 'x'")."""
    if data_type in _KINDS:
        return _KINDS[data_type]
    if data_type == TensorProto.UNDEFINED or data_type not in TensorProto.DataType.values():
        raise CompileError(f"{what} has no valid element type ({data_type})")
    raise UnsupportedError(f"{what} has element type {type_name(data_type)}, which is not supported")


def type_name(data_type: int) -> str:
    """ONNX's name of an element type in lower case; its number where it has no name."""
    names: dict[int, str] = {number: name.lower() for name, number in TensorProto.DataType.items()}
    return names.get(data_type, str(data_type))


def check_size(shape: Sequence[int], kind: ElemKind, what: str) -> None:
    """Refuse a shape with a negative dimension, or beyond what any target could hold."""
    if any(size < 0 for size in shape):
        raise CompileError(f"{what} has the negative dimension {min(shape)} in its shape {list(shape)}")
    elements = math.prod(shape)
    if elements > MAX_ELEMENTS or elements * kind.size > MAX_BYTES:
        raise CompileError(
            f"{what} of shape {list(shape)} has {elements} elements; at most {MAX_ELEMENTS} are possible"
        )


def array_of(tensor: onnx.TensorProto, base_dir: Path | None, what: str) -> np.ndarray:
    """The elements of `tensor`.

    Args:
        base_dir: folder of the model file, in which external data lies; None when there is none.
        what: names the tensor in errors, for example "initializer 'w'".

    Raises:
        CompileError: unsupported element type, data that does not fit the shape, missing or escaping external data.
    """
    kind = elem_kind(tensor.data_type, what)
    shape = tuple(int(size) for size in tensor.dims)
    check_size(shape, kind, what)
    if tensor.data_location == TensorProto.EXTERNAL:
        return _from_bytes(external_bytes(tensor, base_dir, what), kind, shape, what)
    if tensor.HasField("raw_data"):
        return _from_bytes(tensor.raw_data, kind, shape, what)
    field = _FIELDS.get(kind, "int32_data")
    _check_count(len(getattr(tensor, field)), math.prod(shape), f"numbers in {field}", shape, what)
    return np.asarray(numpy_helper.to_array(tensor)).astype(kind.dtype, copy=False)


def _from_bytes(raw: bytes, kind: ElemKind, shape: tuple[int, ...], what: str) -> np.ndarray:
    """`raw` holds the elements in little-endian order, as ONNX prescribes."""
    _check_count(len(raw), math.prod(shape) * kind.size, "bytes of data", shape, what)
    order = kind.dtype if kind is ElemKind.BFLOAT16 else kind.dtype.newbyteorder("<")
    return np.frombuffer(raw, order).astype(kind.dtype).reshape(shape)


def _check_count(given: int, needed: int, unit: str, shape: tuple[int, ...], what: str) -> None:
    if given != needed:
        raise CompileError(f"{what} of shape {list(shape)} needs {needed} {unit}, but has {given}")
