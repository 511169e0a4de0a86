"""Units: the equal, independent pieces into which an instruction can be cut, and the work there is in it.

What the kernels and the planning of tiles must agree on: what a kernel's outermost loop runs over.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable

from inbundle.ir.function import Instruction
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.panels import PANEL, panels
from inbundle.ir.pooling import parts
from inbundle.ir.stacks import INSERT
from inbundle.ir.vector_work import VECTOR_UNITS, VECTOR_WORK, has_whole_panels

# Channels in a unit of a channels-last convolution that is cut along its channels: the widest register tile.
CHANNEL_BLOCK = 4 * PANEL

# Kinds whose kernels go from line to line along their axis.
OF_LINES = ("softmax", "logsoftmax", "cumsum", "topk")


class Split(enum.Enum):
    """What an instruction is cut along: the order of its result in memory, such as rows of an image; channels, or
    columns of a product; or not at all."""

    ROWS = "rows"
    CHANNELS = "channels"
    NONE = "none"


def splits(instruction: Instruction) -> tuple[Split, ...]:
    """How the kernel of an instruction can be cut, the usual way first."""
    if instruction.kind == "nhwcconvolution" and len(parts(instruction)) == 1:
        return Split.ROWS, Split.CHANNELS
    if instruction.kind in ("nhwcwinograd", "nhwcdepthwise") and has_whole_panels(instruction):
        return Split.ROWS, Split.CHANNELS
    is_vector = instruction.kind == "packedproduct" and instruction.computed.type.shape[0] == 1
    is_of_planes = INSTRUCTIONS[instruction.kind].family in ("conv", "pool") or instruction.kind == "batchnormalization"
    return (Split.CHANNELS,) if is_vector or is_of_planes else (Split.ROWS,)


def units(instruction: Instruction, split: Split = Split.NONE) -> int:
    """How many pieces the outermost loop of an instruction has, cut along `split` or the usual way.

    Convolutions, pools and batch normalisation: images times channels of Dest. OF_LINES: lines along their axis. Layer
    normalisation: rows of the dimensions from its axis on. `inserttensor`: elements of Src. `scatter`, which may write
    an element twice: 1. All others: elements of Dest. Nothing to do is 0.
    """
    dest = instruction.computed.type
    if dest.elements == 0:
        return 0
    family = INSTRUCTIONS[instruction.kind].family
    if instruction.kind == "nhwcconvolution" and split is Split.CHANNELS:
        return -(-dest.shape[-1] // CHANNEL_BLOCK)
    if instruction.kind in ("nhwcwinograd", "nhwcdepthwise") and split is Split.CHANNELS:
        return panels(dest.shape[-1])
    if instruction.kind in VECTOR_UNITS:
        return VECTOR_UNITS[instruction.kind](instruction)
    if family in ("conv", "pool") or instruction.kind == "batchnormalization":
        return math.prod(dest.shape[:2])
    if instruction.kind == "scatter":
        return 1
    if instruction.kind in OF_LINES:
        return dest.elements // dest.shape[instruction.integer("Axis")]
    if instruction.kind == "layernormalization":
        return math.prod(dest.shape[: instruction.integer("Axis")])
    if instruction.kind == INSERT:
        return instruction["Src"].type.elements
    return dest.elements


def _convolution_work(instruction: Instruction) -> int:
    filters = instruction["Filter"].type
    return instruction.computed.type.elements * math.prod(filters.shape[1:])


def _pool_work(instruction: Instruction) -> int:
    return instruction["Dest"].type.elements * math.prod(instruction.integers("Kernels"))


def _fullyconnected_work(instruction: Instruction) -> int:
    inner = instruction["Src"].type.shape[0 if instruction.attributes["TransA"] else 1]
    return instruction["Dest"].type.elements * inner


def _matmul_work(instruction: Instruction) -> int:
    return instruction["Dest"].type.elements * instruction["LHS"].type.shape[-1]


def _source_work(instruction: Instruction) -> int:
    return instruction["Src"].type.elements


_WORK: dict[str, Callable[[Instruction], int]] = {
    **VECTOR_WORK,
    "convolution": _convolution_work,
    "maxpool": _pool_work,
    "avgpool": _pool_work,
    "fullyconnected": _fullyconnected_work,
    "matmul": _matmul_work,
    INSERT: _source_work,
    "reducesum": _source_work,
    "reducemean": _source_work,
    "reducemax": _source_work,
    "reducemin": _source_work,
    "reduceprod": _source_work,
    "topk": _source_work,
    "argmax": _source_work,
    "argmin": _source_work,
}


def work(instruction: Instruction) -> int:
    """Multiply-adds of an instruction, or the elements it touches where it does no products; each further step of a
    stacked one touches them all."""
    count, elements = _WORK.get(instruction.kind), instruction.computed.type.elements
    return (count(instruction) if count else elements) + elements * len(instruction.epilogue)
