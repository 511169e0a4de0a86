"""The arithmetic of sliding windows, for Conv and the pools: numbers in, numbers out.

Lists have one entry per spatial dimension; pads hold all begins, then all ends, as in ONNX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.ops.operands import shape_text
from inbundle.graph.types import TensorType

MAX_SPATIAL = 3


def extent(kernel: int, dilation: int) -> int:
    """Elements from the first to the last tap of a window."""
    return (kernel - 1) * dilation + 1


def output_size(
    size: int, kernel: int, stride: int, dilation: int, begin: int, end: int, *, ceil_mode: bool = False
) -> int:
    """Number of windows along one dimension; 0 or less when the window does not fit once.

    With `ceil_mode` the last window may reach beyond the end padding (even the only one), but none starts in it.
    """
    room = size + begin + end - extent(kernel, dilation)
    if not ceil_mode:
        return room // stride + 1
    return min(-(-room // stride) + 1, -(-(size + begin) // stride))


def same_padding(size: int, kernel: int, stride: int, dilation: int, *, upper: bool) -> tuple[int, int]:
    """Begin and end padding of auto_pad SAME_UPPER (odd element at the end) or SAME_LOWER (at the begin).

    The output gets ceil(size / stride) windows; a window is as long as its dilated kernel.
    """
    windows = -(-size // stride)
    total = max(0, (windows - 1) * stride + extent(kernel, dilation) - size)
    small, large = total // 2, total - total // 2
    return (small, large) if upper else (large, small)


def resolve_pads(
    auto_pad: str,
    pads: Sequence[int],
    spatial: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> tuple[int, ...]:
    """The numbers that `auto_pad` stands for; `pads` are those of NOTSET, any other value overrides them.

    Raises:
        CompileError: an unknown `auto_pad`.
    """
    if auto_pad == "NOTSET":
        return tuple(pads)
    if auto_pad == "VALID":
        return (0,) * (2 * len(spatial))
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        raise CompileError(f"auto_pad is {auto_pad!r}", hint="it is NOTSET, SAME_UPPER, SAME_LOWER or VALID")
    upper = auto_pad == "SAME_UPPER"
    pairs = [same_padding(*sizes, upper=upper) for sizes in zip(spatial, kernel, strides, dilations, strict=True)]
    return tuple(begin for begin, _ in pairs) + tuple(end for _, end in pairs)


def spatial_shape(x: TensorType) -> tuple[int, ...]:
    """The dimensions after batch and channel, of which there are 1 to 3."""
    if not 1 <= x.rank - 2 <= MAX_SPATIAL:
        raise CompileError(f"input X is {x}, but N x C and 1 to {MAX_SPATIAL} spatial dimensions are needed")
    return x.shape[2:]


def check_windows(rank: int, attributes: dict[str, Any]) -> None:
    """Window attributes have the right length and values for `rank` spatial dimensions.

    Raises:
        CompileError: naming the attribute.
    """
    for name, length, least in (
        ("kernel_shape", rank, 1),
        ("strides", rank, 1),
        ("dilations", rank, 1),
        ("pads", 2 * rank, 0),
    ):
        values = attributes[name]
        if len(values) != length:
            raise CompileError(f"{name} has {len(values)} numbers, {length} are needed for {rank} spatial dimensions")
        if any(value < least for value in values):
            raise CompileError(f"{name} is {list(values)}, its numbers must be at least {least}")


def windows(spatial: Sequence[int], attributes: dict[str, Any]) -> tuple[int, ...]:
    """The output's spatial shape from the normal form's attributes kernel_shape, strides, dilations, pads, ceil_mode.

    Raises:
        CompileError: attributes of wrong length or value, or a window larger than the padded image.
    """
    rank = len(spatial)
    check_windows(rank, attributes)
    pads, ceil_mode = attributes["pads"], attributes.get("ceil_mode", False)
    rows = zip(
        spatial,
        attributes["kernel_shape"],
        attributes["strides"],
        attributes["dilations"],
        pads[:rank],
        pads[rank:],
        strict=True,
    )
    result = tuple(output_size(*row, ceil_mode=ceil_mode) for row in rows)
    if any(size < 1 for size in result):
        kernel = map(extent, attributes["kernel_shape"], attributes["dilations"])
        raise CompileError(
            f"the window of {shape_text(tuple(kernel))} (dilations counted) is larger than the image of "
            f"{shape_text(spatial)} with pads {list(pads)}"
        )
    return result
