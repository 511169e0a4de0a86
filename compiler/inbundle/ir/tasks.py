"""Tasks: the IR of a function as pieces of work that may run in any order their dependencies allow.

A task is one IR instruction, cut into tiles of its outermost loop. What the kernels and the tile translation must agree
on stands here: the names of the native functions, the number of units a kernel's outermost loop has, and which task
waits for which. This module knows bytes and regions, but neither C nor interaction nets.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from inbundle.ir.function import Function, Instruction, IRValue
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.packing import panels
from inbundle.ir.winograd import tile_step, tiles_per_block

# A tile below this many multiply-adds (or elements touched) costs more to hand out than it saves.
MINIMUM_WORK = 16384
# Tiles per worker: two, so that a worker that is late leaves its second one to others.
TILES_PER_THREAD = 2
# Pixels that a unit of a channels-last 1 x 1 convolution has.
PIXEL_BLOCK = 12


@dataclass(frozen=True, eq=False)
class Task:
    """An instruction to run.

    Attributes:
        native: kind and running number per kind, `convolution1`; the C function is `native_convolution1(t)`.
        agent: the same with a capital, `Convolution1`.
        tiles: tile t of `tiles` covers the units from `t * units // tiles` to `(t + 1) * units // tiles`.
        after: indices of earlier tasks whose tiles must all be finished before a tile of this one starts; transitively
            reduced, ascending.
    """

    instruction: Instruction
    native: str
    agent: str
    tiles: int
    after: tuple[int, ...]


def units(instruction: Instruction) -> int:
    """How many equal, independent pieces the outermost loop of an instruction has.

    Convolutions, pools and batch normalisation: images times channels of Dest. Softmax: lines along its axis.
    `inserttensor`: elements of Src. All others: elements of Dest. Nothing to do is 0.
    """
    dest = instruction.computed.type
    if dest.elements == 0:
        return 0
    family = INSTRUCTIONS[instruction.kind].family
    if instruction.kind == "packedproduct":
        rows, columns = dest.shape
        return -(-rows // PIXEL_BLOCK) if rows > 1 else panels(columns)
    if instruction.kind == "nhwcwinograd":
        return _winograd_blocks(instruction)
    if instruction.kind.startswith("nhwc"):
        return _lines(instruction)
    if family in ("conv", "pool") or instruction.kind == "batchnormalization":
        return math.prod(dest.shape[:2])
    if instruction.kind in ("softmax", "logsoftmax"):
        axis = instruction.attributes["Axis"]
        assert isinstance(axis, int)
        return dest.elements // dest.shape[axis]
    if instruction.kind == "inserttensor":
        return instruction["Src"].type.elements
    return dest.elements


def _lines(instruction: Instruction) -> int:
    """Output rows; blocks of pixels of a convolution that only looks at one pixel at a time."""
    images, height, width, _ = instruction["Dest"].type.shape
    if instruction.kind == "nhwcconvolution" and instruction["Src"].type.shape[1:3] == (height, width):
        attributes = instruction.attributes
        if attributes["Kernels"] == (1, 1) and attributes["Pads"] == (0, 0, 0, 0):
            return -(-images * height * width // PIXEL_BLOCK)
    return images * height


def _winograd_blocks(instruction: Instruction) -> int:
    images, height, width, channels = instruction.computed.type.shape
    kernels = instruction.attributes["Kernels"]
    assert isinstance(kernels, tuple)
    step = tile_step(int(kernels[0]))
    tiles = images * -(-height // step) * -(-width // step)
    return -(-tiles // tiles_per_block(tiles, instruction["Src"].type.shape[-1], channels))


def _winograd_work(instruction: Instruction) -> int:
    """Of the direct convolution."""
    kernels = instruction.attributes["Kernels"]
    assert isinstance(kernels, tuple)
    return instruction["Dest"].type.elements * int(math.prod(kernels)) * instruction["Src"].type.shape[-1]


def _nhwc_work(instruction: Instruction) -> int:
    filters = instruction["Filter"].type.shape
    taps = math.prod(filters[1:-1]) if instruction.kind == "nhwcconvolution" else math.prod(filters[:-1])
    return instruction["Dest"].type.elements * taps


def _convolution_work(instruction: Instruction) -> int:
    filters = instruction["Filter"].type
    return instruction["Dest"].type.elements * math.prod(filters.shape[1:])


def _pool_work(instruction: Instruction) -> int:
    kernels = instruction.attributes["Kernels"]
    assert isinstance(kernels, tuple)
    return instruction["Dest"].type.elements * int(math.prod(kernels))


def _fullyconnected_work(instruction: Instruction) -> int:
    inner = instruction["Src"].type.shape[0 if instruction.attributes["TransA"] else 1]
    return instruction["Dest"].type.elements * inner


def _matmul_work(instruction: Instruction) -> int:
    return instruction["Dest"].type.elements * instruction["LHS"].type.shape[-1]


def _source_work(instruction: Instruction) -> int:
    return instruction["Src"].type.elements


_WORK: dict[str, Callable[[Instruction], int]] = {
    "convolution": _convolution_work,
    "packedproduct": lambda i: i["Dest"].type.elements * i["Src"].type.shape[1],
    "nhwcconvolution": _nhwc_work,
    "nhwcwinograd": _winograd_work,
    "nhwcdepthwise": _nhwc_work,
    "nhwcmaxpool": _pool_work,
    "nhwcavgpool": _pool_work,
    "maxpool": _pool_work,
    "avgpool": _pool_work,
    "fullyconnected": _fullyconnected_work,
    "matmul": _matmul_work,
    "inserttensor": _source_work,
    "reducesum": _source_work,
    "reducemean": _source_work,
    "reducemax": _source_work,
    "reducemin": _source_work,
    "argmax": _source_work,
    "argmin": _source_work,
}


def work(instruction: Instruction) -> int:
    """Multiply-adds of an instruction, or the elements it touches where it does no products; each further step of a
    stacked one touches them all."""
    count, elements = _WORK.get(instruction.kind), instruction["Dest"].type.elements
    return (count(instruction) if count else elements) + elements * len(instruction.epilogue)


def native_names(function: Function) -> dict[Instruction, str]:
    """The native function of each instruction that has something to do, in program order."""
    numbers: Counter[str] = Counter()
    names: dict[Instruction, str] = {}
    for instruction in function.instructions():
        if units(instruction):
            numbers[instruction.kind] += 1
            names[instruction] = f"{instruction.kind}{numbers[instruction.kind]}"
    return names


def tile_count(instruction: Instruction, threads: int) -> int:
    """Into how many tiles an instruction is cut for `threads` workers; 1 for a single worker."""
    if threads == 1:
        return 1
    return max(1, min(TILES_PER_THREAD * threads, units(instruction), work(instruction) // MINIMUM_WORK))


def schedule(function: Function, plan: MemoryPlan, *, threads: int) -> list[Task]:
    """The tasks of a function, in program order, with their dependencies; instructions without work are left out."""
    names = native_names(function)
    after = _dependencies([_Access.of(instruction, plan) for instruction in names])
    return [
        Task(instruction, native, native.capitalize(), tile_count(instruction, threads), waits)
        for (instruction, native), waits in zip(names.items(), after, strict=True)
    ]


# --- dependencies ------------------------------------------------------------------------------------------------

Box = tuple[tuple[int, int], ...]  # per dimension: first index, end index


@dataclass(frozen=True)
class Span:
    """Bytes from `start` up to `end` of a region."""

    region: str
    start: int
    end: int

    @staticmethod
    def of(value: IRValue, plan: MemoryPlan) -> Span:
        place = plan.place(value)
        return Span(place.region, place.offset, place.offset + place.size)

    def overlaps(self, other: Span) -> bool:
        return self.region == other.region and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class _Access:
    """The bytes an instruction reads and writes. An `inserttensor` writes the box `part` of `Dest` only."""

    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    part: tuple[tuple[int, ...], Box] | None = None

    @staticmethod
    def of(instruction: Instruction, plan: MemoryPlan) -> _Access:
        reads = tuple(Span.of(value, plan) for value in instruction.reads() if value.type.elements)
        writes = tuple(Span.of(value, plan) for value in instruction.writes() if value.type.elements)
        if instruction.kind != "inserttensor":
            return _Access(reads, writes)
        return _Access(
            (Span.of(instruction["Src"], plan),), writes, (instruction["Dest"].type.shape, _box(instruction))
        )

    def conflicts(self, later: _Access) -> bool:
        """Whether swapping the two could change a result."""
        if _overlap(self.writes, later.reads) or _overlap(self.reads, later.writes):
            return True
        return _overlap(self.writes, later.writes) and not self._is_apart_from(later)

    def _is_apart_from(self, other: _Access) -> bool:
        """Both insert into the same tensor, and their boxes have no element in common."""
        if self.part is None or other.part is None or self.writes != other.writes or self.part[0] != other.part[0]:
            return False
        boxes = zip(self.part[1], other.part[1], strict=True)
        return any(end <= start2 or end2 <= start for (start, end), (start2, end2) in boxes)


def _box(insert: Instruction) -> Box:
    offsets = insert.attributes["Offsets"]
    assert isinstance(offsets, tuple)
    return tuple((int(o), int(o) + size) for o, size in zip(offsets, insert["Src"].type.shape, strict=True))


def _overlap(some: tuple[Span, ...], others: tuple[Span, ...]) -> bool:
    return any(a.overlaps(b) for a in some for b in others)


def _dependencies(accesses: list[_Access]) -> list[tuple[int, ...]]:
    """Per access, the earlier ones it conflicts with and that no other of them waits for already.

    `before[i]` is a bit set of everything that is finished once access i may start. The nearest conflicts are looked
    at first, so in a chain almost all earlier accesses are known to be finished without a comparison.
    """
    before: list[int] = []
    result: list[tuple[int, ...]] = []
    for index, access in enumerate(accesses):
        finished = 0
        waits: list[int] = []
        for earlier in range(index - 1, -1, -1):
            if not finished >> earlier & 1 and accesses[earlier].conflicts(access):
                waits.append(earlier)
                finished |= before[earlier] | 1 << earlier
        before.append(finished)
        result.append(tuple(reversed(waits)))
    return result
