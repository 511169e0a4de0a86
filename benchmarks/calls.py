"""Calls from C: a function of three addresses, as a bundle's entry is, timed by a loop in C (`calls.c`)."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MOST_CALLS = 100_000
SOURCES = Path(__file__).resolve().parent


def built(source: str, output: Path, *flags: str) -> Path:
    """A C file of this folder compiled for this machine to `output`."""
    command = ["cc", "-std=gnu11", "-O3", "-march=native", *flags, "-o", str(output), str(SOURCES / source)]
    subprocess.run(command, check=True)
    return output


class Caller:
    """The loop in C, built into the folder `scratch`."""

    def __init__(self, scratch: Path) -> None:
        self._time = ctypes.CDLL(str(built("calls.c", scratch / "calls.so", "-shared", "-fPIC"))).calls_time
        self._time.argtypes = [
            ctypes.c_void_p,
            ctypes.c_void_p * 3,
            ctypes.c_double,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_void_p,
        ]

    def microseconds(self, entry: object, addresses: Sequence[int], duration: float, fewest: int = 3) -> np.ndarray:
        """What calls of `entry` took, for so many seconds.

        Raises:
            RuntimeError: it returned an error.
        """
        found = np.empty(MOST_CALLS)
        pointers = (ctypes.c_void_p * 3)(*addresses)
        address = ctypes.cast(entry, ctypes.c_void_p)  # type: ignore[arg-type]
        count = self._time(address, pointers, duration, fewest, MOST_CALLS, found.ctypes.data)
        if not count:
            raise RuntimeError("the entry returned an error")
        return found[:count]
