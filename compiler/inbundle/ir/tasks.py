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

from inbundle.ir.dependencies import Access, dependencies, planned
from inbundle.ir.function import Function, Instruction
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.stacks import INSERT
from inbundle.ir.vector_work import VECTOR_UNITS, VECTOR_WORK

# A tile below this many multiply-adds (or elements touched) costs more to hand out than it saves.
MINIMUM_WORK = 16384
# Tiles per worker: two, so that a worker that is late leaves its second one to others.
TILES_PER_THREAD = 2


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

    Convolutions, pools and batch normalisation: images times channels of Dest. Softmax: lines along its axis. Layer
    normalisation: rows of the dimensions from its axis on. `inserttensor`: elements of Src. All others: elements of
    Dest. Nothing to do is 0.
    """
    dest = instruction.computed.type
    if dest.elements == 0:
        return 0
    family = INSTRUCTIONS[instruction.kind].family
    if instruction.kind in VECTOR_UNITS:
        return VECTOR_UNITS[instruction.kind](instruction)
    if family in ("conv", "pool") or instruction.kind == "batchnormalization":
        return math.prod(dest.shape[:2])
    if instruction.kind in ("softmax", "logsoftmax"):
        axis = instruction.attributes["Axis"]
        assert isinstance(axis, int)
        return dest.elements // dest.shape[axis]
    if instruction.kind == "layernormalization":
        axis = instruction.attributes["Axis"]
        assert isinstance(axis, int)
        return math.prod(dest.shape[:axis])
    if instruction.kind == INSERT:
        return instruction["Src"].type.elements
    return dest.elements


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
    **VECTOR_WORK,
    "convolution": _convolution_work,
    "maxpool": _pool_work,
    "avgpool": _pool_work,
    "fullyconnected": _fullyconnected_work,
    "matmul": _matmul_work,
    INSERT: _source_work,
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
    count, elements = _WORK.get(instruction.kind), instruction.computed.type.elements
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
    locate = planned(plan)
    after = dependencies([Access.of(instruction, locate) for instruction in names])
    return [
        Task(instruction, native, native.capitalize(), tile_count(instruction, threads), waits)
        for (instruction, native), waits in zip(names.items(), after, strict=True)
    ]
