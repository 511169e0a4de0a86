"""How fast Inpla programs run: bytecode, C by inpla-cc and, where there is one, the reference, side by side.

    python benchmarks/engine/run.py [--rounds 5] [--threads 1,2] [--inpla COMMAND] [PROGRAM ...]

A measurement, never a test. PROGRAM is the name of a script of this folder; all of them without one. The environment
variable INPLA_REFERENCE names a binary of the reference implementation; for more than one thread it must be one that is
built for threads. All engines take turns in every round, so that what else the machine does hits all of them, and the
shortest time of a process counts. Their results must agree, and so must the numbers of interactions.

Prints per program and number of threads the interactions, the seconds of each engine, and how many times as fast as the
reference (without one: as our bytecode) an engine is; at the end the geometric means, and what more threads bring. No
engine can gain more from N threads than the machine has to give at that time, so N processes of one thread each take
their turn too: how much they do at once, against one alone, is printed below the gain of N threads.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inbundle.inpla.engine import built_engine

HERE = Path(__file__).resolve().parent
COUNT = re.compile(r"\((\d+) interactions")


@dataclass
class Engine:
    """What runs a program: `words`, with the script filled in, and `-t` with the number of threads if it is not one."""

    name: str
    words: tuple[str, ...]
    seconds: dict[tuple[str, int], float] = field(default_factory=dict)
    apart: dict[tuple[str, int], float] = field(default_factory=dict)

    def run(self, script: Path, threads: int) -> tuple[int, list[str]]:
        """Runs a program once, notes its time if it is the shortest; the interactions and what was printed besides."""
        words = self._command(script) + (["-t", str(threads)] if threads > 1 else [])
        start = time.perf_counter()
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        _note(self.seconds, (script.stem, threads), time.perf_counter() - start)
        counts = [int(count) for count in COUNT.findall(run.stdout)]
        if not counts:
            sys.exit(f"{' '.join(words)}: {run.stdout[-200:]}{run.stderr[-200:]}")
        return sum(counts), [line for line in run.stdout.splitlines()[1:] if not COUNT.match(line)]

    def run_apart(self, script: Path, processes: int) -> None:
        """Runs a program in several processes at once, each of one thread, and notes the time until the last ends."""
        start = time.perf_counter()
        runs = [subprocess.Popen(self._command(script), stdout=subprocess.DEVNULL) for _ in range(processes)]
        for run in runs:
            run.wait()
        _note(self.apart, (script.stem, processes), time.perf_counter() - start)

    def _command(self, script: Path) -> list[str]:
        return [word.format(program=script.stem, script=script) for word in self.words]


def _note(times: dict[tuple[str, int], float], key: tuple[str, int], seconds: float) -> None:
    times[key] = min(seconds, times.get(key, math.inf))


def engines(inpla: str, folder: Path, scripts: Sequence[Path]) -> list[Engine]:
    """The engines that there are. Compiles the scripts into `folder`."""
    for script in scripts:
        words = ["-m", "inbundle.cli.inpla_cc", str(script), "-o", str(folder / script.stem)]
        subprocess.run([sys.executable, *words], check=True)
    found = [
        Engine("bytecode", (inpla, "-f", "{script}")),
        Engine("C", (str(folder / "{program}"),)),
    ]
    reference = os.environ.get("INPLA_REFERENCE")
    if reference:
        found.insert(0, Engine("reference", (reference, "-f", "{script}")))
    return found


def measure(found: Sequence[Engine], scripts: Sequence[Path], threads: Sequence[int], rounds: int) -> Mapping[str, int]:
    """Runs everything in turns. Returns the interactions of each program."""
    counts: dict[str, int] = {}
    for script in scripts:
        outputs = set()
        for _ in range(rounds):
            for number in threads:
                for engine in found:
                    counts[script.stem], lines = engine.run(script, number)
                    outputs.add((counts[script.stem], *lines))
                    if number > 1:
                        engine.run_apart(script, number)
        if len(outputs) != 1:
            sys.exit(f"{script.name}: the engines disagree: {sorted(outputs)}")
    return counts


def table(found: Sequence[Engine], counts: Mapping[str, int], threads: Sequence[int]) -> Iterator[str]:
    """The lines of the table."""
    base = found[0]
    headings = [f"{engine.name:>9} s" for engine in found] + [f"{engine.name + ' x':>11}" for engine in found[1:]]
    yield f"{'program':10} threads {'interactions':>12} " + " ".join(headings)
    ratios: dict[tuple[int, str], list[float]] = defaultdict(list)
    for program, count in counts.items():
        for number in threads:
            seconds = [engine.seconds[program, number] for engine in found]
            times_as_fast = [base.seconds[program, number] / other for other in seconds[1:]]
            for engine, ratio in zip(found[1:], times_as_fast, strict=True):
                ratios[number, engine.name].append(ratio)
            cells = [f"{value:11.3f}" for value in seconds] + [f"{ratio:11.2f}" for ratio in times_as_fast]
            yield f"{program:10} {number:7} {count:12} " + " ".join(cells)
    for (number, name), values in ratios.items():
        mean = math.exp(math.fsum(map(math.log, values)) / len(values))
        yield f"{name}, {number} threads: {mean:.2f} times as fast as {base.name} (geometric mean)"
    for engine in found:
        yield from _speed_ups(engine, counts, threads)


def _speed_ups(engine: Engine, programs: Mapping[str, int], threads: Sequence[int]) -> Iterator[str]:
    """What more threads bring to an engine, and processes that have nothing to do with each other."""
    first, *others = threads
    for number in others:
        gains = [f"{name} {engine.seconds[name, first] / engine.seconds[name, number]:.2f}" for name in programs]
        yield f"{engine.name}, {number} threads against {first}: {', '.join(gains)}"
        if first == 1:
            works = {name: number * engine.seconds[name, 1] / engine.apart[name, number] for name in programs}
            yield f"    {number} processes against 1: {', '.join(f'{name} {work:.2f}' for name, work in works.items())}"


def main() -> int:
    """Entry point. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="names of scripts, without .in")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="1,2", help="numbers, separated by commas")
    parser.add_argument("--inpla", help="the command to measure instead of the one of this checkout")
    arguments = parser.parse_args()
    scripts = [HERE / f"{name}.in" for name in arguments.programs] or sorted(HERE.glob("*.in"))
    threads = [int(number) for number in arguments.threads.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        found = engines(arguments.inpla or str(built_engine().command), Path(folder), scripts)
        counts = measure(found, scripts, threads, arguments.rounds)
    print("\n".join(table(found, counts, threads)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
