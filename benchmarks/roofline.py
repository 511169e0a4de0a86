"""How far each layer of a model is from what this machine can do. A measurement, never a test.

    python benchmarks/roofline.py [--worst N] [--seconds S] [--cc CC] [MODEL ...] [-- FLAG=VALUE ...]

MODEL is an .onnx file, or a name of `shared_models.py`; FLAG a compile option. First `machine.c` measures one core:
multiply-adds per second (peak) and bytes per second that it reads from each level of memory. Then each model is
compiled with -profile-kernels for one thread, and run. A row per task:

    MFLOP    what its kernel computes: twice its multiply-adds; those of Winograd's algorithm where it is used
    KB       constants, inputs and outputs, each once
    µs       its time: the shortest of many blocks of runs, so that what else the machine does is not in it
    bound    the least time for MFLOP at peak, or for KB at the speed of the level they come from, and which of the two
    of it    bound / µs, in percent
    lost     µs - bound

Constants come from the smallest level that holds all constants and buffers of the model, other operands from the
smallest that holds the task's own. A bound of bandwidth is an estimate: caches do not keep exactly what is used next.
The line of a model says what a run takes, and how much of it outside of all tasks, each the shortest of the blocks.
With `--worst N` only the N tasks that lose most are shown.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from calls import Caller, built
from compile_words import parsed_options, split_words
from shared_models import find_models, symbols

import inbundle
from inbundle.bundle.runner import Bundle
from inbundle.bundle.targets import resolve
from inbundle.bundle.verify import random_input
from inbundle.driver import optimize_graph, optimize_ir
from inbundle.errors import CompileError
from inbundle.frontend import load_graph
from inbundle.ir.function import Instruction, WeightVar, storage
from inbundle.ir.tasks import native_names
from inbundle.ir.units import work
from inbundle.lowering import lower
from inbundle.options import CompileOptions

HEADINGS = ("layer", "kind", "MFLOP", "KB", "µs", "bound µs", "by", "of it %", "lost µs")
BLOCK_MICROSECONDS = 500.0


# --- the machine -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """One core: GFLOP/s, and per level of memory, smallest first, its name, GB/s and bytes."""

    gflops: float
    levels: tuple[tuple[str, float, float], ...]

    def level(self, size: float) -> tuple[str, float]:
        """Name and GB/s of the smallest level that holds so many bytes."""
        return next((name, speed) for name, speed, holds in self.levels if size <= holds)

    def __str__(self) -> str:
        levels = ", ".join(f"{speed:.0f} GB/s from {name}" for name, speed, _ in self.levels)
        return f"one core: {self.gflops:.0f} GFLOP/s, {levels}"


def measure_machine(scratch: Path) -> Machine:
    """What `machine.c` finds."""
    program = built("machine.c", scratch / "machine", "-mprefer-vector-width=512")
    return parsed_machine(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def parsed_machine(text: str) -> Machine:
    """The lines of `machine.c`: name, figure, bytes that the level holds or 0 for any number."""
    lines = [line.split() for line in text.splitlines()]
    levels = tuple((name, float(speed), float(size) or float("inf")) for name, speed, size in lines[1:])
    return Machine(float(lines[0][1]), levels)


# --- what a task has to do ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """Of one run of a task: operations, bytes of constants, bytes of other operands."""

    flop: float
    constant_bytes: int
    other_bytes: int


def load_of(instruction: Instruction) -> Load:
    """What an instruction computes and touches."""
    constants = others = 0
    for operand in instruction.operands.values():
        base, _ = storage(operand.value)
        if isinstance(base, WeightVar) and base.data is not None:
            constants += operand.value.type.bytes
        else:
            others += operand.value.type.bytes
    return Load(_flop(instruction), constants, others)


def _flop(instruction: Instruction) -> float:
    return 2 * (_winograd_products(instruction) if instruction.kind == "nhwcwinograd" else work(instruction))


def _winograd_products(winograd: Instruction) -> int:
    """Each tile of the output meets every transformed filter once."""
    filters, (images, height, width, _) = winograd["Filter"].type, winograd.computed.type.shape
    step = math.isqrt(filters.shape[0]) + 1 - winograd.attributes["Kernels"][0]
    return filters.elements * images * -(-height // step) * -(-width // step)


@dataclass(frozen=True)
class Bound:
    """The least time of a task in microseconds, and what sets it: `compute`, or a level of memory."""

    microseconds: float
    by: str


def bound_of(load: Load, machine: Machine, working_set: float) -> Bound:
    """The larger of the times for operations and for bytes.

    Args:
        working_set: bytes of all constants and buffers of the model.
    """
    level, speed = machine.level(working_set)
    own_level, own_speed = machine.level(load.constant_bytes + load.other_bytes)
    compute = load.flop / machine.gflops * 1e-3
    memory = (load.constant_bytes / speed + load.other_bytes / own_speed) * 1e-3
    by = level if load.constant_bytes / speed > load.other_bytes / own_speed else own_level
    return Bound(compute, "compute") if compute >= memory else Bound(memory, by)


# --- measuring ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A task: the layer and kind it is for, its load, time in microseconds, and bound."""

    layer: str
    kind: str
    load: Load
    microseconds: float
    bound: Bound

    @property
    def lost(self) -> float:
        return self.microseconds - self.bound.microseconds

    def cells(self) -> tuple[str, ...]:
        size = (self.load.constant_bytes + self.load.other_bytes) / 1000
        share = 100 * self.bound.microseconds / self.microseconds
        numbers = f"{self.load.flop / 1e6:.3f}", f"{size:.1f}", f"{self.microseconds:.2f}"
        bound = f"{self.bound.microseconds:.2f}", self.bound.by
        return self.layer, self.kind, *numbers, *bound, f"{share:.0f}", f"{self.lost:.2f}"


