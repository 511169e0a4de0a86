"""What every command does around its work: errors as one line, exit status, no traceback for a user's mistake."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import NoReturn, TextIO

from inbundle.errors import CompileError, CompileWarning


def run_command(name: str, run: Callable[[Sequence[str]], None], words: Sequence[str] | None) -> int:
    """Runs a command's work on its words (default: those of the process). Returns the exit status.

    A CompileError becomes one line on standard error and status 1. A closed standard output (`| head`) is silent, an
    interrupt or a request to terminate ends as shells expect, with nothing left half done.
    """
    try:
        with _terminable(), warnings.catch_warnings():
            _show_warnings(name)
            _escape_what_cannot_be_shown()
            run(sys.argv[1:] if words is None else words)
            _flush()
    except CompileError as error:
        return _failure(name, str(error))
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:  # without a file it is standard output that failed
        _drop_output()
        return _failure(name, f"{error.filename or 'cannot write'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        return _failure(name, "out of memory")
    return 0


def warn(name: str, line: str) -> None:
    """A warning of a command; it wipes the progress display."""
    wipe = "\r\033[K" if sys.stderr.isatty() else ""
    print(f"{wipe}{name}: warning: {line}", file=sys.stderr)


def _show_warnings(name: str) -> None:
    """Those of the compiler as lines of the command, each as often as it is given."""
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, CompileWarning):
            warn(name, str(message))
        else:
            others(message, category, filename, lineno, file, line)

    warnings.simplefilter("always", CompileWarning)
    warnings.showwarning = show


def _failure(name: str, line: str) -> int:
    print(f"{name}: error: {line}", file=sys.stderr)
    return 1


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM unwinds the command, so that temporary files go, instead of ending it where it stands."""
    try:
        before = signal.signal(signal.SIGTERM, _terminate)
    except ValueError:  # not the main thread: the signal belongs to the program around us
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def _escape_what_cannot_be_shown() -> None:
    """Names in the model may have characters that the encoding of standard output lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _flush() -> None:
    if sys.stdout is not None:  # it is None where the caller closed it
        sys.stdout.flush()


def _drop_output() -> None:
    """What is still to be written goes nowhere, so that Python does not fail again at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
