"""`inpla-cc`: compiles an Inpla script to an executable that prints what `inpla -f` prints, only faster."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from inbundle.cli.command_line import CommandLine, Kind, Option, ParsedCommandLine
from inbundle.cli.program import run_command, warn
from inbundle.errors import CompileError
from inbundle.inpla.engine import built_engine
from inbundle.inpla.executable import build_executable
from inbundle.nets.c_script import generate_script
from inbundle.nets.program import IntLiteral
from inbundle.nets.script import Script, constant_literal, read_script
from inbundle.written_files import check_not_read

_EFFORTS = ("O0", "O1", "O2", "O3", "Os")
_MOST_THREADS = 64

OPTIONS = (
    Option("o", Kind.STRING, "The executable; without it the script's name without .in", "", "file"),
    *(Option(effort, Kind.BOOL, f"Call the C compiler with -{effort} (default: -O2)") for effort in _EFFORTS),
    Option("d", Kind.LIST, "Define a constant", value="NAME=number"),
    Option("dialect", Kind.ENUM, "The script's dialect; in float all numbers are floats", "int", "", ("int", "float")),
    Option("t", Kind.UINT, "Threads that the executable starts with", 1, "number"),
    Option("w", Kind.BOOL, "Weak reduction, as by inpla -w"),
    Option("cc", Kind.STRING, "C compiler; without it that of the environment variable CC, or the first found", ""),
    Option("emit-c", Kind.STRING, "Write the generated C to this file; without -o do not compile it", "", "file"),
    Option("v", Kind.BOOL, "Say how many rules are compiled"),
)

LINE = CommandLine("inpla-cc", "Compiles an Inpla script to an executable", OPTIONS, positional=True)


def main(words: Sequence[str] | None = None) -> int:
    """Entry point. Returns the exit status."""
    return run_command(LINE.command, _run, words)


def _run(words: Sequence[str]) -> None:
    parsed = LINE.parse(words)
    path = _script_path(parsed.positional)
    script = read_script(path, dialect=parsed["dialect"], constants=_constants(parsed))
    _report(script, path, verbose=parsed["v"])
    text = generate_script(script, _run_options(parsed))
    source, executable = _outputs(parsed, script, path)
    if source:
        source.write_text(text, encoding="utf-8")
    if executable:
        build_executable(text, executable, built_engine(parsed["cc"]), [f"-{_effort(parsed)}"])


def _outputs(parsed: ParsedCommandLine, script: Script, path: str) -> tuple[Path | None, Path | None]:
    """The files that are to be written: the C, the executable. Neither is one of the script's, or the other."""
    source = Path(parsed["emit-c"]) if parsed["emit-c"] else None
    executable = None if source and not parsed["o"] else Path(parsed["o"] or Path(path).with_suffix(""))
    files = [Path(name) for name in script.files]
    if source:
        check_not_read("--emit-c", source, files)
    if executable:
        check_not_read("-o" if parsed["o"] else "the executable", executable, files)
    if source and executable and os.path.realpath(source) == os.path.realpath(executable):
        raise CompileError(f"-o and --emit-c: both are {source}", hint="choose another file for one of them")
    return source, executable


def _report(script: Script, path: str, *, verbose: bool) -> None:
    """What is not compiled; the executable's front end runs it all the same, or says itself what is wrong with it.

    Raises:
        CompileError: the script has a syntax error.
    """
    if script.syntax_error:
        raise script.syntax_error
    for problems in _by_message(script.problems).values():
        others = [place for problem in problems[1:] for place in problem.where]
        also = f" (also at {', '.join(others)})" if others else ""
        warn(LINE.command, f"{problems[0]}{also}")
    if verbose:
        print(f"{path}: {len(script.program.rules)} of {script.rule_count} rules compiled")


def _by_message(problems: Sequence[CompileError]) -> dict[str, list[CompileError]]:
    grouped: dict[str, list[CompileError]] = {}
    for problem in problems:
        grouped.setdefault(problem.message, []).append(problem)
    return grouped


def _script_path(words: Sequence[str]) -> str:
    """SCRIPT, or SCRIPT without its .in."""
    if len(words) != 1:
        message = "no script" if not words else f"a second script '{words[1]}'"
        raise CompileError(message, hint="inpla-cc [options] SCRIPT")
    beside = Path(f"{words[0]}.in")
    return str(beside) if beside.is_file() and not _is_script(Path(words[0])) else words[0]


def _is_script(path: Path) -> bool:
    """A file, but not the executable that was made of a script beside it."""
    try:
        return path.is_file() and not path.read_bytes().startswith(b"\x7fELF")
    except OSError:
        return True  # whoever reads it says what is wrong


def _constants(parsed: ParsedCommandLine) -> dict[str, str]:
    constants: dict[str, str] = {}
    for definition in parsed["d"]:
        found = re.fullmatch(r"([A-Z][A-Za-z0-9_'.]*)=(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)", definition)
        if not found:
            raise CompileError(f"-d {definition}: not NAME=NUMBER")
        number = constant_literal(found[2], parsed["dialect"])
        if isinstance(number, IntLiteral) and not -(2**62) <= number.value < 2**62:
            raise CompileError(f"-d {definition}: not a number from -2^62 to 2^62 - 1")
        constants.setdefault(found[1], found[2])
    return constants


def _run_options(parsed: ParsedCommandLine) -> list[str]:
    """The options that the executable starts with."""
    if not 1 <= parsed["t"] <= _MOST_THREADS:
        raise CompileError(f"-t {parsed['t']}: not a number of threads", hint=f"from 1 to {_MOST_THREADS}")
    options = [f"-dialect={parsed['dialect']}"] if parsed["dialect"] != "int" else []
    options += [word for definition in parsed["d"] for word in ("-d", definition)]
    options += ["-t", str(parsed["t"])] if "t" in parsed.given else []
    return [*options, "-w"] if parsed["w"] else options


def _effort(parsed: ParsedCommandLine) -> str:
    return next((effort for effort in _EFFORTS if parsed[effort]), "O2")


if __name__ == "__main__":
    sys.exit(main())
