"""Convolutions that pool what they compute: a pool among the steps of a convolution, behind which the steps go on with
the pooled image. The whole image is never stored.

    %conv = convolution @out %conv_res, @in %x, @in %filters      an image, line by line
    %relu = relu @out %relu_res, @in %conv_res
    %pool = maxpool @out %pool_res, @in %relu_res                 one line for every few of the image
    %add = add @out %y, @in %pool_res, @in %shift
"""

from __future__ import annotations

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction, Operand, Register, Role

POOLS = ("maxpool", "avgpool")
# The kernel keeps the lines under one line of windows on the C stack: at most 2 KiB.
MOST_FLOATS = 512


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
    image, pooled = pool["Src"].type, pool.computed.type
    if convolution.kind != "convolution" or convolution["Dest"] is not pool["Src"] or "Argmax" in pool.operands:
        return False
    is_image_of_floats = image.rank == 4 and image.elem is convolution.computed.type.elem is ElemKind.FLOAT
    if not is_image_of_floats or image.shape != convolution.computed.type.shape:
        return False
    return _is_side_by_side(pool, image.shape[2:], pooled.shape[2:]) and lines(pool) * image.shape[3] <= MOST_FLOATS


def _is_side_by_side(pool: Instruction, image: tuple[int, ...], pooled: tuple[int, ...]) -> bool:
    """Whether windows neither overlap nor leave the image, and hold more than one element."""
    kernels, strides, dilations, pads = (pool.integers(name) for name in ("Kernels", "Strides", "Dilations", "Pads"))
    fits = all(n * k <= size for n, k, size in zip(pooled, kernels, image, strict=True))
    return fits and kernels == strides and dilations == (1, 1) and pads == (0, 0, 0, 0) and kernels != (1, 1)


def lines(pool: Instruction) -> int:
    """Lines of the image under a line of windows."""
    return pool.integers("Kernels")[0]