@dataclass(frozen=True)
class Times:
    """Microseconds: of each task in the order of the network, of a run, and of what a run does outside of tasks."""

    tasks: list[float]
    run: float
    outside: float


def loads(model: Path, options: CompileOptions) -> dict[str, Load]:
    """Native function -> what it has to do, for the bundle that these options give."""
    graph = load_graph(model, options)
    optimize_graph(graph, options)
    function = lower(graph)
    optimize_ir(function, options, vectors=bool(resolve(options).vectors))
    return {native: load_of(instruction) for instruction, native in native_names(function).items()}


def times(bundle: Bundle, caller: Caller, seconds: float) -> Times:
    """The shortest times of many blocks of runs, as many as fill so many seconds."""
    rng = np.random.default_rng(1)
    regions = bundle.regions()
    for tensor in bundle.inputs:
        regions.inputs[tensor.name][...] = random_input(tensor, rng)
    warm = caller.microseconds(bundle.entry, regions.addresses, seconds / 10)
    runs = max(1, int(BLOCK_MICROSECONDS / warm.min()))
    profiler, blocks, end = bundle.profiler(), [], time.monotonic() + seconds
    while len(blocks) < 5 or time.monotonic() < end:
        profiler.reset()
        caller.microseconds(bundle.entry, regions.addresses, 0.0, fewest=runs)
        blocks.append(profiler.read())
    tasks = np.array([[task.nanoseconds for task in block.tasks] for block in blocks]) / runs / 1e3
    whole = np.array([block.nanoseconds for block in blocks]) / runs / 1e3
    return Times(tasks.min(axis=0).tolist(), float(whole.min()), float((whole - tasks.sum(axis=1)).min()))


def measured(
    model: Path, machine: Machine, caller: Caller, options: dict[str, Any], seconds: float, scratch: Path
) -> tuple[list[Row], Times]:
    """A row per task, and the times of a run."""
    options = {"onnx_define_symbol": symbols(model), **options, "profile_kernels": True}
    bundle = inbundle.compile(model, scratch / model.stem, relocation_model="pic", **options)
    found = loads(model, CompileOptions(**options))
    took = times(bundle, caller, seconds)
    sizes = bundle.manifest["regions"]
    working_set = sum(sizes[name]["size"] for name in ("constantWeight", "activations"))
    rows = []
    for kernel, microseconds in zip(bundle.manifest["kernels"], took.tasks, strict=True):
        load = found[kernel["native"]]
        bound = bound_of(load, machine, working_set)
        rows.append(Row(kernel["instruction"], kernel["kind"], load, microseconds, bound))
    return rows, took


# --- showing -----------------------------------------------------------------------------------------------------


def report(name: str, rows: Sequence[Row], took: Times, worst: int) -> str:
    """The table of a model."""
    bound = sum(row.bound.microseconds for row in rows)
    shown = sorted(rows, key=lambda row: -row.lost)[:worst] if worst else rows
    lines = [HEADINGS, *(row.cells() for row in shown)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    align: list[Callable[[str, int], str]] = [str.ljust] * 2 + [str.rjust] * 7
    text = ["  ".join(put(cell, width) for put, cell, width in zip(align, line, widths, strict=True)) for line in lines]
    summary = f"a run {took.run:.2f} µs, outside of tasks {took.outside:.2f}; sum of bounds {bound:.2f}"
    return "\n".join([f"{name}: {summary}", *text, ""])


def main(words: Sequence[str]) -> int:
    own, flags = split_words(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="only the tasks that lose most")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="time to run each model")
    parser.add_argument("--cc", default="", help="C compiler of the bundles")
    given = parser.parse_args(own)
    options = {"compiler": given.cc, **parsed_options(flags)}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        machine, caller = measure_machine(scratch), Caller(scratch)
        print(f"{machine}\n", flush=True)
        for model in find_models(given.models, scratch):
            try:
                rows, took = measured(model, machine, caller, options, given.seconds, scratch)
            except CompileError as error:
                print(f"{model.stem}: {error}", flush=True)
                continue
            print(report(model.stem, rows, took, given.worst), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
