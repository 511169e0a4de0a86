"""Convolutions that pool what they compute: a pool among the steps of a convolution, behind which the steps go on with
the pooled image. The whole image is never stored.

    %conv = convolution @out %conv_res, @in %x, @in %filters      an image, line by line
    %relu = relu @out %relu_res, @in %conv_res
    %pool = maxpool @out %pool_res, @in %relu_res                 one line for every few of the image
    %add = add @out %y, @in %pool_res, @in %shift

Scalar kernels keep the lines under a line of windows on the C stack; vector kernels keep them in registers, windows in
the lanes, and have the lines of their input on the stack instead.
"""

from __future__ import annotations

import math

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction, Operand, Register, Role, storage

POOLS = ("maxpool", "avgpool", "nhwcmaxpool", "nhwcavgpool")
# Elements that a scalar kernel keeps on the C stack, 2 KiB of floats: the lines under one line of windows, or a row
# that it sums up.
MOST_FLOATS = 512
# The vector kernels keep the lines of the input there, at most 32 KiB, and in registers a window: so many elements.
MOST_INPUT_FLOATS, MOST_TAPS = 8192, 4
# With so many channels it is filters, read again for every line, that take the time.
_FEWEST_OF_MANY = 128


def parts(instruction: Instruction) -> list[Instruction]:
    """A convolution that pools as two instructions, each with its own epilogue: the convolution, whose Dest is a
    register, and the pool that reads it. Any other instruction is its one part.

    Operands have the names in the parts that they have in the whole, but for those between the two.
    """
    kinds = [step.kind for step in instruction.epilogue]
    at = next((index for index, kind in enumerate(kinds) if kind in POOLS), None)
    if at is None:
        return [instruction]
    before, pool, after = instruction.epilogue[:at], instruction.epilogue[at], instruction.epilogue[at + 1 :]
    image = before[-1].operands["Dest"] if before else Operand(Role.OUT, instruction.computed)
    return [_first_part(instruction, image, before), _second_part(instruction, pool, after)]


def _first_part(whole: Instruction, image: Operand, epilogue: list[Instruction]) -> Instruction:
    operands = {**whole.operands, "Dest": image}
    result = whole.result if epilogue else None
    return Instruction(whole.kind, whole.name, operands, whole.attributes, whole.origin, result, epilogue)


def _second_part(whole: Instruction, pool: Instruction, epilogue: list[Instruction]) -> Instruction:
    operands = {**whole.operands, **pool.operands, "Dest": whole.operands["Dest"]}
    register = pool["Dest"]
    result = register if epilogue and isinstance(register, Register) else None
    return Instruction(pool.kind, pool.name, operands, pool.attributes, pool.origin, result, epilogue)


def can_pool(convolution: Instruction, pool: Instruction) -> bool:
    """Whether the kernel of a convolution can pool its image: two dimensions, floats, windows side by side, few enough
    elements under a line of windows.

    Args:
        convolution, pool: two instructions, or the parts of one.
    """
    image = pool["Src"].type
    if convolution["Dest"] is not pool["Src"] or "Argmax" in pool.operands:
        return False
    is_image_of_floats = image.rank == 4 and image.elem is convolution.computed.type.elem is ElemKind.FLOAT
    if not is_image_of_floats or image.shape != convolution.computed.type.shape:
        return False
    if convolution.kind in _IN_VECTORS:
        return _is_side_by_side(pool, slice(1, 3)) and _fits_vectors(convolution, pool)
    is_scalar = convolution.kind == "convolution" and _is_side_by_side(pool, slice(2, 4))
    return is_scalar and lines(pool) * image.shape[3] <= MOST_FLOATS


_IN_VECTORS = ("planarconvolution", "nhwcconvolution")


def _is_side_by_side(pool: Instruction, spatial: slice) -> bool:
    """Whether windows neither overlap nor leave the image, and hold more than one element."""
    image, pooled = pool["Src"].type.shape[spatial], pool.computed.type.shape[spatial]
    kernels, strides, dilations, pads = (pool.integers(name) for name in ("Kernels", "Strides", "Dilations", "Pads"))
    fits = all(n * k <= size for n, k, size in zip(pooled, kernels, image, strict=True))
    return fits and kernels == strides and dilations == (1, 1) and pads == (0, 0, 0, 0) and kernels != (1, 1)


def _fits_vectors(convolution: Instruction, pool: Instruction) -> bool:
    """Whether the elements of a window fit into registers, the input lines under a line of windows on the stack, and
    filters are few; and all operands of further steps have one element, or one per channel."""
    depth, channels = _depth(convolution), convolution.computed.type.shape[-1]
    is_moving = convolution.integers("Kernels") != (1, 1) and convolution.integers("Dilations")[1] == 1
    is_small = math.prod(pool.integers("Kernels")) <= MOST_TAPS and depth < _FEWEST_OF_MANY
    further = [*convolution.epilogue, *pool.epilogue]
    read = [value for step in further for value in step.reads() if not isinstance(storage(value)[0], Register)]
    is_per_channel = all(value.type.elements in (1, channels) for value in read)
    return is_moving and is_small and is_per_channel and _input_floats(convolution, pool) <= MOST_INPUT_FLOATS


def _depth(convolution: Instruction) -> int:
    """Channels of the input of a convolution on vectors."""
    return convolution["Src"].type.shape[1 if convolution.kind == "planarconvolution" else -1]


def _input_floats(convolution: Instruction, pool: Instruction) -> int:
    """Floats of the input, pads among them, under a line of windows."""
    (kernel, across), (down, right) = convolution.integers("Kernels"), convolution.integers("Strides")
    reach = (lines(pool) - 1) * down + (kernel - 1) * convolution.integers("Dilations")[0] + 1
    return reach * ((convolution.computed.type.shape[2] - 1) * right + across) * _depth(convolution)


def rows_under(instruction: Instruction, first: int, last: int) -> tuple[int, int]:
    """The rows of the image, counted over all images, that a channels-last convolution computes for rows `first` to
    `last` of its result: the same rows where it does not pool.

    Returns:
        First row and end.
    """
    image, *pools = parts(instruction)
    if not pools or not 0 <= first < last:
        return first, last
    height, pooled, step = image.computed.type.shape[1], pools[0].computed.type.shape[1], lines(pools[0])
    end = last - 1
    return first // pooled * height + first % pooled * step, end // pooled * height + (end % pooled + 1) * step


def lines(pool: Instruction) -> int:
    """Lines of the image under a line of windows."""
    return pool.integers("Kernels")[0]
