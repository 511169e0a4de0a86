"""`model-compiler`: compiles an ONNX model into a bundle, with Glow's options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from inbundle.bundle.verify import verify_bundle
from inbundle.cli import flags
from inbundle.cli.command_line import CommandLine
from inbundle.cli.glow_options import GLOW_ONLY
from inbundle.cli.program import run_command
from inbundle.cli.progress import Progress
from inbundle.driver import STAGES, compile_model
from inbundle.errors import CompileError
from inbundle.frontend.source import model_source

LINE = CommandLine(
    "model-compiler", "Compiles an ONNX model into a standalone C bundle", flags.COMPILE, elsewhere=GLOW_ONLY
)


def main(words: Sequence[str] | None = None) -> int:
    """Entry point. Returns the exit status."""
    return run_command(LINE.command, _run, words)


def _run(words: Sequence[str]) -> None:
    parsed = LINE.parse(words)
    model, directory = flags.model_path(parsed), Path(parsed["emit-bundle"])
    options = flags.compile_options(parsed)
    if parsed["verify"] and options.target:
        raise CompileError("-verify runs the bundle on this machine", hint="leave out -target or -verify")
    progress = Progress(len(STAGES))
    try:
        compile_model(model_source(model), directory, options, progress)
    finally:
        progress.hide()
    if parsed["verify"]:
        for line in verify_bundle(directory, model, options):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
