"""What a bundle compiled with `-profile-kernels` says about its time. The structs are those of NAME.h."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from inbundle.errors import CompileError


@dataclass(frozen=True)
class TaskTime:
    """A task: its native function, the kind and name of its instruction; its calls and what they took together."""

    task: str
    kind: str
    layer: str
    calls: int
    nanoseconds: int


@dataclass(frozen=True)
class Profile:
    """Runs of the entry, what they took together, and the tasks in the order of the network."""

    runs: int
    nanoseconds: int
    tasks: tuple[TaskTime, ...]


class _Task(ctypes.Structure):
    _fields_ = (
        ("task", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("layer", ctypes.c_char_p),
        ("calls", ctypes.c_uint64),
        ("nanoseconds", ctypes.c_uint64),
    )


class _Profile(ctypes.Structure):
    _fields_ = (
        ("runs", ctypes.c_uint64),
        ("nanoseconds", ctypes.c_uint64),
        ("task_count", ctypes.c_uint64),
        ("tasks", ctypes.POINTER(_Task)),
    )


class Profiler:
    """The functions NETWORK_profile and NETWORK_profile_reset of a loaded bundle.

    Raises:
        CompileError: the bundle does not have them.
    """

    def __init__(self, library: ctypes.CDLL, network: str) -> None:
        try:
            self._read, self._reset = (
                getattr(library, f"{network}_profile"),
                getattr(library, f"{network}_profile_reset"),
            )
        except AttributeError:
            raise CompileError("measures no time", where=(network,), hint="compile with -profile-kernels") from None
        self._read.restype = ctypes.POINTER(_Profile)
        self._reset.restype = None

    def reset(self) -> None:
        """Start from zero."""
        self._reset()

    def read(self) -> Profile:
        """What has been counted since the start or the last reset."""
        found = self._read().contents
        return Profile(found.runs, found.nanoseconds, tuple(map(_task_time, found.tasks[: found.task_count])))


def _task_time(task: _Task) -> TaskTime:
    task_name, kind, layer = (name.decode("utf-8", "surrogateescape") for name in (task.task, task.kind, task.layer))
    return TaskTime(task_name, kind, layer, task.calls, task.nanoseconds)
