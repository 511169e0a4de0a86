"""Register tiles: the functions in which convolutions and products spend their time, and how a line is cut into tiles.

A tile is named by what calls it and written once per file: `tile_6x4_avx512` sums 6 pixels by 4 vectors of channels
whose inputs lie in equal steps, `taps_6x4_avx512` the same with a pointer per pixel and tap. The length of short
segments, `_of3`, is known. Where the sums pass an epilogue before they are stored, its name comes behind. Tiles with
weights from afar have one segment and fetch those that come next: `fetch_6x4_avx512`, and `add_6x4_avx512`, which goes
on with sums in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from inbundle.ir.panels import PANEL, panels
from inbundle.kernels import templates
from inbundle.kernels.layout import indented
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.functions import for_machine
from inbundle.kernels.vector.machines import MACHINES, Machine

_CALL = re.compile(r"\b(tile|taps|add|fetch)_(\d+)x(\d+)_([a-z0-9]+)(?:_of(\d+))?(_then_\w+)?(?=\()")


def tile_functions(text: str, epilogues: Mapping[str, Epilogue]) -> list[str]:
    """The C texts of the tiles that `text` calls; `epilogues`: by their names."""
    return [
        _tile(form, int(pixels), int(vectors), MACHINES[unit], int(depth or 0), epilogues.get(then))
        for form, pixels, vectors, unit, depth, then in sorted(set(_CALL.findall(text)))
    ]


def _tile(form: str, pixels: int, vectors: int, machine: Machine, unrolled: int, epilogue: Epilogue | None) -> str:
    places = [(pixel, vector) for pixel in range(pixels) for vector in range(vectors)]
    of = f"_of{unrolled}" if unrolled else ""
    text = templates.render(
        "vector/fetching_tile.c.j2" if form in ("add", "fetch") else "vector/tile.c.j2",
        name=f"{form}_{pixels}x{vectors}_{machine.name}{of}{epilogue.name if epilogue else ''}",
        machine=machine,
        pixels=pixels,
        vectors=vectors,
        panel=PANEL,
        form=form,
        unrolled=unrolled,
        epilogue=epilogue,
        stores=[_store(epilogue, pixel, vector, machine) for pixel, vector in places] if epilogue else [],
    )
    return indented(text, 0)


def _store(epilogue: Epilogue, pixel: int, vector: int, machine: Machine) -> str:
    """The end of sum `pixel`_`vector` of a tile."""
    column = vector * machine.lanes
    target = f"dest + {pixel} * dest_step + {column}"
    text = epilogue.store(target, f"sum{pixel}_{vector}", str(column), f"{pixel} * whole_step + {column}")
    return for_machine(text, machine)


@dataclass(frozen=True)
class Group:
    """Output channels that go through the registers together, again and again.

    Attributes:
        begin, end: channels, `end` excluded; `step` channels at a time.
        vectors: vectors in a step.
        valid: channels of a step that exist; fewer than `step` in a last group only.
    """

    begin: int
    end: int
    step: int
    vectors: int
    valid: int

    @property
    def panels(self) -> int:
        """Panels of filters that a step goes through, the last one perhaps in part."""
        return panels(self.step)


_Run = TypeVar("_Run")


@dataclass(frozen=True)
class CutGroup(Generic[_Run]):
    """A group, and how the pixels, tiles or windows that go through the registers with it are cut."""

    group: Group
    runs: list[_Run]

    def __getattr__(self, name: str) -> object:
        return getattr(self.group, name)


def groups(machine: Machine, channels: int) -> list[Group]:
    """All channels in groups of about as many vectors, and no more than the registers hold."""
    sizes = _vectors(machine, -(-channels // machine.lanes))
    found: list[Group] = []
    begin = 0
    for size in sizes:
        step = size * machine.lanes
        valid = min(step, channels - begin)
        last = found[-1] if found else None
        if last and last.vectors == size and last.valid == valid:
            found[-1] = Group(last.begin, begin + step, step, size, valid)
        else:
            found.append(Group(begin, begin + step, step, size, valid))
        begin += step
    return found


def _vectors(machine: Machine, total: int) -> list[int]:
    """`total` vectors in sizes that the machine has tiles for: about equal ones, else the largest that fit first."""
    count = -(-total // machine.most_vectors)
    equal = [total // count + (number < total % count) for number in range(count)]
    if all(size in machine.pixels for size in equal):
        return equal
    sizes: list[int] = []
    while total:
        sizes.append(max(size for size in machine.pixels if size <= total))
        total -= sizes[-1]
    return sizes


@dataclass(frozen=True)
class Run:
    """Neighbouring tiles of a line: from pixel `begin` to `end`, `pixels` each; `inside`: no tap leaves the line."""

    begin: int
    end: int
    pixels: int
    inside: bool


def runs(count: int, most: int, first_inside: int, end_inside: int) -> list[Run]:
    """A line of `count` pixels in tiles of about equal size.

    Args:
        most: pixels that a tile can have.
        first_inside, end_inside: the pixels between whose taps all lie inside.
    """
    tiles = -(-count // most)
    found: list[Run] = []
    begin = 0
    for number in range(tiles):
        pixels = count // tiles + (number < count % tiles)
        inside = first_inside <= begin and begin + pixels <= end_inside
        last = found[-1] if found else None
        if last and (last.pixels, last.inside) == (pixels, inside):
            found[-1] = Run(last.begin, begin + pixels, pixels, inside)
        else:
            found.append(Run(begin, begin + pixels, pixels, inside))
        begin += pixels
    return found
