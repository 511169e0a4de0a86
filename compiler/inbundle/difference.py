"""How far a tensor is from what it should be, and random tensors to try: for checks against a reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inbundle.errors import CompileError

# A difference up to this fraction of the largest value, or of 1 where that is larger, is rounding.
_TOLERANCE = 1e-4
# Four units in the last place of the number formats whose own rounding is coarser.
_COARSE = {"float16": 4 * 2.0**-10, "bfloat16": 4 * 2.0**-7}


def random_array(dtype: np.dtype, shape: Sequence[int], generator: np.random.Generator) -> np.ndarray:
    """Floats from -1 to 1; integers and booleans are 0 or 1, so that they are valid as indices, too."""
    if dtype.kind in "iub":
        return generator.integers(0, 2, shape).astype(dtype)
    return generator.uniform(-1, 1, shape).astype(dtype)


class Difference:
    """The largest difference in a tensor: infinite where only one side is a number, negative without elements.

    Attributes:
        magnitude: the largest finite absolute value of the reference.
        allowed: the largest difference that is rounding.
    """

    def __init__(
        self,
        value: float = -1.0,
        index: tuple[int, ...] = (),
        magnitude: float = 0.0,
        tolerance: float = _TOLERANCE,
    ) -> None:
        self.value = value
        self.index = index
        self.magnitude = magnitude
        self.allowed = tolerance * max(1.0, magnitude)

    @property
    def excess(self) -> float:
        """The difference in units of what is allowed."""
        return self.value / self.allowed

    @property
    def is_failure(self) -> bool:
        return self.value > self.allowed

    def __str__(self) -> str:
        if self.value < 0:
            return "no elements"
        place = f" at {list(self.index)}" if self.value else ""
        return f"largest difference {self.value:.3g}{place}, largest value {self.magnitude:.3g}"


def difference(actual: np.ndarray, expected: np.ndarray, name: str) -> Difference:
    """The largest absolute difference of two tensors of equal shape; equal infinities and two NaN do not differ."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        shapes = f"{actual.dtype}{list(actual.shape)}, not {expected.dtype}{list(expected.shape)}"
        raise CompileError(f"output '{name}' is {shapes} as in the reference")
    if actual.size == 0:
        return Difference()
    left, right = (array.astype(np.float64) for array in (actual, expected))
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(left - right))
    apart[np.isnan(apart)] = np.inf
    index = np.unravel_index(int(np.argmax(apart)), apart.shape)
    finite = np.abs(right[np.isfinite(right)])
    magnitude, tolerance = float(finite.max(initial=0.0)), _COARSE.get(expected.dtype.name, _TOLERANCE)
    return Difference(float(apart[index]), tuple(map(int, index)), magnitude, tolerance)
