"""What every command does around its work: errors as one line, exit status, no traceback for a user's mistake."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from inbundle.errors import CompileError


def run_command(name: str, run: Callable[[Sequence[str]], None], words: Sequence[str] | None) -> int:
    """Runs a command's work on its words (default: those of the process). Returns the exit status.

    A CompileError becomes one line on standard error and status 1. A closed standard output (`| head`) is silent, an
    interrupt ends with 130 as shells expect.
    """
    try:
        run(sys.argv[1:] if words is None else words)
        sys.stdout.flush()
    except CompileError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return 130
    except MemoryError:
        print(f"{name}: error: out of memory", file=sys.stderr)
        return 1
    return 0
