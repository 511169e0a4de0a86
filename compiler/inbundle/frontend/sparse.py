"""ONNX's sparse tensors as dense arrays; a bundle holds no others.

The values are those of the elements that are not 0. Their indices stand in ascending order, each a position in the
flattened tensor ([nnz]) or one number per dimension ([nnz, rank]).
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx

from inbundle.errors import CompileError, UnsupportedError
from inbundle.frontend.tensors import array_of, check_size
from inbundle.graph.types import ElemKind, of_array, row_major


def dense_array(tensor: onnx.SparseTensorProto, base_dir: Path | None, max_bytes: int) -> np.ndarray:
    """The tensor with its zeros.

    Args:
        max_bytes: how large it may become, if that is more than eight times what it takes in the model.

    Raises:
        CompileError: values or indices that do not fit the shape or each other.
    """
    values = array_of(tensor.values, base_dir, "the tensor of values")
    indices = array_of(tensor.indices, base_dir, "the tensor of indices")
    shape = tuple(int(size) for size in tensor.dims)
    check_size(shape, ElemKind.of(values.dtype), "the sparse tensor")
    if math.prod(shape) * values.itemsize > max(max_bytes, 8 * (values.nbytes + indices.nbytes)):
        raise UnsupportedError(f"a constant of shape {list(shape)} is larger than {max_bytes >> 20} MiB")
    if values.ndim != 1:
        raise CompileError(f"the values have shape {list(values.shape)}, not one dimension")
    dense = np.zeros(math.prod(shape), values.dtype)
    dense[_positions(indices, values.size, shape)] = values
    return dense.reshape(shape)


def _positions(indices: np.ndarray, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Where the `count` values stand in the flattened tensor."""
    if indices.dtype != np.int64:
        raise CompileError(f"the indices are {of_array(indices)}, not int64")
    if indices.shape == (count,):
        _check_range(indices[:, None], (math.prod(shape),), f"the {math.prod(shape)} elements of shape {list(shape)}")
        positions = indices
    elif indices.shape == (count, len(shape)):
        _check_range(indices, shape, f"the shape {list(shape)}")
        positions = indices @ np.array(row_major(shape), np.int64)
    else:
        raise CompileError(f"indices of shape {list(indices.shape)} for {count} values and rank {len(shape)}")
    if (np.diff(positions) <= 0).any():
        raise CompileError("the indices do not ascend")
    return positions


def _check_range(indices: np.ndarray, shape: tuple[int, ...], what: str) -> None:
    """Every row of `indices` must be an index of `shape`."""
    outside = ((indices < 0) | (indices >= np.array(shape, np.int64))).any(axis=1)
    if outside.any():
        raise CompileError(f"the index {indices[outside][0].tolist()} is outside {what}")
