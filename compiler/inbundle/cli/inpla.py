"""`inpla`: runs Inpla scripts. The command itself is C (runtime_c/language); this starts it, and builds it before
that when it is not there yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from inbundle.cli.program import run_command
from inbundle.inpla.engine import built_engine


def main(words: Sequence[str] | None = None) -> int:
    """Entry point. Does not return where the command can be started."""
    return run_command("inpla", _run, words)


def _run(words: Sequence[str]) -> None:
    command = str(built_engine().command)
    os.execv(command, ["inpla", *words])


if __name__ == "__main__":
    sys.exit(main())
