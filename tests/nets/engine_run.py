"""Runs a Program on the engine: rules compiled as C, the net as an image, in the memory that the compiler states."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from inbundle.nets.cgen import generate
from inbundle.nets.image import NetImage, encode
from inbundle.nets.memory import EngineLimits, engine_limits
from inbundle.nets.program import PortKind, Program
from inbundle.resources import engine

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]

_HOST = r"""
#include <stdio.h>
#define INPLA_API static
#include "inpla_all.c"
@NATIVES@
@RULES@
static const uint8_t image[] = {@IMAGE@};
static inpla_word memory[INPLA_MEMORY_BYTES(@HEAP@, @PAIRS@, @SLOTS@, @WORKERS@) / sizeof(inpla_word) + 9];

int main(void)
{
    const inpla_limits limits = {@HEAP@, @PAIRS@, @SLOTS@, @WORKERS@};
    inpla_net *net;
    inpla_word value;
    inpla_statistics facts;
    char text[256];
    void *start = (void *)(((uintptr_t)memory + 63) / 64 * 64);
    inpla_status status = inpla_open(&net, &bundle_program, &limits, start, inpla_memory_bytes(&limits), NULL);
    if (status != INPLA_OK)
        return 1;
@PUT@
    status = inpla_run(net, image, sizeof image);
    if (status != INPLA_OK) {
        inpla_message(net, text, sizeof text);
        printf("error %d %s\n", (int)status, text);
        return 0;
    }
@GET@
    inpla_get_statistics(net, &facts);
    printf("%lu %lu %lu\n", (unsigned long)facts.interactions, (unsigned long)facts.live_cells,
           (unsigned long)facts.heap_bytes);
    return 0;
}
"""


@dataclass(frozen=True)
class EngineRun:
    """What a run left: `outputs` in the program's order, or `error`."""

    image: NetImage
    limits: EngineLimits
    outputs: list[float]
    interactions: int
    live_cells: int
    heap_bytes: int
    error: str = ""


def run_on_engine(
    program: Program,
    folder: Path,
    *,
    natives: str = "",
    inputs: tuple[float, ...] = (),
    results: dict[str, str] | None = None,
    threads: int = 1,
    section_cells: int = 65536,
    compiler: tuple[str, ...] = ("gcc", "-std=c11"),
) -> EngineRun:
    """`results` says which agent arrives at an output, Concrete where it says nothing."""
    image = encode(program, section_cells=section_cells)
    limits = engine_limits(program, image, threads=threads, word_bytes=8)
    results = results or {}
    host = _HOST
    fields = {
        "NATIVES": natives,
        "RULES": generate(program),
        "IMAGE": ", ".join(map(str, image.data)),
        "HEAP": str(limits.heap_bytes),
        "PAIRS": str(limits.pairs),
        "SLOTS": str(limits.slots),
        "WORKERS": str(limits.workers),
        "PUT": "".join(_put(slot, value) for slot, value in enumerate(inputs)),
        "GET": "".join(
            _get(program, len(program.inputs) + index, results.get(name, "Concrete"))
            for index, name in enumerate(program.outputs)
        ),
    }
    for name, text in fields.items():
        host = host.replace(f"@{name}@", text)
    lines = _compile_and_run(host, folder, compiler, threads)
    if lines[0].startswith("error"):
        return EngineRun(image, limits, [], 0, 0, 0, lines[0])
    interactions, live, heap = map(int, lines[-1].split())
    return EngineRun(image, limits, [_number(line) for line in lines[:-1]], interactions, live, heap)


def _compile_and_run(host: str, folder: Path, compiler: tuple[str, ...], threads: int) -> list[str]:
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]}")
    source, program = folder / "host.c", folder / "host"
    source.write_text(host)
    options = ["-O0", "-DINPLA_CHECK=1", f"-DINPLA_THREADS={int(threads > 1)}", "-ffp-contract=off"]
    paths = [f"-I{engine() / 'include'}", f"-I{engine() / 'src'}"]
    subprocess.run([*compiler, *WARNINGS, *options, *paths, source, "-o", program, "-lm", "-pthread"], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def _number(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _put(slot: int, value: float) -> str:
    return (
        f"    value.f = {np.float32(value)!s}f;\n"
        f"    if (inpla_put(net, {slot}, AGENT_Concrete, value) != INPLA_OK)\n        return 2;\n"
    )


def _get(program: Program, slot: int, agent: str) -> str:
    number = [a.name for a in program.agents].index(agent)
    (kind,) = program.agents[number].ports
    text = 'printf("%ld\\n", (long)value.i)' if kind is PortKind.INT else 'printf("%.9g\\n", (double)value.f)'
    return f"    if (inpla_get(net, {slot}, {number}, &value) != INPLA_OK)\n        return 3;\n    {text};\n"
