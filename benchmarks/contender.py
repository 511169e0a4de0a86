"""What takes part in a comparison: something that runs a model on fixed inputs, again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np


class Unavailable(Exception):
    """Why something cannot take part, as one line."""


class Contender(Protocol):
    """Runs a model on inputs that it has."""

    def play(self, seconds: float) -> np.ndarray:
        """Microseconds of single calls for so long, of one call at least."""
        ...

    def outputs(self) -> list[np.ndarray]:
        """What a call computes, in the model's order. The shapes may lack dimensions of size 1."""
        ...


class PythonContender:
    """A contender that is called from Python. `call` runs it once, `outputs` gives what it computes."""

    def __init__(self, call: Callable[[], object], outputs: Callable[[], list[np.ndarray]]) -> None:
        self._call = call
        self.outputs = outputs

    def play(self, seconds: float) -> np.ndarray:
        found: list[float] = []
        start = time.perf_counter_ns()
        end = start + seconds * 1e9
        while not found or start < end:
            self._call()
            now = time.perf_counter_ns()
            found.append((now - start) / 1e3)
            start = now
        return np.array(found)
