"""Tiling: how each instruction is cut for several workers. The cost model stands here and nowhere else.

A cut is worth it where the time that it saves is longer than what its tiles cost. The time of an instruction is that of
its arithmetic or of its bytes, whichever is longer, of the worker with the largest share:

    arithmetic  multiply-adds, or elements looked at, over the speed of the kernel
    bytes       what the worker reads and writes, from the second-level cache or, where it is more than that holds,
                from the third: its share of what is cut, and all of what every tile reads. Cut along rows, every tile
                reads all weights; along channels, all of the input
    tiles       each has to be handed out, and a token brought back, through the caches of two cores, as is what the
                other core has computed
    waiting     workers are not equally fast: at the end of an instruction one waits for a part of the other's tile,
                the less the smaller the tiles are

Numbers are those of a 2.8 GHz x86 server with AVX-512. A faster or slower machine changes all of them alike; only what
is close to the limit would be decided otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.function import Function, Instruction, Mutability, Operand, WeightVar, storage
from inbundle.ir.units import Split, splits, units, work

# Multiply-adds, or elements looked at, per nanosecond: of loops that the C compiler is left with, of vector kernels.
_SCALAR_SPEED = 1.0
_SPEEDS = {
    "nhwcconvolution": 70.0,
    "nhwcgrouped": 20.0,
    "planarconvolution": 30.0,
    "nhwcwinograd": 40.0,
    "packedproduct": 50.0,
    "nhwcdepthwise": 40.0,
    "nhwcmaxpool": 20.0,
    "nhwcavgpool": 15.0,
}
# Bytes per nanosecond, and how many bytes the second-level cache holds beside what else is in it.
_NEAR_SPEED, _FAR_SPEED = 110.0, 80.0
_NEAR_BYTES = 1 << 20
# Nanoseconds: to hand out a tile and to take its token back, some ten flags from one core to another.
_TILE_TIME = 1000.0
# Part of a tile's time that one worker waits for another.
_WAITING = 0.1
# Tiles per worker: more than one, so that a worker that is late leaves the rest of its tiles to others.
_TILES_PER_THREAD = (1, 2, 4)


@dataclass(frozen=True)
class Tiling:
    """An instruction is cut along `split` into `tiles` tiles."""

    split: Split = Split.NONE
    tiles: int = 1


UNCUT = Tiling()


def tilings(function: Function, threads: int, force: str = "auto") -> dict[Instruction, Tiling]:
    """How each instruction of a function is cut for `threads` workers.

    Args:
        force: "auto" for what the cost model finds best; "rows", "channels": everything that can be cut so is, whether
            it is worth it or not, and nothing else; "none": nothing is cut.
    """
    return {instruction: _tiling(instruction, threads, force) for instruction in function.instructions()}


def _tiling(instruction: Instruction, threads: int, force: str) -> Tiling:
    if threads == 1 or force == "none" or not units(instruction):
        return UNCUT
    if force != "auto":
        split = Split(force)
        count = min(2 * threads, units(instruction, split)) if split in splits(instruction) else 1
        return Tiling(split, count) if count > 1 else UNCUT
    return min(_candidates(instruction, threads), key=lambda tiling: time(instruction, tiling, threads))


def _candidates(instruction: Instruction, threads: int) -> list[Tiling]:
    """The simplest first."""
    found = [UNCUT]
    for split in splits(instruction):
        counts = (min(threads * per_thread, units(instruction, split)) for per_thread in _TILES_PER_THREAD)
        found += [Tiling(split, count) for count in dict.fromkeys(counts) if count > 1]
    return found


def time(instruction: Instruction, tiling: Tiling, threads: int) -> float:
    """Nanoseconds until the last of `threads` workers is done with an instruction, by the model above."""
    share, rounds = _largest_share(instruction, tiling, threads)
    arithmetic = work(instruction) * share / _SPEEDS.get(instruction.kind, _SCALAR_SPEED)
    busy = max(arithmetic, _bytes_time(instruction, tiling, share, rounds))
    if tiling == UNCUT:
        return busy
    return busy * (1 + _WAITING / rounds) + _TILE_TIME * (tiling.tiles - 1)


def _largest_share(instruction: Instruction, tiling: Tiling, threads: int) -> tuple[float, int]:
    """The largest part of the units that one worker has, and in how many tiles."""
    count, tiles = units(instruction, tiling.split), tiling.tiles
    rounds = -(-tiles // threads)
    return min(1.0, rounds * -(-count // tiles) / count), rounds


def _bytes_time(instruction: Instruction, tiling: Tiling, share: float, rounds: int) -> float:
    operands = [operand for name, operand in instruction.operands.items() if name != "Scratch"]
    common = sum(operand.value.type.bytes for operand in operands if _is_common(operand, tiling.split))
    total = sum(operand.value.type.bytes for operand in operands)
    once = common + (total - common) * share
    if once <= _NEAR_BYTES:
        return once / _NEAR_SPEED
    return (common * rounds + (total - common) * share) / _FAR_SPEED


def _is_common(operand: Operand, split: Split) -> bool:
    """Whether every tile reads all of an operand: weights, or the input, whichever is not cut."""
    if split is Split.NONE:
        return False
    base, _ = storage(operand.value)
    is_constant = isinstance(base, WeightVar) and base.mutability is Mutability.CONST
    return is_constant if split is Split.ROWS else not is_constant and not operand.role.writes
