"""MemoryPlan: where every variable and buffer lies in the three regions. `ir/planner.py` makes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from inbundle.ir.function import AllocActivation, IRValue, WeightVar, storage

ALIGNMENT = 64


def align(size: int) -> int:
    """`size` rounded up to a multiple of ALIGNMENT."""
    return -(-size // ALIGNMENT) * ALIGNMENT


@dataclass(frozen=True)
class Place:
    """`region` is `constantWeight`, `mutableWeight` or `activations`; offset and size in bytes."""

    region: str
    offset: int
    size: int


@dataclass
class MemoryPlan:
    """Offsets of variables and buffers, sizes of regions in bytes (multiples of ALIGNMENT, or 0).

    Offsets in the activations region are counted from the first buffer; the engine's memory lies after the buffers,
    at `activation_bytes`, so that the plan does not depend on it. Variables stand in `places` by ascending offset.
    """

    places: dict[WeightVar | AllocActivation, Place] = field(default_factory=dict)
    constant_bytes: int = 0
    mutable_bytes: int = 0
    activation_bytes: int = 0

    def place(self, value: IRValue) -> Place:
        """Where a value starts, views resolved; its size is the value's own."""
        base, start = storage(value)
        home = self.places[base]  # type: ignore[index]
        return Place(home.region, home.offset + start, value.type.bytes)

    def without_activations(self, *, constants: bool) -> MemoryPlan:
        """The plan of a program that keeps its intermediate values elsewhere, and without `constants` those, too."""
        regions = ("constantWeight", "mutableWeight") if constants else ("mutableWeight",)
        places = {value: place for value, place in self.places.items() if place.region in regions}
        return MemoryPlan(places, self.constant_bytes if constants else 0, self.mutable_bytes)
