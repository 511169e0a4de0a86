"""Tasks: the IR of a function as pieces of work that may run in any order their dependencies allow.

A task is one IR instruction, cut into tiles of its outermost loop. What the kernels and the tile translation must agree
on stands here: the names of the native functions, how instructions are cut, and which tile waits for which. This module
knows bytes and regions, but neither C nor interaction nets.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

from inbundle.ir.dependencies import Access, dependencies, planned
from inbundle.ir.footprints import footprint
from inbundle.ir.function import Function, Instruction
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.tiling import UNCUT, Tiling
from inbundle.ir.units import units

TileId = tuple[int, int]
"""A tile: index of its task, number in the task."""


@dataclass(frozen=True, eq=False)
class Task:
    """An instruction to run.

    Attributes:
        native: kind and running number per kind, `convolution1`; the C function is `native_convolution1(t)`.
        agent: the same with a capital, `Convolution1`.
        waits: per tile, the earlier tiles that must be finished before it starts; transitively reduced, ascending.
        tiling: tile t of `tiles` covers the units from `t * units // tiles` to `(t + 1) * units // tiles`.
    """

    instruction: Instruction
    native: str
    agent: str
    waits: tuple[tuple[TileId, ...], ...]
    tiling: Tiling = UNCUT

    @property
    def tiles(self) -> int:
        return len(self.waits)

    @property
    def after(self) -> tuple[int, ...]:
        """Indices of the tasks that a tile waits for, ascending."""
        return tuple(sorted({task for tile in self.waits for task, _ in tile}))


def native_names(function: Function) -> dict[Instruction, str]:
    """The native function of each instruction that has something to do, in program order."""
    numbers: Counter[str] = Counter()
    names: dict[Instruction, str] = {}
    for instruction in function.instructions():
        if units(instruction):
            numbers[instruction.kind] += 1
            names[instruction] = f"{instruction.kind}{numbers[instruction.kind]}"
    return names


def schedule(function: Function, plan: MemoryPlan, tilings: dict[Instruction, Tiling] | None = None) -> list[Task]:
    """The tasks of a function, in program order, with their dependencies; instructions without work are left out.

    Args:
        tilings: how instructions are cut (`ir/tiling.py`); those that are not in it are not.
    """
    names = native_names(function)
    cuts = [(tilings or {}).get(instruction, UNCUT) for instruction in names]
    ids = [(task, tile) for task, cut in enumerate(cuts) for tile in range(cut.tiles)]
    locate = planned(plan)
    accesses = [
        Access.of(instruction, locate, footprint(instruction, cut.split, tile, cut.tiles))
        for instruction, cut in zip(names, cuts, strict=True)
        for tile in range(cut.tiles)
    ]
    found = iter(dependencies(accesses, [task for task, _ in ids]))
    waits = [tuple(tuple(ids[i] for i in tile) for tile in itertools.islice(found, cut.tiles)) for cut in cuts]
    return [
        Task(instruction, native, native.capitalize(), wait, cut)
        for (instruction, native), wait, cut in zip(names.items(), waits, cuts, strict=True)
    ]
