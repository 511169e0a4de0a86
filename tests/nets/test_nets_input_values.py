"""Files of input values that become literals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Mutability, WeightVar
from inbundle.nets.input_values import read_input_values


def inputs(*names: str) -> list[WeightVar]:
    function = Function("f")
    return [function.variable(name, TensorType(ElemKind.FLOAT, (2, 3)), Mutability.MUTABLE) for name in names]


VALUES = np.arange(6).reshape(2, 3) / 4


def test_every_form_of_file(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", VALUES)
    np.savez(tmp_path / "two.npz", x=VALUES, y=np.arange(6, dtype=np.uint8))
    np.concatenate([VALUES.ravel(), VALUES.ravel()]).astype("<f4").tofile(tmp_path / "raw")
    assert read_input_values(tmp_path / "one.npy", inputs("x"))["x"].tolist() == VALUES.tolist()
    assert read_input_values(tmp_path / "two.npz", inputs("x", "y"))["y"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert read_input_values(tmp_path / "raw", inputs("x", "y"))["y"].tolist() == VALUES.tolist()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (VALUES + 1j, "complex128, not real numbers"),
        (np.full((2, 3), "1"), "<U1, not real numbers"),
        (np.full((2, 3), 1e300), "too large for float32"),
        (np.zeros(5), "5 values"),
        (np.full((2, 3), np.nan), "a value for the input 'x' is NaN, which has no literal"),
    ],
)
def test_values_that_float32_cannot_hold(tmp_path: Path, values: np.ndarray, message: str) -> None:
    np.save(tmp_path / "v.npy", values)
    with pytest.raises(CompileError, match=f"{message}.*") as caught:
        read_input_values(tmp_path / "v.npy", inputs("x"))
    assert str(tmp_path / "v.npy") in str(caught.value)


def test_infinity_is_a_value(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.full((2, 3), np.inf))
    assert np.isinf(read_input_values(tmp_path / "v.npy", inputs("x"))["x"]).all()
