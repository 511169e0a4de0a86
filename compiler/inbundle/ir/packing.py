"""Packing buffers into one region: offsets so that no two that live at the same time overlap.

Buffers are placed one after the other, each at the lowest offset that is free during its life (first fit). What comes
out depends on the order: two are tried, and improved by placing the buffers that reached highest first, as long as the
region is larger than the fullest moment needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inbundle.ir.function import AllocActivation

# An improvement ends after so many placements of all buffers, or about so many comparisons of two buffers.
MOST_ROUNDS = 60
MOST_COMPARISONS = 300_000


@dataclass(frozen=True, eq=False)
class Life:
    """A buffer is alive from the step `start` to the step `end`; `size` is in bytes, padded."""

    buffer: AllocActivation
    start: int
    end: int
    size: int

    def meets(self, other: Life) -> bool:
        return self.start < other.end and other.start < self.end


Offsets = dict[Life, int]


def total(offsets: Offsets) -> int:
    """The size of the region."""
    return max((offset + life.size for life, offset in offsets.items()), default=0)


def own_bytes(lives: list[Life]) -> Offsets:
    """Every buffer has bytes of its own."""
    offsets: Offsets = {}
    start = 0
    for life in lives:
        offsets[life] = start
        start += life.size
    return offsets


def fullest_moment(lives: list[Life]) -> int:
    """The largest sum of bytes alive at the same time: no region can be smaller. `lives` stand in order of start."""
    return max(map(_live_bytes, _moments(lives)), default=0)


def pack(lives: list[Life]) -> Offsets:
    """The smallest region found; `lives` stand in order of start."""
    perfect = fullest_moment(lives)
    best = own_bytes(lives)
    for order in (_fullest_moment_first(lives), lives):
        offsets = _improved(order, perfect)
        best = min(best, offsets, key=total)
        if total(best) == perfect:
            break
    return best


def _moments(lives: list[Life]) -> list[list[Life]]:
    """The buffers alive right after each allocation; between two allocations there is never more."""
    moments: list[list[Life]] = []
    alive: list[Life] = []
    for life in lives:
        alive = [other for other in alive if other.end > life.start] + [life]
        moments.append(alive)
    return moments


def _live_bytes(moment: list[Life]) -> int:
    return sum(life.size for life in moment)


def _fullest_moment_first(lives: list[Life]) -> list[Life]:
    """From the fullest moment to the emptiest, in each the biggest buffer first."""
    moments = sorted(_moments(lives), key=_live_bytes, reverse=True)
    return list(dict.fromkeys(life for moment in moments for life in sorted(moment, key=lambda life: -life.size)))


def _improved(order: list[Life], perfect: int) -> Offsets:
    """The best of what comes out of an order when, again and again, the buffer that reaches highest is placed first."""
    best = current = _first_fit(order)
    for _ in range(min(MOST_ROUNDS, MOST_COMPARISONS // max(1, len(order)) ** 2)):
        if total(best) == perfect:
            break
        highest = max(order, key=lambda life: current[life] + life.size)
        order = [highest, *(life for life in order if life is not highest)]
        current = _first_fit(order)
        best = min(best, current, key=total)
    return best


def _first_fit(order: Iterable[Life]) -> Offsets:
    """Place each buffer at the lowest offset where nothing that lives with it is in the way."""
    offsets: Offsets = {}
    for life in order:
        taken = sorted((start, start + other.size) for other, start in offsets.items() if life.meets(other))
        offsets[life] = _first_gap(taken, life.size)
    return offsets


def _first_gap(taken: list[tuple[int, int]], size: int) -> int:
    """The lowest offset of `size` free bytes; `taken` are (start, end) in order of start, and may overlap."""
    offset = 0
    for start, end in taken:
        if offset + size <= start:
            break
        offset = max(offset, end)
    return offset
