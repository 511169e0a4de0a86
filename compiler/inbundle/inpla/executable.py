"""A script compiled to an executable: generated C, the C compiler, the engine's library."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inbundle.errors import CompileError
from inbundle.inpla.engine import Engine, first_error, include_flags

_FLAGS = ("-std=c11", "-ffp-contract=off")


def build_executable(text: str, output: Path, engine: Engine, flags: Sequence[str]) -> None:
    """Compiles and links the C of a script.

    Args:
        text: what generate_script wrote.
        flags: for the compiler, such as `-O2`.

    Raises:
        CompileError: there is no place for the file; or the compiler failed, and the message is its first error.
    """
    if output.is_dir() or not output.parent.is_dir():
        raise CompileError("the executable cannot be written", where=(str(output),), hint="is the folder there?")
    with tempfile.TemporaryDirectory(prefix="inpla-cc-") as scratch:
        source = Path(scratch) / f"{output.name}.c"
        source.write_text(text, encoding="utf-8")
        words = [engine.compiler, *_FLAGS, *flags, *include_flags(), str(source), str(engine.library)]
        _run([*words, *engine.link_flags, "-o", str(output)])


def _run(words: list[str]) -> None:
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise CompileError(first_error(done.stderr) or f"exit code {done.returncode}", where=(words[0],))
