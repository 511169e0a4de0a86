"""What surrounds a command: errors of its output, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

COMMAND = """
    import os, signal, sys, tempfile
    from inbundle.cli.program import run_command
    def run(words):
        with tempfile.TemporaryDirectory(dir=words[0]):
            {body}
    sys.exit(run_command("tool", run, sys.argv[1:]))
"""


def command(body: str, folder: Path, **how: object) -> subprocess.CompletedProcess[str]:
    program = textwrap.dedent(COMMAND).format(body=body)
    return subprocess.run([sys.executable, "-c", program, folder], stderr=subprocess.PIPE, text=True, **how)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize(("number", "status", "line"), [("SIGINT", 130, "tool: interrupted\n"), ("SIGTERM", 143, "")])
def test_a_signal_leaves_nothing_behind(tmp_path: Path, number: str, status: int, line: str) -> None:
    # A test that runs in the background of a shell has interrupts off, and hands that on.
    done = command(
        f"os.kill(os.getpid(), signal.{number}); signal.pause()",
        tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stderr) == (status, line)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("size", [1, 100_000])
def test_an_output_that_is_full(tmp_path: Path, size: int) -> None:
    with open("/dev/full", "w") as full:
        done = command(f"print('x' * {size})", tmp_path, stdout=full)
    assert (done.returncode, done.stderr) == (1, "tool: error: cannot write: No space left on device\n")


def test_an_output_that_the_caller_closed(tmp_path: Path) -> None:
    done = command("print('x')", tmp_path, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")


def test_characters_that_the_encoding_lacks(tmp_path: Path) -> None:
    done = command(
        "print(chr(0x4E2D))",
        tmp_path,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "\\u4e2d\n", "")
