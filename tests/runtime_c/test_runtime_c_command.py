"""The command `inpla`: options, exit statuses, and statements typed at a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from pathlib import Path

import pytest


def run(inpla: Path, *arguments: str, script: str = "", **options: object) -> tuple[int, list[str]]:
    """Exit status and printed lines; no banner."""
    command = [str(inpla), *arguments]
    done = subprocess.run(command, input=script, text=True, stdout=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload]
    lines = done.stdout.splitlines()
    return done.returncode, lines[1:] if lines and lines[0].startswith("Inpla ") else lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-q"], "ERROR: Unrecognized option -q"),
        (["-f"], "ERROR: Option -f needs a value"),
        (["-t", "0"], "ERROR: `0' is no number of threads for option -t: 1 to 64"),
        (["-t", "2x"], "ERROR: `2x' is no number of threads for option -t: 1 to 64"),
        (["-dialect=double"], "ERROR: `double' is no dialect for option -dialect: int or float"),
        (["-print=long"], "ERROR: `long' is no form of floats for option -print: shortest or dialect"),
        (["-d", "N=x"], "ERROR: `N=x' is no definition, such as `N=5', for option -d"),
        (["-s", "four"], "ERROR: `four' is no number"),
        (["-f", "none"], "Error: The file `none' cannot be opened."),
        (["-f", "."], "Error: The file `.' cannot be opened."),
        (["-weights=none"], "Error: The file `none' cannot be opened."),
    ],
)
def test_a_wrong_option_is_one_clear_line(inpla: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    status, lines = run(inpla, *arguments, cwd=tmp_path)
    assert status == 1
    assert lines in ([message], [f"{message} (-h lists the options)"])


@pytest.mark.parametrize("option", ["-h", "-help", "--help", "-?"])
def test_help(inpla: Path, option: str) -> None:
    status, lines = run(inpla, option)
    assert status == 0
    assert lines[0].endswith("inpla [options]")


def test_options_of_the_reference_are_accepted(inpla: Path) -> None:
    arguments = [
        "-s",
        "4",
        "-Xms",
        "12",
        "-Xmt",
        "3",
        "-Xes",
        "15",
        "-foptimise-tail-calls",
        "-fverbose-memory-usage",
        "-t",
        "2",
    ]
    status, lines = run(inpla, *arguments, "-d", "N=4", "-d", "M=-5", script="x~(N,M); x;")
    assert (status, lines[-1]) == (0, "(4,-5)")


def test_a_pipe_is_read_to_its_end_whatever_fails(inpla: Path) -> None:
    assert run(inpla, "-dialect=float", script="x~A;\ny~(B; x;\nx;") == (
        1,
        ["2:5: syntax error, unexpected ';', expecting ',' or ')'", "A", "A"],
    )
    assert run(inpla, "-dialect=float", script="x~1; x;") == (0, ["1.000000"])


def test_a_script_may_come_through_a_pipe(inpla: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"x~1; x;")
    os.close(writing)
    words = [inpla, "-dialect=float", "-f", f"/dev/fd/{reading}"]
    done = subprocess.run(words, pass_fds=[reading], capture_output=True, text=True, check=False)
    os.close(reading)
    assert (done.returncode, done.stdout) == (0, "1.000000\n")


def test_input_that_cannot_be_read_is_a_failure(inpla: Path, tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    done = subprocess.run([inpla], stdin=folder, capture_output=True, text=True, check=False)
    os.close(folder)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (1, ["Error: Standard input cannot be read."])


def test_output_that_cannot_be_written_is_a_failure(inpla: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([inpla, "-v"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"standard output" in done.stderr


def read_until(terminal: int, end: str) -> str:
    """What the terminal shows up to `end`."""
    shown = b""
    while not shown.endswith(end.encode()):
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 1)
    return shown.decode().replace("\r", "")


def test_a_person_gets_prompts_and_another_try(inpla: Path, tmp_path: Path) -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.execve(inpla, [str(inpla)], {"HOME": str(tmp_path), "TERM": "dumb"})
    read_until(terminal, ">>> ")
    dialogue = [
        ("x~A,", "... ", ""),
        ("y~[1,2];", ">>> ", "(0 interactions, 0.00 sec)\n"),
        ("x y;", ">>> ", "A [1,2]\n"),
        ("x~)B; y;", ">>> ", "4:3: syntax error, unexpected ')', expecting a term\n"),
        ("f(r) >< A => ; y;", ">>> ", "  f >< A.\n"),
        ("z~B(w), w~C, w~D; y;", ">>> ", "6:ERROR: The name `w' occurs more than twice.\n"),
        ("f(r)~A; y;", ">>> ", "f(r)~A\n"),
        ("y;", ">>> ", "[1,2]\n"),
    ]
    for line, prompt, answer in dialogue:
        os.write(terminal, f"{line}\n".encode())
        assert read_until(terminal, prompt).removesuffix(prompt).endswith(f"\n{answer}")
    os.write(terminal, b"exit;\n")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    os.close(terminal)
