"""Tiling: how each instruction is cut for several workers. The cost model stands here and nowhere else.

A cut is worth it where the time that it saves is longer than what its tiles cost. The time of an instruction is that of
its arithmetic or of its bytes, whichever is longer, of the worker with the largest share:

    arithmetic  multiply-adds, or elements looked at, over the speed of the kernel
    bytes       what the worker reads and writes, from the second-level cache or, where it is more than that holds,
                from the third: its share of what is cut, and all of what every tile reads. Cut along rows, every tile
                reads all weights; along channels, all of the input, but for depthwise convolutions. Weights stay in a
                second-level cache from one run to the next if all those that a worker reads have room there
    Winograd    few multiply-adds per weight: to read those comes on top, and to transform images: cut along channels,
                every tile transforms all of the input
    hand-over   tiles have to be handed out, and their tokens brought back, through the caches of two cores
    exchange    what another worker has written comes out of the cache of one core into that of another: half of it, of
                two workers, where an instruction is not cut as the one before it is; and of what a single worker
                makes of rows, with which others go on
    waiting     workers are not equally fast: at the end of an instruction one waits for a part of the other's tile,
                the less the smaller the tiles are

Instructions are decided in their order, each with those before it as they are. A program in which cuts save less than
it takes to call the helpers in and to see them off is not cut at all.

Numbers are those of a 2.8 GHz x86 server with AVX-512. A faster or slower machine changes all of them alike; only what
is close to the limit would be decided otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbundle.ir.function import Function, Instruction, IRValue, Mutability, Operand, WeightVar, storage
from inbundle.ir.units import Split, splits, units, work
from inbundle.ir.vector_work import winograd_transforms

# Multiply-adds, or elements looked at, per nanosecond: of loops that the C compiler is left with, of vector kernels.
_SCALAR_SPEED = 1.0
_SPEEDS = {
    "nhwcconvolution": 70.0,
    "nhwcgrouped": 20.0,
    "planarconvolution": 30.0,
    "nhwcwinograd": 70.0,
    "packedproduct": 50.0,
    "nhwcdepthwise": 40.0,
    "nhwcmaxpool": 20.0,
    "nhwcavgpool": 15.0,
}
# Elements of a Winograd convolution per nanosecond that are transformed, to points or back.
_TRANSFORM_SPEED = 6.0
# Bytes per nanosecond, and how many bytes the second-level cache holds beside what else is in it.
_NEAR_SPEED, _FAR_SPEED = 110.0, 80.0
_NEAR_BYTES = 1 << 20
# Nanoseconds: from the end of an instruction to the beginning of the next one at another worker, and back; of each tile
# more than one; to begin and to end a run with helpers.
_CUT_TIME, _TILE_TIME, _RUN_TIME = 1500.0, 500.0, 3000.0
# Bytes per nanosecond from the cache of one core to that of another.
_EXCHANGE_SPEED = 30.0
# The cuts of a writer and of a reader at which a worker reads what it wrote itself, but for some rows; the same, of
# kinds that compute each channel from that channel alone.
_AT_HOME = ({Split.NONE}, {Split.ROWS})
_CHANNEL_BY_CHANNEL = ("nhwcdepthwise",)
_AT_HOME_BY_CHANNEL = (*_AT_HOME, {Split.CHANNELS})
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
    instructions = list(function.instructions())
    if threads == 1 or force == "none":
        return dict.fromkeys(instructions, UNCUT)
    if force != "auto":
        return {instruction: _forced(instruction, threads, Split(force)) for instruction in instructions}
    return _fastest(instructions, threads)


def _forced(instruction: Instruction, threads: int, split: Split) -> Tiling:
    count = min(2 * threads, units(instruction, split)) if split in splits(instruction) else 1
    return Tiling(split, count) if count > 1 else UNCUT


def _fastest(instructions: Sequence[Instruction], threads: int) -> dict[Instruction, Tiling]:
    constants = {
        storage(operand.value)[0] for step in instructions for operand in _operands(step) if _is_constant(operand)
    }
    weights = sum(constant.type.bytes for constant in constants)
    found = dict.fromkeys(instructions, UNCUT)
    writers: dict[IRValue, Split] = {}
    saved = 0.0
    for instruction in filter(units, instructions):
        times = {
            tiling: time(instruction, tiling, threads, weights)
            + _exchange_time(instruction, tiling.split, threads, writers)
            for tiling in _candidates(instruction, threads)
        }
        found[instruction] = best = min(times, key=lambda tiling: times[tiling])
        saved += time(instruction, UNCUT, threads, weights) - times[best]
        writers |= {storage(operand.value)[0]: best.split for operand in _operands(instruction) if operand.role.writes}
    return found if saved > _RUN_TIME else dict.fromkeys(instructions, UNCUT)


def _exchange_time(instruction: Instruction, split: Split, threads: int, writers: Mapping[IRValue, Split]) -> float:
    """Nanoseconds for what a worker reads that another one has written, and for what goes back to that one where a
    single worker reads rows of all; `writers`: how what wrote a buffer is cut."""
    at_home = _AT_HOME_BY_CHANNEL if instruction.kind in _CHANNEL_BY_CHANNEL else _AT_HOME
    moved, goes_back = 0, False
    for operand in _operands(instruction):
        before = writers.get(storage(operand.value)[0], Split.NONE)
        if operand.role.reads and not _is_constant(operand) and {split, before} not in at_home:
            moved += operand.value.type.bytes
            goes_back |= (before, split) == (Split.ROWS, Split.NONE)
    if goes_back:
        moved += instruction.computed.type.bytes
    return moved * (1 - 1 / threads) / _EXCHANGE_SPEED


def _candidates(instruction: Instruction, threads: int) -> list[Tiling]:
    """The simplest first."""
    found = [UNCUT]
    for split in splits(instruction):
        counts = (min(threads * per_thread, units(instruction, split)) for per_thread in _TILES_PER_THREAD)
        found += [Tiling(split, count) for count in dict.fromkeys(counts) if count > 1]
    return found


def time(instruction: Instruction, tiling: Tiling, threads: int, weights: int = 0) -> float:
    """Nanoseconds until the last of `threads` workers is done with an instruction, by the model above.

    Args:
        weights: bytes of all constants of the program.
    """
    share, rounds = _largest_share(instruction, tiling, threads)
    arithmetic = work(instruction) * share / _SPEEDS.get(instruction.kind, _SCALAR_SPEED)
    kept = weights / threads if tiling.split is Split.CHANNELS else weights
    reading = _bytes_time(instruction, tiling, share, rounds, kept)
    busy = max(arithmetic, reading)
    if instruction.kind == "nhwcwinograd":
        busy = arithmetic + reading + _transform_time(instruction, tiling, share, rounds)
    if tiling == UNCUT:
        return busy
    return busy * (1 + _WAITING / rounds) + _CUT_TIME + _TILE_TIME * (tiling.tiles - 1)


def _transform_time(winograd: Instruction, tiling: Tiling, share: float, rounds: int) -> float:
    inputs, results = winograd_transforms(winograd)
    return (inputs * (rounds if tiling.split is Split.CHANNELS else share) + results * share) / _TRANSFORM_SPEED


def _largest_share(instruction: Instruction, tiling: Tiling, threads: int) -> tuple[float, int]:
    """The largest part of the units that one worker has, and in how many tiles."""
    count, tiles = units(instruction, tiling.split), tiling.tiles
    rounds = -(-tiles // threads)
    return min(1.0, rounds * -(-count // tiles) / count), rounds


def _operands(instruction: Instruction) -> list[Operand]:
    return [operand for name, operand in instruction.operands.items() if name != "Scratch"]


def _bytes_time(instruction: Instruction, tiling: Tiling, share: float, rounds: int, weights: float) -> float:
    """`weights`: bytes of the constants that a worker reads in a run."""
    operands = _operands(instruction)
    common = sum(operand.value.type.bytes for operand in operands if _is_common(instruction, operand, tiling.split))
    total = sum(operand.value.type.bytes for operand in operands)
    once = common + (total - common) * share
    if max(once, weights if any(map(_is_constant, operands)) else 0) <= _NEAR_BYTES:
        return once / _NEAR_SPEED
    return (common * rounds + (total - common) * share) / _FAR_SPEED


def _is_common(instruction: Instruction, operand: Operand, split: Split) -> bool:
    """Whether every tile reads all of an operand: weights, or the input, whichever is not cut."""
    if split is Split.NONE or (split is Split.CHANNELS and instruction.kind in _CHANNEL_BY_CHANNEL):
        return False
    is_constant = _is_constant(operand)
    return is_constant if split is Split.ROWS else not is_constant and not operand.role.writes


def _is_constant(operand: Operand) -> bool:
    base, _ = storage(operand.value)
    return isinstance(base, WeightVar) and base.mutability is Mutability.CONST
