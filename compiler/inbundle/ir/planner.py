"""The memory planner: Function -> MemoryPlan.

Constants lie in the order in which the program first reads them. Placeholders lie as inputs, in-and-out, outputs,
neither, each group by first use. Activations share bytes when they do not live at the same time: three orders of
placing them are tried, each first fit, and the smallest region wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Mutability, WeightVar
from inbundle.ir.memory import ALIGNMENT, MemoryPlan, Place, align
from inbundle.ir.uses import uses


def plan(function: Function, *, reuse: bool = True) -> MemoryPlan:
    """Offsets for everything in `function`, whose buffers all have their deallocations.

    Args:
        reuse: let activations share bytes; otherwise each has its own.
    """
    result = MemoryPlan()
    variables = _by_first_use(function)
    constants = [variable for variable in variables if variable.mutability is Mutability.CONST]
    result.constant_bytes = _place_in_a_row(result, "constantWeight", constants)
    result.mutable_bytes = _place_in_a_row(result, "mutableWeight", _placeholders(function, variables))
    lives = _lives(function)
    offsets = _share(lives) if reuse else _own_bytes(lives)
    for life in lives:
        result.places[life.buffer] = Place("activations", offsets[life], life.buffer.type.bytes)
    result.activation_bytes = _total(offsets)
    return result


# --- variables ---------------------------------------------------------------------------------------------------


def _by_first_use(function: Function) -> list[WeightVar]:
    """Used variables in the order of their first use, then the others."""
    order = {value: index for index, value in enumerate(uses(function))}
    return sorted(function.variables, key=lambda variable: order.get(variable, len(order)))


def _placeholders(function: Function, variables: Iterable[WeightVar]) -> list[WeightVar]:
    """Mutable variables, inputs first; the order inside a group stays."""

    def group(variable: WeightVar) -> int:
        is_input, is_output = variable in function.inputs, variable in function.outputs
        return {(True, False): 0, (True, True): 1, (False, True): 2, (False, False): 3}[is_input, is_output]

    return sorted((variable for variable in variables if variable.mutability is Mutability.MUTABLE), key=group)


def _place_in_a_row(result: MemoryPlan, region: str, variables: Sequence[WeightVar]) -> int:
    """Place `variables` one after the other and return the region's size; an empty one takes ALIGNMENT bytes."""
    offset = 0
    for variable in variables:
        result.places[variable] = Place(region, offset, variable.type.bytes)
        offset += max(align(variable.type.bytes), ALIGNMENT)
    return offset


# --- activations -------------------------------------------------------------------------------------------------


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


def _lives(function: Function) -> list[Life]:
    """The buffers in program order."""
    ends = {step.buffer: index for index, step in enumerate(function.code) if isinstance(step, Dealloc)}
    return [
        Life(step.buffer, index, ends[step.buffer], align(step.buffer.type.bytes))
        for index, step in enumerate(function.code)
        if isinstance(step, Alloc)
    ]


def _total(offsets: Offsets) -> int:
    return max((offset + life.size for life, offset in offsets.items()), default=0)


def _own_bytes(lives: list[Life]) -> Offsets:
    offsets: Offsets = {}
    for life in lives:
        offsets[life] = _total(offsets)
    return offsets


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


def _orders(lives: list[Life], moments: list[list[Life]]) -> Iterator[list[Life]]:
    """The three orders of placing: from the fullest moment to the emptiest, in each moment the biggest buffer first;
    the same with the longest-lived first; program order."""
    fullest_first = sorted(moments, key=_live_bytes, reverse=True)
    yield [life for moment in fullest_first for life in sorted(moment, key=lambda life: -life.size)]
    yield [life for moment in fullest_first for life in sorted(moment, key=lambda life: life.start - life.end)]
    yield lives


def _share(lives: list[Life]) -> Offsets:
    """The best of the three orders; the first one that needs no more than the fullest moment is as good as any."""
    moments = _moments(lives)
    perfect = max(map(_live_bytes, moments), default=0)
    best: Offsets | None = None
    for order in _orders(lives, moments):
        offsets = _first_fit(order)
        if best is None or _total(offsets) < _total(best):
            best = offsets
        if _total(best) == perfect:
            break
    assert best is not None
    return best


def _first_fit(order: Iterable[Life]) -> Offsets:
    """Place each buffer, at its first mention, at the lowest offset where nothing that lives with it is in the way."""
    offsets: Offsets = {}
    for life in order:
        if life not in offsets:
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
