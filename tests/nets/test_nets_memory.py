"""The engine's memory is what inpla.h says, on hosts and on targets of 32 bits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import NEURON, NUMBERS, TILE, WIRES

from inbundle.errors import CompileError
from inbundle.nets.image import encode
from inbundle.nets.memory import EngineLimits, engine_limits
from inbundle.nets.parser import parse
from inbundle.resources import engine

_CHECK = """
#include "inpla.h"
#define CHECK(c) typedef char check_that[(c) ? 1 : -1]
CHECK(sizeof(void *) == {word} && INPLA_MEMORY_BYTES({heap}, {pairs}, {slots}, {workers}) == {total});
"""


def limits_of(script: str, *, threads: int = 1, word_bytes: int = 8) -> EngineLimits:
    program = parse(script, "net")
    program.net.interactions = 100
    return engine_limits(program, encode(program), threads=threads, word_bytes=word_bytes)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("compiler", "word_bytes"), [("gcc", 8), ("arm-none-eabi-gcc", 4)])
@pytest.mark.parametrize("script", [NEURON, TILE, WIRES])
def test_memory_bytes_are_those_of_the_macro(
    tmp_path: Path, script: str, compiler: str, word_bytes: int, threads: int
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    limits = limits_of(script, threads=threads, word_bytes=word_bytes)
    source = tmp_path / "check.c"
    text = _CHECK.format(
        word=word_bytes,
        heap=limits.heap_bytes,
        pairs=limits.pairs,
        slots=limits.slots,
        workers=limits.workers,
        total=limits.memory_bytes,
    )
    source.write_text(text)
    subprocess.run([compiler, "-std=c11", f"-I{engine() / 'include'}", "-fsyntax-only", source], check=True)


def test_cells_are_as_large_as_their_agents() -> None:
    limits = limits_of("x ~ Three(A, B, C); y ~ Six(p, q, A, B, C, D); x y p q;")
    assert limits.heap_bytes == 8 * ((7 + 4) * 3 + 4 + 7)
    assert limits.pairs == (7 + 4 + 1 + 1) // 2 + 1
    assert limits.slots == 4


def test_with_several_workers_both_ends_of_each_wire_may_be_in_messages() -> None:
    limits = limits_of("x ~ Three(A, B, C); y ~ Six(p, q, A, B, C, D); x y p q;", threads=2)
    assert limits.heap_bytes == 8 * (3 * (7 + 4) * 3 + 4 + 7)


def test_a_size_that_rules_make_may_be_that_of_all_cells() -> None:
    limits = limits_of("A(r, s) >< B(t) => r ~ Three(s, t, C); A(x, y) ~ B(z); x y z;")
    assert limits.heap_bytes == 8 * (5 * 3 + 5 * 4)


def test_rules_that_make_cells_need_the_number_of_interactions() -> None:
    program = parse("A(r) >< B => r ~ A(A(B)); A(x) ~ B; x;", "growing")
    image = encode(program)
    with pytest.raises(CompileError, match="rule A >< B makes more cells than it takes"):
        engine_limits(program, image, threads=1, word_bytes=8)
    program.net.interactions = 10
    assert engine_limits(program, image, threads=1, word_bytes=8).heap_bytes == 8 * 3 * (3 + 10)


def test_int_scripts_have_limits() -> None:
    assert limits_of(NUMBERS).memory_bytes > 0
