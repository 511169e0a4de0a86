"""Calls from C: a bundle's entry on regions of its own, timed by a loop in C (`calls.c`)."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from inbundle.bundle.runner import Bundle, aligned_bytes

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


class Regions:
    """The three regions of a bundle, with inputs in their place."""

    def __init__(self, bundle: Bundle, inputs: Mapping[str, np.ndarray]) -> None:
        sizes = bundle.manifest["regions"]
        weights = np.frombuffer((bundle.directory / sizes["constantWeight"]["file"]).read_bytes(), np.uint8)
        names = ("constantWeight", "mutableWeight", "activations")
        self._regions = [aligned_bytes(sizes[name]["size"]) for name in names]
        self._regions[0][:] = weights
        self._outputs = bundle.outputs
        for tensor in bundle.inputs:
            tensor.view(self._regions[1])[...] = inputs[tensor.name]

    @property
    def addresses(self) -> list[int]:
        return [region.ctypes.data for region in self._regions]

    def outputs(self) -> list[np.ndarray]:
        """What the last run computed, in the model's order."""
        return [tensor.view(self._regions[1]).copy() for tensor in self._outputs]
