"""The process in which the contenders of one model with one number of threads run, bound to as many processors.

A process for each number of threads: the pools of threads that contenders make then have the processors they are made
for. The processes take turns; while one plays a block, the others wait for their next command.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from calls import Caller
from contender import Contender, PythonContender, Unavailable
from latency_table import TOLERANCE, Block, relative_difference
from peers import PEERS, Task, modern

import inbundle
from inbundle.bundle.runner import Bundle

SECONDS_PER_BLOCK = 0.05
SECONDS_TO_SETTLE = 0.02
"""Before a block: idle, so that waiting threads of the contender before fall asleep, then calls that nobody times, so
that the threads of this one are awake and its data in the caches."""


@dataclass(frozen=True)
class Setup:
    """What a process is to run.

    Attributes:
        bundles: C compiler -> directory of the bundle that it compiled.
        inputs, expected: by name, what the model gets and what the reference makes of it.
        scratch: an empty folder.
    """

    model: Path
    threads: int
    bundles: Mapping[str, Path]
    peers: Sequence[str]
    inputs: Mapping[str, np.ndarray]
    expected: Mapping[str, np.ndarray]
    scratch: Path


@dataclass
class Seats:
    """Who plays: ours and peers by name; notes say who does not, and why; errors are wrong outputs."""

    ours: list[str] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class FromC:
    """A bundle that is called from C."""

    def __init__(self, bundle: Bundle, inputs: Mapping[str, np.ndarray], caller: Caller) -> None:
        self._bundle, self._regions, self._caller = bundle, bundle.regions(), caller
        for name, array in inputs.items():
            self._regions.inputs[name][...] = array

    def play(self, seconds: float) -> np.ndarray:
        return self._caller.microseconds(self._bundle.entry, self._regions.addresses, seconds, fewest=1)

    def outputs(self) -> list[np.ndarray]:
        self.play(0.0)
        return [array.copy() for array in self._regions.outputs.values()]


class Players:
    """Starts the process, and tells it who is next. A context: the process ends with it."""

    def __init__(self, setup: Setup) -> None:
        """Raises EOFError where the process does not live to take its seats."""
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, setup), daemon=True)
        self._process.start()
        other.close()
        self.seats: Seats = self._connection.recv()

    def play(self, name: str) -> Block:
        """A block of calls."""
        self._connection.send(name)
        found: Block = self._connection.recv()
        return found

    def __enter__(self) -> Players:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._process.join()


def _serve(connection: Connection, setup: Setup) -> None:
    """The process: takes the seats, then plays blocks until nobody asks any more."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: setup.threads])
    seats, contenders = Seats(), {}
    caller = Caller(setup.scratch)
    for name, contender in [*_ours(setup, caller), *_peers(setup, caller, seats)]:
        apart = relative_difference(contender.outputs(), list(setup.expected.values()))
        if apart <= TOLERANCE:
            (seats.peers if name in PEERS else seats.ours).append(name)
            contenders[name] = contender
        else:
            seats.errors.append(f"{name}: outputs differ from the reference by {apart:.1e} of the largest value")
    connection.send(seats)
    try:
        while True:
            contender = contenders[connection.recv()]
            time.sleep(SECONDS_TO_SETTLE)
            contender.play(SECONDS_TO_SETTLE)
            start = time.process_time()
            calls = contender.play(SECONDS_PER_BLOCK)
            connection.send(Block(calls, (time.process_time() - start) * 1e6 / len(calls)))
    except EOFError:
        pass


def _ours(setup: Setup, caller: Caller) -> Iterator[tuple[str, Contender]]:
    """Each bundle called from C, and from Python."""
    for compiler, directory in setup.bundles.items():
        bundle = inbundle.load(directory)
        yield f"{compiler} C", FromC(bundle, setup.inputs, caller)
        yield f"{compiler} Python", _from_python(bundle, setup.inputs)


def _from_python(bundle: Bundle, inputs: Mapping[str, np.ndarray]) -> PythonContender:
    return PythonContender(lambda: bundle.run(inputs), lambda: list(bundle.run(inputs).values()))


def _peers(setup: Setup, caller: Caller, seats: Seats) -> Iterator[tuple[str, Contender]]:
    shapes = tuple(array.shape for array in setup.expected.values())
    model = modern(setup.model, setup.scratch)
    for name in setup.peers:
        folder = setup.scratch / name
        folder.mkdir()
        try:
            yield name, PEERS[name](Task(model, setup.inputs, shapes, setup.threads, folder, caller))
        except Unavailable as reason:
            seats.notes.append(f"{name}: {reason}")
        except Exception as error:  # whatever a peer raises: the others go on without it
            seats.notes.append(f"{name}: cannot run the model: {type(error).__name__}: {error}".splitlines()[0])
