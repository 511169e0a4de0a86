"""Units and work of the instructions that vector kernels run: how they can be cut, and how much there is to do."""

from __future__ import annotations

import math
from collections.abc import Callable

from inbundle.ir.function import Instruction
from inbundle.ir.panels import PANEL, panels
from inbundle.ir.pooling import parts
from inbundle.ir.winograd import blocks, floats_per_tile, tile_step

# Rows of a product, or pixels of a 1 x 1 convolution, in a unit.
ROW_BLOCK = 12
# Floats of image rows, with their pads, that a convolution may keep on the stack.
MOST_LINES = 8192

Count = Callable[[Instruction], int]


def _rows(instruction: Instruction) -> int:
    """Of the result, which is pooled where a convolution pools its image."""
    images, height, _, _ = parts(instruction)[-1].computed.type.shape
    return images * height


def is_pointwise(convolution: Instruction) -> bool:
    """Whether a channels-last convolution looks at one pixel at a time, and at all of them."""
    attributes = convolution.attributes
    plain = (attributes["Kernels"], attributes["Strides"], attributes["Pads"]) == ((1, 1), (1, 1), (0, 0, 0, 0))
    return plain and convolution["Src"].type.shape[1:3] == convolution.computed.type.shape[1:3]


def _convolution(instruction: Instruction) -> int:
    """Output rows, or blocks of pixels."""
    if is_pointwise(instruction):
        return -(-math.prod(instruction.computed.type.shape[:3]) // ROW_BLOCK)
    return _rows(instruction)


def _product(instruction: Instruction) -> int:
    """Panels of columns where there is one row, else blocks of rows."""
    rows, columns = instruction.computed.type.shape
    return -(-rows // ROW_BLOCK) if rows > 1 else panels(columns)


def winograd_points(winograd: Instruction) -> int:
    """Points along each side of a tile, as many as its filters are transformed to."""
    return math.isqrt(winograd["Filter"].type.shape[0])


def winograd_step(winograd: Instruction) -> int:
    """Output pixels of a tile along each side."""
    return tile_step(winograd.integers("Kernels")[0], winograd_points(winograd))


def _winograd(winograd: Instruction) -> int:
    """Tiles of the image."""
    images, height, width, _ = winograd.computed.type.shape
    step = winograd_step(winograd)
    return images * -(-height // step) * -(-width // step)


def winograd_rows(winograd: Instruction, first: int, last: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The rows of Src and of the result, counted over all images, that lie in units `first` to `last` of a Winograd
    convolution: first row and end."""
    _, height, width, _ = winograd.computed.type.shape
    source, pad, step = winograd["Src"].type.shape[1], winograd.integers("Pads")[0], winograd_step(winograd)
    down, across = -(-height // step), -(-width // step)
    top, bottom = first // across, (last - 1) // across
    y, end = top % down * step, bottom % down * step
    image, last_image = top // down, bottom // down
    read = image * source + max(0, y - pad), last_image * source + min(source, end - pad + winograd_points(winograd))
    return read, (image * height + y, last_image * height + min(height, end + step))


def _winograd_sizes(winograd: Instruction) -> tuple[int, int, int]:
    """Points, and channels of the input and of the output."""
    return winograd_points(winograd), winograd["Src"].type.shape[-1], winograd.computed.type.shape[-1]


def has_whole_panels(convolution: Instruction) -> bool:
    """Whether channels-last Dest can be cut between panels of channels: no vector lies in two, and none overlaps
    another."""
    return convolution.computed.type.shape[-1] % PANEL == 0


def winograd_widths(winograd: Instruction, parts: int) -> list[int]:
    """The numbers of channels, filled up to whole panels, that the largest and the smallest of so many parts of the
    filters have; one if all are alike."""
    count = panels(_winograd_sizes(winograd)[2])
    return [PANEL * width for width in dict.fromkeys((-(-count // parts), count // parts))]


def winograd_floats(winograd: Instruction, parts: int) -> int:
    """Floats that a tile of the image keeps while it is computed, by a worker that has one of so many parts of the
    filters."""
    points, depth, _ = _winograd_sizes(winograd)
    return floats_per_tile(points, depth, winograd_widths(winograd, parts)[0])


def winograd_blocks(winograd: Instruction, image_parts: int, parts: int) -> list[int]:
    """How many tiles of the image may be computed together when an instruction is cut into parts of the image and of
    the filters, the fastest number first."""
    points, depth, _ = _winograd_sizes(winograd)
    return blocks(-(-_winograd(winograd) // image_parts), points, depth, winograd_widths(winograd, parts)[0])


def winograd_block(winograd: Instruction, parts: int) -> int:
    """How many tiles of the image are computed together: as many as the scratch holds."""
    return winograd["Scratch"].type.shape[1] // winograd_floats(winograd, parts)


VECTOR_UNITS: dict[str, Count] = {
    "nhwcconvolution": _convolution,
    "nhwcgrouped": _rows,
    "planarconvolution": _rows,
    "nhwcwinograd": _winograd,
    "nhwcdepthwise": _rows,
    "nhwcmaxpool": _rows,
    "nhwcavgpool": _rows,
    "packedproduct": _product,
}
"""Instruction kind -> pieces of its outermost loop."""


def winograd_transforms(winograd: Instruction) -> tuple[int, int]:
    """Elements of transformed inputs, and those of products that are transformed back."""
    points, depth, channels = _winograd_sizes(winograd)
    each = _winograd(winograd) * points**2
    return each * depth, each * channels


def _of_taps(instruction: Instruction) -> int:
    return instruction.computed.type.elements * math.prod(instruction.integers("Kernels"))


def _of_a_group(instruction: Instruction) -> int:
    return _of_all_channels(instruction) // instruction.integer("Group")


def _of_all_channels(instruction: Instruction) -> int:
    return _of_taps(instruction) * instruction["Src"].type.shape[-1]


def _of_products(winograd: Instruction) -> int:
    points, depth, channels = _winograd_sizes(winograd)
    return _winograd(winograd) * points**2 * depth * channels


VECTOR_WORK: dict[str, Count] = {
    "nhwcconvolution": _of_all_channels,
    "nhwcgrouped": _of_a_group,
    "planarconvolution": lambda planar: _of_taps(planar) * planar["Src"].type.shape[1],
    "nhwcwinograd": _of_products,
    "nhwcdepthwise": _of_taps,
    "nhwcmaxpool": _of_taps,
    "nhwcavgpool": _of_taps,
    "packedproduct": lambda product: product.computed.type.elements * product["Src"].type.shape[1],
}
"""Instruction kind -> multiply-adds, or elements looked at."""
