"""Which instructions must wait for which: those that touch the same bytes, at least one of them writing.

Bytes are spans of regions. What a region is, and where a value lies in it, the caller says: the regions of a memory
plan, or every variable and buffer for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from inbundle.ir.function import Instruction, IRValue, Role, TensorView, storage
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.parts import inserted_at
from inbundle.ir.stacks import inserts

Box = tuple[tuple[int, int], ...]  # per dimension: first index, end index


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
class Access:
    """The bytes an instruction reads and writes. One that writes the box `part` of a tensor, whose elements do not lie
    side by side, writes no other elements of the span in `writes`."""

    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    part: tuple[tuple[int, ...], Box] | None = None

    @staticmethod
    def of(instruction: Instruction, locate: Locate) -> Access:
        operands = [operand for operand in instruction.operands.values() if operand.value.type.elements]
        reads = tuple(locate(operand.value) for operand in operands if operand.role is Role.IN)
        insert = inserts(instruction)
        if insert is None:
            return Access(reads, tuple(locate(operand.value) for operand in operands if operand.role is Role.OUT))
        first = inserted_at(insert)
        if first is not None:
            part = TensorView("", insert["Src"].type, insert["Dest"], first)
            return Access(reads, (locate(part),))
        return Access(reads, (locate(insert["Dest"]),), (insert["Dest"].type.shape, _box(insert)))

    def conflicts(self, later: Access) -> bool:
        """Whether swapping the two could change a result."""
        if _overlap(self.writes, later.reads) or _overlap(self.reads, later.writes):
            return True
        return _overlap(self.writes, later.writes) and not self._is_apart_from(later)

    def _is_apart_from(self, other: Access) -> bool:
        """Both write into the same tensor, and their boxes have no element in common."""
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


def dependencies(accesses: Sequence[Access]) -> list[tuple[int, ...]]:
    """Per access, the earlier ones it conflicts with and that no other of them waits for already; ascending.

    `before[i]` is a bit set of everything that is finished once access i may start. The nearest conflicts are looked
    at first, so in a chain almost all earlier accesses are known to be finished without a comparison.
    """
    before: list[int] = []
    result: list[tuple[int, ...]] = []
    regions = _regions(accesses)
    for index, access in enumerate(accesses):
        finished, waits = 0, list[int]()
        for earlier in _touching(index, access, regions)[::-1].tolist():
            if not finished >> earlier & 1 and accesses[earlier].conflicts(access):
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
        for spans, writes in ((access.reads, False), (access.writes, True)):
            for span in spans:
                rows.setdefault(span.region, []).append((span.start, span.end, index, writes))
    columns = {region: np.array(found).T for region, found in rows.items() if any(row[3] for row in found)}
    return {region: _Region(column[0], column[1], column[2], column[3] != 0) for region, column in columns.items()}


def _touching(index: int, access: Access, regions: dict[Hashable, _Region]) -> np.ndarray:
    """The earlier accesses with bytes that this one touches, too, and one of both writes; ascending."""
    found = np.zeros(index, np.bool_)
    for spans, writes in ((access.reads, False), (access.writes, True)):
        for span in spans:
            if span.region in regions:
                found[regions[span.region].touching(index, span, writes=writes)] = True
    return np.flatnonzero(found)
