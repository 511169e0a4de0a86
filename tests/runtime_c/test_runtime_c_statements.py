"""A net may be given in one statement or in many, in any order, to any number of threads: it reduces to the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from random_statements import RULES, RandomNet


def run(inpla: Path, script: Path, text: str, *options: str) -> tuple[int, str]:
    """The number of interactions, and the last line: what the results are."""
    script.write_text(RULES + text)
    done = subprocess.run([str(inpla), *options, "-f", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    counts = re.findall(r"^\((\d+) interactions", done.stdout, re.M)
    return sum(map(int, counts)), done.stdout.splitlines()[-1]


@pytest.mark.parametrize("seed", range(12))
def test_statements_of_random_nets(inpla: Path, tmp_path: Path, seed: int) -> None:
    script = tmp_path / "net.in"
    for net in (RandomNet(12 * i + seed) for i in range(6)):
        if net.results:
            expected = run(inpla, script, net.statement())
            for threads in ("1", "1", "2", "4"):
                assert run(inpla, script, net.statements(), "-t", threads) == expected, script.read_text()


@pytest.mark.parametrize("seed", range(6))
def test_weak_reduction_of_random_nets(inpla: Path, tmp_path: Path, seed: int) -> None:
    """It stops early: where it shows an open wire, full reduction shows a term."""
    script = tmp_path / "net.in"
    for net in (RandomNet(1000 + 6 * i + seed) for i in range(6)):
        if net.results:
            _, whole = run(inpla, script, net.statement())
            _, weak = run(inpla, script, net.statements(), "-w")
            parts = re.split(r"(?:,?<[a-z]\d+>)+(?:\.\.\.)?", weak)
            assert re.fullmatch(".*".join(map(re.escape, parts)), whole), script.read_text()
