"""Footprints: which elements of its operands a tile of an instruction touches.

A tile that reads some rows of a tensor has to wait for the tiles that write those rows, and for no others. What a
footprint says may be more than is touched, never less; two tiles of the same instruction touch nothing in common that
one of them writes, whatever their footprints say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inbundle.ir.function import Instruction
from inbundle.ir.panels import PANEL
from inbundle.ir.pooling import parts, rows_under
from inbundle.ir.stacks import elementwise_operands, inserts, step_type, steps
from inbundle.ir.units import OF_LINES, Split, units
from inbundle.ir.vector_work import ROW_BLOCK, is_pointwise, winograd_rows

Range = tuple[int, int]
Box = tuple[Range, ...]  # per dimension: first index, end index


@dataclass(frozen=True)
class Footprint:
    """What is not said is touched as a whole.

    Attributes:
        ranges: operand -> first element and end of the elements, row-major.
        box: where Dest is a larger tensor into which the result is inserted: the part of the result.
    """

    ranges: dict[str, Range] = field(default_factory=dict)
    box: Box | None = None


WHOLE = Footprint()


def footprint(instruction: Instruction, split: Split, tile: int, tiles: int) -> Footprint:
    """The footprint of tile number `tile` of an instruction whose units, cut along `split`, are in `tiles` tiles."""
    if tiles == 1:
        return WHOLE
    count = units(instruction, split)
    first, last = tile * count // tiles, (tile + 1) * count // tiles
    ranges = {"Scratch": _piece(instruction, tile)} if "Scratch" in instruction.operands else {}
    computed: Range | None = None
    for part in parts(instruction):
        computed = _computed(part, split, first, last)
        if computed is None:
            return Footprint(ranges)
        ranges |= dict.fromkeys(_parallel(part), computed)
    assert computed is not None
    source = _SOURCES.get(instruction.kind)
    if source and split is Split.ROWS:
        ranges["Src"] = source(instruction, first, last)
    insert = inserts(instruction)
    if insert is None:
        return Footprint({**ranges, "Dest": computed})
    return Footprint(ranges, bounding_box(insert["Src"].type.shape, computed))


def bounding_box(shape: Sequence[int], elements: Range) -> Box:
    """The smallest box that holds a range of row-major elements: one index along outer dimensions, then several along
    one dimension, then all."""
    first, end = elements
    box: list[Range] = []
    for axis, size in enumerate(shape):
        inner = math.prod(shape[axis + 1 :])
        low, high = first // inner, -(-end // inner)
        box.append((low, high))
        if high - low != 1:
            return (*box, *((0, size) for size in shape[axis + 1 :]))
        first, end = first - low * inner, end - low * inner
    return tuple(box)


def _piece(instruction: Instruction, tile: int) -> Range:
    size = instruction["Scratch"].type.shape[1]
    return tile * size, (tile + 1) * size


# --- what is computed ----------------------------------------------------------------------------------------------


def _computed(instruction: Instruction, split: Split, first: int, last: int) -> Range | None:
    """The elements that units compute; None where they do not lie side by side."""
    type, kind = step_type(steps(instruction)[0]), instruction.kind
    if split is Split.CHANNELS and kind in ("nhwcconvolution", "nhwcwinograd", "nhwcdepthwise"):
        return None
    if kind == "nhwcwinograd":
        return _of_rows(type.shape, winograd_rows(instruction, first, last)[1])
    if kind == "packedproduct" and type.shape[0] == 1:
        return first * PANEL, min(last * PANEL, type.elements)
    if kind == "packedproduct" or (kind == "nhwcconvolution" and is_pointwise(instruction)):
        return first * ROW_BLOCK * type.shape[-1], min(last * ROW_BLOCK * type.shape[-1], type.elements)
    if kind in OF_LINES and instruction.attributes["Axis"] != type.rank - 1:
        return None
    size = type.elements // units(instruction, split)
    return first * size, last * size


def _parallel(instruction: Instruction) -> list[str]:
    """The operands of which a unit reads the elements that it computes."""
    spread = elementwise_operands(instruction)
    elements = step_type(steps(instruction)[0]).elements
    return [
        name
        for name, operand in instruction.operands.items()
        if operand.value.type.elements == elements
        and (operand in spread or (name == "Src" and instruction.kind in _ONE_TO_ONE))
    ]


_ONE_TO_ONE = (*OF_LINES, "copy", "inserttensor", "batchnormalization", "layernormalization")


# --- what windows look at ------------------------------------------------------------------------------------------


def _of_rows(shape: Sequence[int], rows: Range) -> Range:
    """The elements of rows, counted over all images, of a channels-last tensor."""
    size = math.prod(shape[2:])
    return rows[0] * size, rows[1] * size


def _window_rows(instruction: Instruction, first: int, last: int) -> Range:
    """The elements of Src under the windows of output rows `first` to `last`, channels last."""
    shape = instruction["Src"].type.shape
    height, output = shape[1], instruction.computed.type.shape[1]
    first, last = rows_under(instruction, first, last)
    names = ("Kernels", "Strides", "Dilations", "Pads")
    kernel, stride, dilation, pad = (instruction.integers(name)[0] for name in names)
    top = first % output * stride - pad
    bottom = (last - 1) % output * stride - pad + (kernel - 1) * dilation + 1
    begin = first // output * height + min(max(0, top), height)
    end = (last - 1) // output * height + min(max(0, bottom), height)
    return _of_rows(shape, (begin, max(begin, end)))


def _pixels_or_rows(convolution: Instruction, first: int, last: int) -> Range:
    if not is_pointwise(convolution):
        return _window_rows(convolution, first, last)
    type = convolution["Src"].type
    depth = type.shape[-1]
    return first * ROW_BLOCK * depth, min(last * ROW_BLOCK * depth, type.elements)


def _product_rows(product: Instruction, first: int, last: int) -> Range:
    rows, depth = product["Src"].type.shape
    if rows == 1:
        return 0, depth
    return first * ROW_BLOCK * depth, min(last * ROW_BLOCK * depth, rows * depth)


def _tile_rows(winograd: Instruction, first: int, last: int) -> Range:
    return _of_rows(winograd["Src"].type.shape, winograd_rows(winograd, first, last)[0])


_SOURCES: dict[str, Callable[[Instruction, int, int], Range]] = {
    "nhwcconvolution": _pixels_or_rows,
    "nhwcwinograd": _tile_rows,
    "nhwcgrouped": _window_rows,
    "nhwcdepthwise": _window_rows,
    "nhwcmaxpool": _window_rows,
    "nhwcavgpool": _window_rows,
    "packedproduct": _product_rows,
}
