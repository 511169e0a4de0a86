"""The constant region as bytes and as text."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from inbundle.bundle.weights import constant_region, element_bytes, to_text
from inbundle.graph.types import of_array
from inbundle.ir.function import Function, Mutability, WeightVar
from inbundle.ir.memory import MemoryPlan, Place


def _constant(name: str, data: np.ndarray) -> WeightVar:
    return Function("f").variable(name, of_array(data), Mutability.CONST, data)


def test_constants_lie_at_their_offsets_and_the_image_behind_them() -> None:
    ones = _constant("a", np.ones(3, np.float32))
    bytes_ = _constant("b", np.array([7, 8], np.uint8))
    plan = MemoryPlan(
        {ones: Place("constantWeight", 64, 64), bytes_: Place("constantWeight", 0, 64)}, constant_bytes=128
    )
    region = constant_region(plan, b"image", "little")
    assert len(region) == 192
    assert region[:64] == b"\7\x08" + bytes(62)
    assert region[64:128] == np.ones(3, "<f4").tobytes() + bytes(52)
    assert region[128:] == b"image" + bytes(59)


def test_a_bundle_without_constants_has_its_image_only() -> None:
    assert constant_region(MemoryPlan(), b"x" * 64, "little") == b"x" * 64


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int16, np.float16, ml_dtypes.bfloat16])
def test_elements_in_the_other_byte_order(dtype: type) -> None:
    data = np.array([[1, 2], [3, 4]]).astype(dtype)
    size = data.dtype.itemsize
    swapped = data.view(f"u{size}").byteswap().tobytes()
    assert element_bytes(_constant("a", data), "little") == data.tobytes()
    assert element_bytes(_constant("a", data), "big") == swapped


def test_a_scalar_constant_in_the_other_byte_order() -> None:
    assert element_bytes(_constant("a", np.array(1, np.int32)), "big") == b"\0\0\0\1"


def text_by_the_rule(data: bytes) -> str:
    """Glow's rule, one byte at a time."""
    text = ""
    for count, byte in enumerate(data, start=1):
        text += f" 0X{byte:02X},"
        if count % 20 == 0:
            text += "\n"
    return text + "\n"


@pytest.mark.parametrize("size", [0, 1, 19, 20, 21, 40, 256, 1000])
def test_text_of_weights(size: int) -> None:
    data = bytes(i % 256 for i in range(size))
    assert to_text(data).decode() == text_by_the_rule(data)


def test_text_of_few_bytes() -> None:
    assert to_text(b"") == b"\n"
    assert to_text(b"\x00\xab") == b" 0X00, 0XAB,\n"
    assert to_text(bytes(20)).endswith(b" 0X00,\n\n")
