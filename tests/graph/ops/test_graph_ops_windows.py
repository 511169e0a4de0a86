"""Window arithmetic on numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbundle.errors import CompileError
from inbundle.graph.ops.windows import extent, output_size, resolve_pads, same_padding

SIZES = st.integers(1, 12)
SMALL = st.integers(1, 4)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "begin", "end", "ceil_mode", "windows"),
    [
        (28, 5, 1, 1, 0, 0, False, 24),
        (24, 2, 2, 1, 0, 0, False, 12),
        (5, 2, 2, 1, 0, 0, False, 2),
        (5, 2, 2, 1, 0, 0, True, 3),
        (4, 3, 2, 1, 0, 1, True, 2),
        (7, 3, 2, 2, 1, 0, False, 2),
        (7, 3, 2, 2, 1, 0, True, 3),
        # The windows at 4 and 6 would start in the end padding of 1 + 2 elements.
        (2, 2, 2, 1, 1, 4, True, 2),
        (2, 2, 2, 1, 1, 4, False, 3),
        (2, 3, 1, 1, 0, 0, False, 0),
        (2, 4, 3, 1, 0, 0, True, 1),
        (2, 5, 3, 1, 0, 0, True, 0),
    ],
)
def test_output_size(
    size: int, kernel: int, stride: int, dilation: int, begin: int, end: int, ceil_mode: bool, windows: int
) -> None:
    assert output_size(size, kernel, stride, dilation, begin, end, ceil_mode=ceil_mode) == windows


def _starts(size: int, kernel: int, stride: int, dilation: int, begin: int, end: int, ceil_mode: bool) -> list[int]:
    """Where windows start, one by one."""
    total = begin + size + end
    reach = total + (stride - 1 if ceil_mode else 0)
    starts = [start for start in range(0, reach, stride) if start + extent(kernel, dilation) <= reach]
    return [start for start in starts if not ceil_mode or start < begin + size]


@given(SIZES, SMALL, SMALL, SMALL, st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_output_size_counts_windows(
    size: int, kernel: int, stride: int, dilation: int, begin: int, end: int, ceil_mode: bool
) -> None:
    starts = _starts(size, kernel, stride, dilation, begin, end, ceil_mode)
    assert max(0, output_size(size, kernel, stride, dilation, begin, end, ceil_mode=ceil_mode)) == len(starts)


@given(SIZES, SMALL, SMALL, SMALL)
def test_same_padding_gives_ceil_of_size_by_stride(size: int, kernel: int, stride: int, dilation: int) -> None:
    begin, end = same_padding(size, kernel, stride, dilation, upper=True)
    assert output_size(size, kernel, stride, dilation, begin, end) == math.ceil(size / stride)
    assert end - begin in (0, 1)
    assert same_padding(size, kernel, stride, dilation, upper=False) == (end, begin)


def test_same_padding_counts_the_dilated_kernel() -> None:
    assert same_padding(3, 2, 1, 2, upper=True) == (1, 1)


def test_pads_of_auto_pad() -> None:
    arguments = ((5, 6), (2, 3), (1, 2), (1, 1))
    assert resolve_pads("NOTSET", (1, 2, 3, 4), *arguments) == (1, 2, 3, 4)
    assert resolve_pads("VALID", (1, 2, 3, 4), *arguments) == (0, 0, 0, 0)
    assert resolve_pads("SAME_UPPER", (0, 0, 0, 0), *arguments) == (0, 0, 1, 1)
    assert resolve_pads("SAME_LOWER", (0, 0, 0, 0), *arguments) == (1, 1, 0, 0)


def test_unknown_auto_pad() -> None:
    with pytest.raises(CompileError, match=r"auto_pad is 'SAME'.*SAME_UPPER"):
        resolve_pads("SAME", (0, 0), (5,), (2,), (1,), (1,))
