"""Element kinds and tensor types, shared by Graph, IR, kernels and headers.

Spelling follows Glow's text form: `float<1 x 28 x 28 x 1>`, `index64<3>`.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np


class ElemKind(enum.Enum):
    """Element kind: (Glow's name, NumPy dtype, C type that stores one element)."""

    FLOAT = ("float", np.dtype(np.float32), "float")
    FLOAT16 = ("float16", np.dtype(np.float16), "uint16_t")
    BFLOAT16 = ("bfloat16", np.dtype(ml_dtypes.bfloat16), "uint16_t")
    FLOAT64 = ("float64", np.dtype(np.float64), "double")
    INT8 = ("index8", np.dtype(np.int8), "int8_t")
    UINT8 = ("uindex8", np.dtype(np.uint8), "uint8_t")
    INT16 = ("index16", np.dtype(np.int16), "int16_t")
    UINT16 = ("uindex16", np.dtype(np.uint16), "uint16_t")
    INT32 = ("index32", np.dtype(np.int32), "int32_t")
    UINT32 = ("uindex32", np.dtype(np.uint32), "uint32_t")
    INT64 = ("index64", np.dtype(np.int64), "int64_t")
    UINT64 = ("uindex64", np.dtype(np.uint64), "uint64_t")
    BOOL = ("bool", np.dtype(np.bool_), "uint8_t")

    def __init__(self, glow_name: str, dtype: np.dtype, c_type: str) -> None:
        self.glow_name = glow_name
        self.dtype = dtype
        self.c_type = c_type

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def is_float(self) -> bool:
        return self in (ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.BFLOAT16, ElemKind.FLOAT64)

    @staticmethod
    def of(dtype: np.dtype) -> ElemKind:
        """The kind that stores `dtype`. Raises KeyError when there is none."""
        return _BY_DTYPE[np.dtype(dtype)]


_BY_DTYPE = {kind.dtype: kind for kind in ElemKind}


@dataclass(frozen=True)
class TensorType:
    """Element kind and static shape; `shape == ()` is a scalar (rank 0, one element)."""

    elem: ElemKind
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * self.elem.size

    def with_shape(self, shape: tuple[int, ...]) -> TensorType:
        return TensorType(self.elem, tuple(shape))

    def with_elem(self, elem: ElemKind) -> TensorType:
        return TensorType(elem, self.shape)

    def __str__(self) -> str:
        return f"{self.elem.glow_name}<{' x '.join(map(str, self.shape))}>"


def of_array(array: np.ndarray) -> TensorType:
    """The type of a NumPy array."""
    return TensorType(ElemKind.of(array.dtype), tuple(array.shape))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a tensor without gaps, in elements."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
