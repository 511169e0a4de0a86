"""Which elements of variables and buffers have been written so far: what the verifier keeps account of.

A buffer may be written piece by piece, through views and by `inserttensor`, and read before it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inbundle.ir.function import IRValue, storage


class Coverage:
    """Per variable or buffer one flag per element, or one for all of them once it was written as a whole."""

    def __init__(self) -> None:
        self._whole: set[IRValue] = set()
        self._flags: dict[IRValue, np.ndarray] = {}

    def write(self, value: IRValue) -> None:
        """All elements of `value` are written."""
        base, _ = storage(value)
        if value.type.elements == base.type.elements:
            self._whole.add(base)
        elif base not in self._whole:
            self._of(value)[...] = True

    def write_box(self, value: IRValue, offsets: Sequence[int], shape: Sequence[int]) -> None:
        """The elements of `value` from index `offsets` on are written, as many along each dimension as `shape` says."""
        if storage(value)[0] not in self._whole:
            box = tuple(slice(start, start + size) for start, size in zip(offsets, shape, strict=True))
            self._of(value).reshape(value.type.shape)[box] = True

    def covers(self, value: IRValue) -> bool:
        """Whether every element of `value` is written."""
        return storage(value)[0] in self._whole or bool(self._of(value).all())

    def _of(self, value: IRValue) -> np.ndarray:
        """The flags of a value, in row-major order."""
        base, start = storage(value)
        flags = self._flags.setdefault(base, np.zeros(base.type.elements, np.bool_))
        first = start // value.type.elem.size
        return flags[first : first + value.type.elements]
