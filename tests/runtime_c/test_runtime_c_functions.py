"""Random functions: bytecode and C, with one worker and several, give what Python computes, and equal counts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from function_programs import RandomProgram

from inbundle.inpla.engine import Engine
from inbundle.inpla.executable import build_executable
from inbundle.nets.c_script import generate_script
from inbundle.nets.script import read_script


def make_script(seeds: range) -> tuple[str, list[str]]:
    """A script of several programs, and the lines that it prints."""
    texts: list[str] = []
    expected: list[str] = []
    for seed in seeds:
        program = RandomProgram(seed)
        texts.append(program.text)
        for net, line in program.calls(4):
            texts.append(net)
            expected.append(line)
    return "\n".join(texts) + "\n", expected


def run(*command: str | Path) -> tuple[list[str], list[str]]:
    """The counts and the other lines."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    lines = done.stdout.splitlines()[1:]
    counts = re.findall(r"^\((\d+) interactions", done.stdout, re.M)
    return counts, [line for line in lines if not line.startswith("(")]


@pytest.mark.parametrize("first", range(0, 90, 15))
def test_functions_give_what_python_computes(inpla: Path, tmp_path: Path, first: int) -> None:
    script = tmp_path / "functions.in"
    text, expected = make_script(range(first, first + 15))
    script.write_text(text)
    counts, lines = run(inpla, "-f", script)
    assert lines == expected
    assert run(inpla, "-t", "3", "-f", script) == (counts, lines)


def test_compiled_functions_give_the_same(inpla_engine: Engine, tmp_path: Path) -> None:
    script, executable = tmp_path / "functions.in", tmp_path / "functions"
    text, expected = make_script(range(100, 112))
    script.write_text(text)
    build_executable(generate_script(read_script(str(script))), executable, inpla_engine, ["-O1"])
    counts, lines = run(executable)
    assert lines == expected
    assert run(inpla_engine.command, "-f", script) == (counts, lines)
    assert run(executable, "-t", "2") == (counts, lines)
