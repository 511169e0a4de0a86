"""Runs many IR instructions through one compilation: generated kernels against the NumPy interpreter.

A `Batch` is a Function of independent instructions on operands of its own. Its kernels are generated for one tile and
for several, built with gcc's sanitisers into one program, and run on the regions several times; what tiles and runs
leave there must be the same bits, and what the interpreter computes within the rounding of the element kind.
"""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from inbundle.graph.graph import Attribute
from inbundle.graph.types import ElemKind, TensorType, of_array
from inbundle.ir.function import Dealloc, Function, Instruction, IRValue, Mutability, WeightVar
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.passes.add_scratch import add_scratch
from inbundle.ir.passes.share_buffers import share_buffers
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.tasks import Task, schedule
from inbundle.ir.tiling import Tiling
from inbundle.ir.units import splits, units
from inbundle.ir.verifier import verify
from inbundle.kernels import generate
from ir_interpreter import PATTERN, Memory, execute

INCLUDE = Path(__file__).resolve().parents[2] / "runtime_c" / "include"
TILES = 3
RUNS = 3
FLOATS = (ElemKind.FLOAT, ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.BFLOAT16, ElemKind.FLOAT64)
INTEGERS = tuple(kind for kind in ElemKind if not kind.is_float and kind is not ElemKind.BOOL)

DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch_kernels.c"

static uint8_t *region(const char *path, size_t size)
{
    uint8_t *bytes = (uint8_t *)aligned_alloc(64, size ? size : 64);
    FILE *file = fopen(path, "rb");
    if (!bytes || !file || fread(bytes, 1, size, file) != size)
        exit(99);
    fclose(file);
    return bytes;
}

static int run(bundle_regions *regions, int tiled)
{
    CALLS
    return 0;
}

int main(int count, char **argument)
{
    const int tiled = count > 1 && argument[1][0] == 't';
    uint8_t *results[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        uint8_t *constant = region("constant", CONSTANT), *activations = region("activations", ACTIVATIONS);
        results[i] = region("mutable", MUTABLE);
        bundle_regions regions = {constant, results[i], activations};
        if (run(&regions, tiled))
            return 1;
        free(constant), free(activations);
        if (i > 0 && memcmp(results[i], results[0], MUTABLE)) {
            fprintf(stderr, "run %d differs from the first\\n", i + 1);
            return 98;
        }
    }
    FILE *result = fopen("result", "wb");
    fwrite(results[0], 1, MUTABLE, result);
    fclose(result);
    for (int i = 0; i < RUNS; ++i)
        free(results[i]);
    return 0;
}
"""


@dataclasses.dataclass(frozen=True)
class Tools:
    """A C compiler with its flags, and the words before a program's name that run what it makes."""

    compiler: tuple[str, ...]
    run: tuple[str, ...] = ()


