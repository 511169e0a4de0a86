"""`inpla-cc` and `inpla` as commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inbundle.cli import inpla_cc
from inbundle.inpla.engine import Engine

FIB = "fib(r) >< (int n) | n < 2 => r ~ n | _ => Add(r, b) ~ a, fib(a) ~ n - 1, fib(b) ~ n - 2;\nfib(x) ~ N; x;\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("fib.in").write_text(FIB)
    return tmp_path


def run(*words: str) -> list[str]:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_executable_prints_what_inpla_prints(folder: Path, inpla_engine: Engine) -> None:
    assert inpla_cc.main(["fib", "-O0", "-d", "N=20"]) == 0
    compiled, interpreted = run("./fib"), run(str(inpla_engine.command), "-f", "fib.in", "-d", "N=20")
    assert compiled[2] == interpreted[2] == "6765"
    assert compiled[1].split()[0] == interpreted[1].split()[0] == "(43781"
    assert run("./fib", "-t", "2")[1].startswith("(43781 interactions by 2 threads")


def test_an_executable_lists_the_options_that_it_takes(folder: Path, inpla_engine: Engine) -> None:
    assert inpla_cc.main(["fib", "-O0", "-d", "N=5"]) == 0
    listed = re.findall(r"^  (-\S+)", "\n".join(run("./fib", "-h")), re.M)
    assert "-t" in listed
    assert not {"-f", "-c"} & set(listed)


def test_an_executable_is_not_taken_for_its_script(folder: Path, inpla_engine: Engine) -> None:
    for _ in range(2):
        assert inpla_cc.main(["fib", "-O0", "-d", "N=5"]) == 0
    assert run(str(inpla_engine.command), "-f", "fib", "-d", "N=5")[2] == "5"


def test_options_of_the_executable_come_before_its_own(folder: Path, inpla_engine: Engine) -> None:
    Path("half.in").write_text("half(r) >< (float k) => r ~ k / 2; half(x) ~ 3; x;")
    assert inpla_cc.main(["half.in", "-O0", "-dialect=float", "-t", "3", "-o", "made"]) == 0
    assert run("./made") == ["1.500000"]
    assert run("./made", "-t", "1", "-dialect=float") == ["1.500000"]
    other = subprocess.run(["./made", "-dialect=int"], capture_output=True, text=True)
    assert other.returncode == 1
    assert other.stdout.startswith("ERROR: The program is compiled for the other dialect")


def test_constants_are_all_numbers_that_inpla_takes(folder: Path, inpla_engine: Engine) -> None:
    Path("scale.in").write_text("scale(r) >< (float k) => r ~ k * A + B; scale(x) ~ 3; x;")
    Path("third.in").write_text("third(r) >< (int k) => r ~ k / N; third(x) ~ 100; x;")
    assert inpla_cc.main(["third.in", "-O0", "-d", "N=-3"]) == 0
    assert run("./third")[2] == "-33"
    words = ["-d", "A=-2.5", "-d", "B=1e3"]
    assert inpla_cc.main(["scale.in", "-O0", *words]) == 0
    assert run("./scale")[2] == run(str(inpla_engine.command), "-f", "scale.in", *words)[2] == "992.5"


def test_generated_c_can_be_had_alone(folder: Path) -> None:
    assert inpla_cc.main(["fib.in", "--emit-c", "fib.c", "-v"]) == 0
    assert "reduce_fib_1" in Path("fib.c").read_text()
    assert sorted(path.name for path in folder.iterdir()) == ["fib.c", "fib.in"]


@pytest.mark.parametrize(
    "words",
    [
        ["prog"],
        ["fib.in", "-o", "fib.in"],
        ["fib.in", "-o", "link"],
        ["fib.in", "-o", "hard"],
        ["fib.in", "--emit-c", "./fib.in"],
        ["user.in", "-o", "fib.in"],
        ["fib.in", "--emit-c", "fib.in", "-o", "made"],
        ["fib.in", "--emit-c", "fib.c", "-o", "fib.in"],
        ["fib.in", "--emit-c", "fib.c", "-o", "./fib.c"],
    ],
)
def test_no_script_is_written_over(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    Path("prog").write_text(FIB)
    Path("user.in").write_text('use "fib.in";\n')
    Path("link").symlink_to("fib.in")
    Path("hard").hardlink_to("fib.in")
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert inpla_cc.main([*words, "-O0"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_a_script_with_an_error_is_compiled_up_to_it(
    folder: Path, inpla_engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.in").write_text("f(r) >< A => r ~ 1;\nf(x) ~ A; x;\nf(r) >< B => ;\nx ~ A;\n")
    assert inpla_cc.main(["bad.in", "-O0", "-v"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "bad.in: 1 of 2 rules compiled\n"
    assert printed.err.startswith("inpla-cc: warning: bad.in:3:1: `r' is referred not once")
    compiled = subprocess.run(["./bad"], capture_output=True, text=True)
    interpreted = subprocess.run([inpla_engine.command, "-f", "bad.in"], capture_output=True, text=True)
    assert compiled.returncode == interpreted.returncode == 1
    assert compiled.stdout == interpreted.stdout


def test_a_syntax_error_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"bytes": "\xff\x01\0", "cut": "fib(r) >< A => r ~ 1;\na(x) ~ b(y", "rule": "f >< => ;"}.items():
        Path(f"{name}.in").write_text(text, encoding="latin-1")
        assert inpla_cc.main([f"{name}.in"]) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"inpla-cc: error: {name}.in:{2 if name == 'cut' else 1}:")
        assert error.count("\n") == 1
        assert not Path(name).exists()


def test_one_warning_for_each_native_function_that_is_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = [f"f(r) >< (int {name}) | k(1) == {name} => r ~ 1 | _ => r ~ 2;" for name in "ab"]
    Path("natives.in").write_text("\n".join(rules))
    assert inpla_cc.main(["natives.in", "--emit-c", "natives.c"]) == 0
    told = "there is no native function `k', and an agent is no value (also at natives.in:2:19)"
    assert capsys.readouterr().err == f"inpla-cc: warning: natives.in:1:19: {told}\n"


def test_a_rule_with_thousands_of_guards_runs_as_in_inpla(folder: Path, inpla_engine: Engine) -> None:
    guards = " ".join(f"| n == {i} => f(r) ~ {i} - 1" for i in range(1, 2000))
    Path("large.in").write_text(f"f(r) >< (int n) {guards} | _ => r ~ n; f(x) ~ 1999; x;")
    assert inpla_cc.main(["large.in"]) == 0
    printed = run("./large")
    assert printed[1].split()[0] == "(2000"
    assert printed[2] == "0"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no script (inpla-cc [options] SCRIPT)"),
        (["none.in"], "none.in: cannot read the script"),
        (["fib.in", "fib.in"], "a second script 'fib.in'"),
        (["fib.in", "-d", "N"], "-d N: not NAME=NUMBER"),
        (["fib.in", "-d", f"N={'9' * 5000}"], f"the number {'9' * 19}... is above 2^62 - 1"),
        (["none.in", "-d", f"N={2**62}"], f"-d N={2**62}: not a number from -2^62 to 2^62 - 1"),
        (["none.in", "-d", f"N={-(2**62) - 1}"], f"-d N={-(2**62) - 1}: not a number from -2^62 to 2^62 - 1"),
        (["fib.in", "-o", "none/fib"], "none/fib: the executable cannot be written (is the folder there?)"),
        (["fib.in", "-t", "65"], "-t 65: not a number of threads (from 1 to 64)"),
        (["fib.in", "-q"], "unknown command line argument '-q'"),
        (["fib.in", "-cc=no-such-cc"], "no C compiler 'no-such-cc' on this machine"),
    ],
)
def test_errors_are_one_line(folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert inpla_cc.main(words) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"inpla-cc: error: {message}")
    assert printed.count("\n") == 1


def test_the_command_inpla_is_started(folder: Path, inpla_engine: Engine) -> None:
    words = [sys.executable, "-m", "inbundle.cli.inpla", "-f", "fib.in", "-d", "N=10"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=dict(os.environ))
    assert done.stdout.splitlines()[-1] == "55"
