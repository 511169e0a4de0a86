"""Which instructions must wait for which: those that touch the same bytes, at least one of them writing.

Bytes are spans of regions. What a region is, and where a value lies in it, the caller says: the regions of a memory
plan, or every variable and buffer for itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

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
    touched: dict[Hashable, list[int]] = {span.region: [] for access in accesses for span in access.writes}
    for index, access in enumerate(accesses):
        finished, waits = 0, list[int]()
        for earlier in _nearest_first(access, touched):
            if not finished >> earlier & 1 and accesses[earlier].conflicts(access):
                waits.append(earlier)
                finished |= before[earlier] | 1 << earlier
                if finished == (1 << index) - 1:
                    break
        before.append(finished)
        result.append(tuple(reversed(waits)))
        for region in _regions(access) & touched.keys():
            touched[region].append(index)
    return result


def _nearest_first(access: Access, touched: dict[Hashable, list[int]]) -> Iterable[int]:
    """The earlier accesses to the same regions, latest first; one may appear more than once."""
    lists = [touched[region] for region in _regions(access) & touched.keys()]
    return reversed(lists[0]) if len(lists) == 1 else heapq.merge(*map(reversed, lists), reverse=True)


def _regions(access: Access) -> set[Hashable]:
    return {span.region for span in (*access.reads, *access.writes)}