# Undefined behaviour traps: the code that would say what it is takes a third of the time to compile.
_CHECKED = ("-O0", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-fsanitize-undefined-trap-on-error")
HOST = Tools(("gcc", *_CHECKED))


class Batch:
    """A Function under construction, with the content of its inputs."""

    def __init__(self, seed: int, vectors: Sequence[str] = (), tools: Tools = HOST) -> None:
        """
        Args:
            vectors: the vector units that kernels are written for.
            tools: what builds and runs them.
        """
        self.vectors = vectors
        self.tools = tools
        self.function = Function("batch")
        self.random = np.random.default_rng(seed)
        self.inputs: dict[str, np.ndarray] = {}

    def add(
        self,
        kind: str,
        operands: Sequence[np.ndarray | TensorType | None],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        in_place: int | None = None,
    ) -> str:
        """Appends an instruction and returns the name of the output that will hold its Dest.

        Args:
            operands: in the kind's order; a type where the instruction only writes, an array where it reads.
            in_place: number of the operand whose memory Dest takes over.
        """
        names = [spec.name for spec in INSTRUCTIONS[kind].operands]
        named = zip(names, operands, strict=False)
        shared = (0, in_place) if in_place is not None else ()
        values = [
            None if n in shared else self._value(f"{kind}_{name}", operand) for n, (name, operand) in enumerate(named)
        ]
        if in_place is not None:
            values[0] = values[in_place] = self._input_and_output(f"{kind}_shared", operands[in_place])
        self._emit(kind, values, dict(attributes or {}))
        assert values[0] is not None
        return values[0].name

    def chain(
        self,
        *links: tuple[str, Sequence[np.ndarray | TensorType | IRValue | None], Mapping[str, Attribute]],
        dest: WeightVar | None = None,
    ) -> str:
        """Appends instructions that each compute a buffer, the last one an output, whose name is returned.

        Args:
            links: kind, operands as for `add`, attributes; a type that is not the first operand stands for the buffer
                that the link before it computed, in this shape.
            dest: the output, where it is there already.
        """
        before: IRValue | None = None
        for number, (kind, operands, attributes) in enumerate(links):
            type = operands[0]
            assert isinstance(type, TensorType)
            is_last = number == len(links) - 1
            names = [spec.name for spec in INSTRUCTIONS[kind].operands]
            values: list[IRValue | None] = [
                (dest or self._value(f"{kind}_Dest", type)) if is_last else self.function.alloc(f"{kind}_buffer", type)
            ]
            for name, operand in zip(names[1:], operands[1:], strict=False):
                if isinstance(operand, TensorType):
                    assert before is not None
                    values.append(before if before.type == operand else self.function.view(before, operand))
                else:
                    values.append(self._value(f"{kind}_{name}", operand))
            self.function.emit(kind, kind, values, dict(attributes))
            before = values[0]
        hoist_dealloc(self.function)
        assert before is not None
        return before.name

    def array(self, kind: ElemKind, shape: Sequence[int]) -> np.ndarray:
        """Random elements: floats around 0, small integers (of both signs, where the kind has them)."""
        if kind is ElemKind.BOOL:
            return self.random.random(tuple(shape)) < 0.5
        if kind.is_float:
            return (2 * self.random.standard_normal(tuple(shape))).astype(kind.dtype)
        low = -9 if kind.dtype.kind == "i" else 0
        return self.random.integers(low, 10, tuple(shape)).astype(kind.dtype)

    def shape(self, rank: int, largest: int = 5) -> tuple[int, ...]:
        """Random sizes from 1."""
        return tuple(int(size) for size in self.random.integers(1, largest + 1, rank))

    def broadcastable(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A random shape that broadcasts to `shape`."""
        kept = tuple(size if self.random.random() < 0.6 else 1 for size in shape)
        return kept[int(self.random.integers(0, len(shape) + 1)) :] if self.random.random() < 0.5 else kept

    def choose(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def _emit(self, kind: str, values: list[IRValue | None], attributes: dict[str, Attribute]) -> None:
        """The instruction; where it writes an output, now and then by way of a buffer."""
        dest = values[0]
        assert dest is not None
        if dest in values[1:] or kind == "inserttensor" or self.random.random() < 0.6:
            self.function.emit(kind, kind, values, attributes)
            return
        buffer = self.function.alloc(f"{kind}_buffer", dest.type)
        self.function.emit(kind, kind, [buffer, *values[1:]], attributes)
        self.function.emit("copy", f"{kind}_save", [dest, buffer])
        self.function.code.append(Dealloc(buffer))

    def output(self, type: TensorType) -> WeightVar:
        """An output that several instructions write."""
        output = self.function.variable("output", type, Mutability.MUTABLE)
        self.function.outputs.append(output)
        return output

    def buffer(self, array: np.ndarray) -> IRValue:
        """A buffer with content."""
        buffer = self.function.alloc("buffer", of_array(array))
        self.function.emit("copy", "copy", [buffer, self._mutable("content", array)])
        return buffer

    def skip_connections(self, links: Iterable[tuple]) -> list[Instruction]:
        """Adds to what each link computes what another instruction computed before, and lets results take over buffers.

        Returns:
            The instructions whose result lies where that operand did.
        """
        for link in links:
            dest = link[1][0]
            skip = self.buffer(self.array(dest.elem, dest.shape))
            further = (("add", [dest, dest, skip]), ("relu", [dest, dest]), ("copy", [dest, dest]))
            self.chain(link, *((kind, operands, {}) for kind, operands in further))
        stack_elementwise(self.function)
        share_buffers(self.function)
        return [step for step in self.function.instructions() if step.epilogue and step["Dest"] in step.reads()]

    def _value(self, name: str, operand: np.ndarray | TensorType | IRValue | None) -> IRValue | None:
        if isinstance(operand, TensorType):
            output = self.function.variable(name, operand, Mutability.MUTABLE)
            self.function.outputs.append(output)
            return output
        if operand is None or isinstance(operand, IRValue):
            return operand
        if name.endswith("Dest"):
            return self._input_and_output(name, operand)
        if self.random.random() < 0.5:
            return self.function.variable(name, of_array(operand), Mutability.CONST, operand)
        return self._mutable(name, operand)

    def _input_and_output(self, name: str, array: np.ndarray) -> WeightVar:
        variable = self._mutable(name, array)
        self.function.outputs.append(variable)
        return variable

    def _mutable(self, name: str, array: np.ndarray) -> WeightVar:
        variable = self.function.variable(name, of_array(array), Mutability.MUTABLE)
        self.function.inputs.append(variable)
        self.inputs[variable.name] = array
        return variable

    def results(self, folder: Path) -> dict[str, np.ndarray]:
        """Builds and runs the kernels: the content of the outputs by name, the same however many tiles."""
        verify(self.function)
        add_scratch(self.function, cut_in_tiles(self.function))
        plan = plan_memory(self.function)
        build(self.function, plan, folder, self.vectors, self.tools)
        write_regions(self.function, plan, self._memory(), folder)
        once, tiled = (mutable_after_run(folder, *words, tools=self.tools) for words in ((), ("tiled",)))
        assert once == tiled, "the number of tiles changes the result"
        return {variable.name: content(variable, plan, once) for variable in self.function.outputs}

    def kernels(self) -> str:
        """The text of the kernels file, for one tile."""
        plan = plan_memory(self.function)
        return generate(self.function, plan, schedule(self.function, plan), network="batch")

    def check(self, folder: Path, *, rounding: float = 0.0) -> None:
        """The results are what the interpreter computes, within the rounding of the element kind, or `rounding` of the
        largest element."""
        for computed, wanted, what in self._pairs(folder):
            if rounding:
                np.testing.assert_allclose(computed, wanted, rtol=0, atol=rounding * np.abs(wanted).max(), err_msg=what)
            else:
                assert_close(computed, wanted, what)

    def check_bits(self, folder: Path) -> None:
        """The results are what the interpreter computes to the last bit, but for the payload of NaN."""
        for computed, wanted, what in self._pairs(folder):
            numbers = ~np.isnan(wanted)
            assert np.array_equal(numbers, ~np.isnan(computed)), what
            assert computed[numbers].tobytes() == wanted[numbers].tobytes(), what

    def status(self, folder: Path) -> int:
        """What the kernels return: 0, or the first error code."""
        plan = plan_memory(self.function)
        build(self.function, plan, folder, self.vectors, self.tools)
        write_regions(self.function, plan, self._memory(), folder)
        return subprocess.run([*self.tools.run, "./driver"], cwd=folder, check=False).returncode

    def _memory(self) -> Memory:
        """The interpreter's memory with the inputs in it."""
        memory = Memory(self.function, None)
        for variable in self.function.inputs:
            memory.array(variable)[...] = self.inputs[variable.name]
        return memory

    def _pairs(self, folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
        """Computed and wanted content of every output, and what wrote it."""
        results, memory = self.results(folder), self._memory()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            for step in self.function.instructions():
                execute(step, memory)
        for variable in self.function.outputs:
            writers = [step for step in self.function.instructions() if variable in step.writes()]
            yield results[variable.name], memory.array(variable), f"{variable.name}: {describe(writers[-1])}"


def describe(step: Instruction) -> str:
    operands = ", ".join(f"{name} {operand.value.type}" for name, operand in step.operands.items())
    return f"{step.kind} {operands} {step.attributes}"


# Relative rounding of one element: a sum of a few hundred products stays within some dozen of it.
PRECISION = {ElemKind.FLOAT: 2e-6, ElemKind.FLOAT16: 1e-3, ElemKind.BFLOAT16: 8e-3, ElemKind.FLOAT64: 1e-14}


def assert_close(computed: np.ndarray, wanted: np.ndarray, what: str) -> None:
    """Integers are equal; floats are close, NaN and infinities in the same places."""
    kind = ElemKind.of(computed.dtype)
    if not kind.is_float:
        np.testing.assert_array_equal(computed, wanted, what)
        return
    computed, wanted = computed.astype(np.float64), wanted.astype(np.float64)
    finite = wanted[np.isfinite(wanted)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    np.testing.assert_allclose(
        computed, wanted, rtol=10 * PRECISION[kind], atol=PRECISION[kind] * min(scale, 1e3) + 1e-30, err_msg=what
    )


def build(function: Function, plan: MemoryPlan, folder: Path, vectors: Sequence[str] = (), tools: Tools = HOST) -> None:
    """Writes kernels for one tile and for TILES, and the program that calls them."""
    tasks = schedule(function, plan)
    cut = schedule(function, plan, cut_in_tiles(function))
    tiled = [dataclasses.replace(task, native=f"{task.native}_tiled") for task in cut]
    source = generate(function, plan, [*tasks, *tiled], network="batch", vectors=vectors)
    (folder / "batch_kernels.c").write_text(source, encoding="utf-8")
    once = "".join(_call(task, 0) for task in tasks)
    calls = f"if (!tiled) {{ {once} }} else {{ {''.join(_call(*tile) for tile in late_first(tiled))} }}"
    sizes = {"CONSTANT": plan.constant_bytes, "MUTABLE": plan.mutable_bytes, "ACTIVATIONS": plan.activation_bytes}
    defines = [f"-D{name}={size}" for name, size in {**sizes, "RUNS": RUNS}.items()]
    (folder / "driver.c").write_text(DRIVER.replace("CALLS", calls), encoding="utf-8")
    flags = ["-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    command = [*tools.compiler, *flags, *defines, f"-I{INCLUDE}", "-include", "inpla.h", "driver.c", "-o", "driver"]
    subprocess.run(command, cwd=folder, check=True)


def _call(task: Task, tile: int) -> str:
    return f"if (native_{task.native}(regions, {tile})) return 1; "


def cut_in_tiles(function: Function) -> dict[Instruction, Tiling]:
    """Every instruction in TILES tiles, if it has as many units; what can be cut in two ways is so in turns."""
    cuts = {}
    for number, instruction in enumerate(function.instructions()):
        ways = splits(instruction)
        split = ways[number % len(ways)]
        cuts[instruction] = Tiling(split, max(1, min(TILES, units(instruction, split))))
    return cuts


def late_first(tasks: Sequence[Task]) -> Iterator[tuple[Task, int]]:
    """All tiles in an order that their dependencies allow: always the last one of those that may run."""
    left = [(index, tile) for index, task in enumerate(tasks) for tile in range(task.tiles)]
    done: set[tuple[int, int]] = set()
    while left:
        index, tile = next(one for one in reversed(left) if done.issuperset(tasks[one[0]].waits[one[1]]))
        left.remove((index, tile))
        done.add((index, tile))
        yield tasks[index], tile


def write_regions(function: Function, plan: MemoryPlan, memory: Memory, folder: Path) -> None:
    """The regions before the run, as the interpreter has them."""
    sizes = {"constant": plan.constant_bytes, "mutable": plan.mutable_bytes, "activations": plan.activation_bytes}
    regions = {name: np.full(size, PATTERN, np.uint8) for name, size in sizes.items()}
    for variable in function.variables:
        place = plan.place(variable)
        region = regions["constant" if place.region == "constantWeight" else "mutable"]
        region[place.offset : place.offset + place.size] = np.frombuffer(memory.array(variable).tobytes(), np.uint8)
    for name, region in regions.items():
        (folder / name).write_bytes(region.tobytes())


def mutable_after_run(folder: Path, *arguments: str, tools: Tools = HOST) -> bytes:
    """mutableWeight after a run without errors."""
    done = subprocess.run([*tools.run, "./driver", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != -signal.SIGILL, (
        f"undefined behaviour: {folder}/driver.c without -fsanitize-undefined-trap…"
    )
    assert done.returncode == 0, done.stderr
    return (folder / "result").read_bytes()


def content(variable: WeightVar, plan: MemoryPlan, mutable: bytes) -> np.ndarray:
    """A variable of mutableWeight."""
    place = plan.place(variable)
    flat = np.frombuffer(mutable, np.uint8)[place.offset : place.offset + place.size]
    return flat.view(variable.type.elem.dtype).reshape(variable.type.shape)
