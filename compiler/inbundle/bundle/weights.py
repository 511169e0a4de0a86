"""The weights files: the constant region as bytes, and the same bytes as text for a C initialiser.

The region holds the constants at the plan's offsets, then the net image; gaps and tail are zero.
"""

from __future__ import annotations

import numpy as np

from inbundle.ir.function import WeightVar
from inbundle.ir.memory import MemoryPlan, align

_PER_LINE = 20


def constant_region(plan: MemoryPlan, image: bytes, byte_order: str) -> bytes:
    """The bytes of constantWeight; the image starts at `plan.constant_bytes`.

    Args:
        byte_order: `little` or `big`, the target's.
    """
    region = np.zeros(align(plan.constant_bytes + len(image)), np.uint8)
    for variable, place in plan.places.items():
        if place.region == "constantWeight":
            assert isinstance(variable, WeightVar)
            data = np.frombuffer(element_bytes(variable, byte_order), np.uint8)
            region[place.offset : place.offset + len(data)] = data
    region[plan.constant_bytes : plan.constant_bytes + len(image)] = np.frombuffer(image, np.uint8)
    return region.tobytes()


def element_bytes(variable: WeightVar, byte_order: str) -> bytes:
    """A constant's elements, row-major, in the given byte order."""
    assert variable.data is not None, f"{variable.name} has no data"
    data = variable.data
    if byte_order != "little" and data.dtype.itemsize > 1:
        # Seen as unsigned integers first: bfloat16 knows no byte order.
        return np.ascontiguousarray(data).view(f"u{data.dtype.itemsize}").astype(f">u{data.dtype.itemsize}").tobytes()
    return data.tobytes()


# One row per byte value: ` 0XFF,`.
_TEXT_OF_BYTE = np.array([list(f" 0X{value:02X},".encode()) for value in range(256)], np.uint8)


def to_text(data: bytes) -> bytes:
    """`data` as Glow's weights text: 20 bytes a line, a newline after each 20th byte and one at the end."""
    values = np.frombuffer(data, np.uint8)
    full = len(values) // _PER_LINE
    width = _TEXT_OF_BYTE.shape[1]
    lines = np.full((full, _PER_LINE * width + 1), ord("\n"), np.uint8)
    lines[:, :-1] = _TEXT_OF_BYTE[values[: full * _PER_LINE]].reshape(full, _PER_LINE * width)
    return lines.tobytes() + _TEXT_OF_BYTE[values[full * _PER_LINE :]].tobytes() + b"\n"
