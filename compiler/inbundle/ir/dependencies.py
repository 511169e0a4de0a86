"""Which instructions must wait for which: those that touch the same bytes, at least one of them writing.

Bytes are spans of regions. What a region is, and where a value lies in it, the caller says: the regions of a memory
plan, or every variable and buffer for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from inbundle.graph.types import row_major
from inbundle.ir.footprints import WHOLE, Box, Footprint
from inbundle.ir.function import Instruction, IRValue, Operand, Role, storage
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.stacks import inserts


@dataclass(frozen=True)
class Span:
    """Bytes from `start` up to `end` of a region."""

    region: Hashable
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.region == other.region and self.start < other.end and other.start < self.end


Locate = Callable[[IRValue], Span]


def own_bytes(value: IRValue) -> Span:
    """Where a value lies while every variable and buffer has bytes of its own."""
    base, start = storage(value)
    return Span(base, start, start + value.type.bytes)


def planned(plan: MemoryPlan) -> Locate:
    """Where a value lies in the regions of a plan."""

    def locate(value: IRValue) -> Span:
        place = plan.place(value)
        return Span(place.region, place.offset, place.offset + place.size)

    return locate


@dataclass(frozen=True)
class Part:
    """A box of a tensor of `shape` that lies at `tensor`. `span` is from its first byte to its last one."""

    tensor: Span
    shape: tuple[int, ...]
    box: Box
    span: Span

    def is_apart_from(self, other: Part) -> bool:
        """The boxes of one tensor have no element in common."""
        if (self.tensor, self.shape) != (other.tensor, other.shape):
            return False
        boxes = zip(self.box, other.box, strict=True)
        return any(end <= start2 or end2 <= start for (start, end), (start2, end2) in boxes)


@dataclass(frozen=True)
class Access:
    """The bytes that an instruction, or a tile of one, reads and writes: spans, and the box `part` of a tensor, but no
    other elements between."""

    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    part: Part | None = None

    @staticmethod
    def of(instruction: Instruction, locate: Locate, footprint: Footprint = WHOLE) -> Access:
        spans: dict[Role, list[Span]] = {role: [] for role in Role}
        for name, operand in instruction.operands.items():
            if operand.value.type.elements:
                spans[operand.role].append(_span(operand, locate, footprint.ranges.get(name)))
        insert = inserts(instruction)
        part = _part(insert, locate, footprint.box) if insert else None  # of Dest, which is in and out
        return Access(tuple(spans[Role.IN]), tuple(spans[Role.OUT]), part)

    @property
    def written(self) -> tuple[Span, ...]:
        """The spans that hold everything written."""
        return (*self.writes, self.part.span) if self.part else self.writes

    def conflicts(self, later: Access) -> bool:
        """Whether swapping the two could change a result."""
        if _overlap(self.written, later.reads) or _overlap(self.reads, later.written):
            return True
        if _overlap(self.writes, later.written) or _overlap(self.written, later.writes):
            return True
        if self.part is None or later.part is None or not self.part.span.overlaps(later.part.span):
            return False
        return not self.part.is_apart_from(later.part)


def _part(insert: Instruction, locate: Locate, box: Box | None) -> Part:
    """Where an inserting step puts this box of what it inserts, or all."""
    type, offsets = insert["Dest"].type, insert.integers("Offsets")
    box = box or tuple((0, size) for size in insert["Src"].type.shape)
    box = tuple((offset + low, offset + high) for offset, (low, high) in zip(offsets, box, strict=True))
    tensor = locate(insert["Dest"])
    return Part(tensor, type.shape, box, _box_span(tensor, type.shape, type.elem.size, box))


def _span(operand: Operand, locate: Locate, elements: tuple[int, int] | None) -> Span:
    """Where these elements of an operand lie, or all."""
    whole = locate(operand.value)
    if elements is None:
        return whole
    size = operand.value.type.elem.size
    return Span(whole.region, whole.start + elements[0] * size, whole.start + elements[1] * size)


def _box_span(tensor: Span, shape: Sequence[int], size: int, box: Box) -> Span:
    """From the first element of a box to its last one."""
    steps = row_major(shape)
    first = sum(low * step for (low, _), step in zip(box, steps, strict=True))
    last = sum((high - 1) * step for (_, high), step in zip(box, steps, strict=True))
    return Span(tensor.region, tensor.start + first * size, tensor.start + (last + 1) * size)


def _overlap(some: tuple[Span, ...], others: tuple[Span, ...]) -> bool:
    return any(a.overlaps(b) for a in some for b in others)


def dependencies(accesses: Sequence[Access], groups: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """Per access, the earlier ones it conflicts with and that no other of them waits for already; ascending.

    Accesses of the same group, such as the tiles of an instruction, do not wait for each other; each is one of its own
    if there are no `groups`.

    `before[i]` is a bit set of everything that is finished once access i may start. The nearest conflicts are looked
    at first, so in a chain almost all earlier accesses are known to be finished without a comparison.
    """
    groups = groups or range(len(accesses))
    before: list[int] = []
    result: list[tuple[int, ...]] = []
    regions = _regions(accesses)
    for index, access in enumerate(accesses):
        finished, waits = 0, list[int]()
        for earlier in _touching(index, access, regions)[::-1].tolist():
            is_open = groups[earlier] != groups[index] and not finished >> earlier & 1
            if is_open and accesses[earlier].conflicts(access):
                waits.append(earlier)
                finished |= before[earlier] | 1 << earlier
                if finished == (1 << index) - 1:
                    break
        before.append(finished)
        result.append(tuple(reversed(waits)))
    return result


@dataclass(frozen=True)
class _Region:
    """The spans in one region, in the order of the accesses that they belong to (`owners`)."""

    starts: np.ndarray
    ends: np.ndarray
    owners: np.ndarray
    writes: np.ndarray

    def touching(self, index: int, span: Span, *, writes: bool) -> np.ndarray:
        """Owners before access `index` of spans that overlap `span`, one of both being written."""
        count = np.searchsorted(self.owners, index)
        hit = (self.starts[:count] < span.end) & (self.ends[:count] > span.start)
        return self.owners[:count][hit if writes else hit & self.writes[:count]]


def _regions(accesses: Sequence[Access]) -> dict[Hashable, _Region]:
    """The regions that something writes; others bring about no dependencies."""
    rows: dict[Hashable, list[tuple[int, int, int, bool]]] = {}
    for index, access in enumerate(accesses):
        for spans, writes in ((access.reads, False), (access.written, True)):
            for span in spans:
                rows.setdefault(span.region, []).append((span.start, span.end, index, writes))
    columns = {region: np.array(found).T for region, found in rows.items() if any(row[3] for row in found)}
    return {region: _Region(column[0], column[1], column[2], column[3] != 0) for region, column in columns.items()}


def _touching(index: int, access: Access, regions: dict[Hashable, _Region]) -> np.ndarray:
    """The earlier accesses with bytes that this one touches, too, and one of both writes; ascending."""
    found = np.zeros(index, np.bool_)
    for spans, writes in ((access.reads, False), (access.written, True)):
        for span in spans:
            if span.region in regions:
                found[regions[span.region].touching(index, span, writes=writes)] = True
    return np.flatnonzero(found)
