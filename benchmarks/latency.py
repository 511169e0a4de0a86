"""Time of one inference: bundles against other programs that run ONNX models. A measurement, never a test.

    python benchmarks/latency.py [--models MODEL,...] [--threads 1,2] [--cc gcc,clang] [--peers NAME,...] [--rounds N]
                                 [--figure median|best|cpu] [--json FILE] [-- FLAG=VALUE ...]

MODEL is an .onnx file, or a name of `shared_models.py`; symbolic dimensions become 1. FLAG is a compile option of the
bundles: a bundle runs on any processor of the architecture unless `mcpu=native` says more. A bundle is called from C
(`calls.c`) and, second column, through `run` of Python; peers as `peers.py` says, each if it is installed
(`pip install .[bench]`).

All contenders of a model, of all numbers of threads, take turns in short blocks of calls, so that what else the machine
does hits all of them. Those of one number of threads run in one process, bound to as many processors. A figure is the
median of all single calls. On a machine that is busy with other things use `--figure=best`, the shortest call, or for
one thread `--figure=cpu`, the processor's time per call in the block that took least. A contender that is ten times
slower than another sits out after its first block. First of all the outputs of each contender are compared with the
ONNX reference evaluator: one that differs by more than 1e-4 of the largest value gets a line and no figure, and the
exit status is 1.

A figure for several threads does not count where no peer is faster with them than with one: then the machine has not
given us its other processors.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from compile_words import parsed_options, split_words
from latency_table import FIGURES, Block, Line, table
from peers import PEERS, SINGLE_THREADED
from players import Players, Setup
from shared_models import find_models, symbols

import inbundle
from inbundle.bundle.verify import random_input, reference
from inbundle.errors import CompileError

# Threads of some contenders look for work so long after their last call.
SECONDS_TO_SETTLE = 0.03
HOPELESS = 10.0
Blocks = dict[str, list[Block]]


class Comparison:
    """One model: its bundles, the processes of the contenders, and their turns."""

    def __init__(self, model: Path, given: argparse.Namespace, options: Mapping[str, Any], scratch: Path) -> None:
        self.model, self.given, self.scratch = model, given, scratch
        self.notes: list[str] = []
        self.errors: list[str] = []
        self._bundles = {threads: dict(self._compiled(threads, options)) for threads in given.threads}

    def _compiled(self, threads: int, options: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
        """C compiler -> its bundle."""
        all_options = {"onnx_define_symbol": symbols(self.model), "relocation_model": "pic", **options}
        for compiler in self.given.cc:
            directory = self.scratch / f"{compiler}{threads}"
            try:
                inbundle.compile(self.model, directory, compiler=compiler, threads=threads, **all_options)
                yield compiler, directory
            except CompileError as error:
                self.errors.append(f"{self.model.stem}, {compiler}: {error}")

    def lines(self) -> list[Line]:
        """The figures: a line per number of threads. Nothing where there is no bundle."""
        if not any(self._bundles.values()):
            return []
        inputs, expected = self._values()
        with ExitStack() as stack:
            tables: dict[int, Players] = {}
            for threads, bundles in self._bundles.items():
                folder = self.scratch / f"peers{threads}"
                folder.mkdir()
                peers = [name for name in self.given.peers if threads == 1 or name not in SINGLE_THREADED]
                setup = Setup(self.model, threads, bundles, peers, inputs, expected, folder)
                tables[threads] = stack.enter_context(Players(setup))
                self._hear(tables[threads], threads)
            blocks = self._played(tables)
            return [self._line(threads, players, blocks[threads]) for threads, players in tables.items()]

    def _values(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Random inputs, and what the reference makes of them."""
        directory = next(path for bundles in self._bundles.values() for path in bundles.values())
        bundle = inbundle.load(directory)
        rng = np.random.default_rng(1)
        inputs = {tensor.name: random_input(tensor, rng) for tensor in bundle.inputs}
        names = [tensor.name for tensor in bundle.outputs]
        return inputs, dict(zip(names, reference(self.model).run(names, inputs), strict=True))

    def _hear(self, players: Players, threads: int) -> None:
        """What the players have to say."""
        self.notes += players.seats.notes
        place = f"{self.model.stem}, {threads} thread{'s' if threads > 1 else ''}"
        self.errors += [f"{place}, {error}" for error in players.seats.errors]

    def _played(self, tables: Mapping[int, Players]) -> dict[int, Blocks]:
        """What the calls took, by number of threads and name, after all have had their turns."""
        blocks: dict[int, Blocks] = {threads: {} for threads in tables}
        for _ in range(self.given.rounds):
            for threads, players in tables.items():
                for name in (*players.seats.ours, *players.seats.peers):
                    if not _is_hopeless(name, blocks[threads]):
                        blocks[threads].setdefault(name, []).append(players.play(name))
                        time.sleep(SECONDS_TO_SETTLE if threads > 1 else 0.0)
        return blocks

    def _line(self, threads: int, players: Players, blocks: Blocks) -> Line:
        figure = FIGURES[self.given.figure]
        ours, peers = (
            {name: figure(blocks[name]) for name in names} for names in (players.seats.ours, players.seats.peers)
        )
        return Line(self.model.stem, threads, ours, peers)


def _is_hopeless(name: str, blocks: Blocks) -> bool:
    """Whether a contender has played, and much slower than another one."""
    fastest = {each: FIGURES["best"](played) for each, played in blocks.items()}
    return name in fastest and fastest[name] > HOPELESS * min(fastest.values())


def listed(text: str) -> list[str]:
    """Words between commas."""
    return [word for word in text.split(",") if word]


def parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=listed, default=[], metavar="MODEL,...")
    parser.add_argument("--threads", type=lambda text: [int(word) for word in listed(text)], default=[1, 2])
    parser.add_argument("--cc", type=listed, default=list(filter(shutil.which, ("gcc", "clang"))), metavar="CC,...")
    parser.add_argument("--peers", type=listed, default=list(PEERS), metavar="NAME,...", help=", ".join(PEERS))
    parser.add_argument("--rounds", type=int, default=10, metavar="N")
    parser.add_argument("--figure", choices=list(FIGURES), default="median")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the lines there, too")
    given = parser.parse_args(words)
    unknown = [name for name in given.peers if name not in PEERS]
    if unknown:
        parser.error(f"no peer '{unknown[0]}': choose from {', '.join(PEERS)}")
    if max(given.threads) > len(os.sched_getaffinity(0)):
        parser.error(f"--threads: this process may use {len(os.sched_getaffinity(0))} processors")
    if given.figure == "cpu" and max(given.threads) > 1:
        parser.error("--figure=cpu: several threads wait in the processor's time; add --threads=1")
    return given


def main(words: Sequence[str]) -> int:
    own, flags = split_words(words)
    given, options = parsed(own), parsed_options(flags)
    lines: list[Line] = []
    said: set[str] = set()
    has_errors = False
    with tempfile.TemporaryDirectory() as models:
        for model in find_models(given.models, Path(models)):
            with tempfile.TemporaryDirectory() as scratch:
                comparison = Comparison(model, given, options, Path(scratch))
                found = comparison.lines()
            for note in comparison.notes:
                _say(f"note: {note}", said)
            for error in comparison.errors:
                _say(f"error: {error}", said)
            has_errors |= bool(comparison.errors)
            print(table(found), flush=True)
            lines += found
    if given.json:
        given.json.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")
    return 1 if has_errors else 0


def _say(text: str, said: set[str]) -> None:
    """A line on standard error, the same one once."""
    if text not in said:
        said.add(text)
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
