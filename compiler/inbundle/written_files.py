"""Files that a command is about to write: none of them may be one that it reads. Nothing else is known here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from inbundle.errors import CompileError


def check_not_read(what: str, output: Path, inputs: Iterable[Path]) -> None:
    """Refuses an output that is one of the inputs, under whatever name, through links too.

    Args:
        what: how the user asked for the file, such as its flag.

    Raises:
        CompileError: it is.
    """
    if output.is_file() and any(_is_same(output, path) for path in inputs):
        raise CompileError(f"{what}: {output} is read, it cannot be written too", hint="choose another file")


def _is_same(output: Path, path: Path) -> bool:
    try:
        return os.path.samefile(output, path)
    except (OSError, ValueError):  # not there, or not a file's name at all
        return False
