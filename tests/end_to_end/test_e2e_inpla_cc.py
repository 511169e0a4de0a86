"""Executables of inpla-cc print what `inpla -f` prints, to the last count and message."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from random_scripts import ScriptMaker

from inbundle.inpla.engine import Engine
from inbundle.inpla.executable import build_executable
from inbundle.nets.c_script import generate_script
from inbundle.nets.script import read_script
from inbundle.resources import engine as engine_sources

OWN = engine_sources() / "tests" / "language"
SMALL_LIMITS = ("-DCOMPILED_PATIENCE=5", "-DCOMPILED_STACK_BYTES=1500")
"""What functions do seldom they do all the time then: give up calls and loops."""


def options_of(program: Path) -> list[str]:
    """How the folder's programs are run."""
    return {"float": ["-dialect=float"], "weak": ["-w"]}.get(program.parent.name, [])


def compile_program(program: Path, folder: Path, engine: Engine, flags: Sequence[str]) -> Path:
    """The executable; the working directory is the program's."""
    dialect = "float" if program.parent.name == "float" else "int"
    script = read_script(program.name, dialect=dialect)
    executable = folder / f"{program.parent.name}_{program.stem}"
    build_executable(
        generate_script(script, options_of(program)), executable, engine, ["-Wall", "-Wextra", "-Werror", *flags]
    )
    return executable


def output(words: Sequence[str | Path]) -> str:
    """What a run prints, without banner and seconds; its exit status."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    text = re.sub(r"\(([0-9]+ interactions)(?: by [0-9]+ threads?)?, [0-9.]+ sec\)", r"(\1)", done.stdout)
    return f"{text}exit status {done.returncode}\n{done.stderr}"


def differing(
    programs: Sequence[Path], folder: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, *flags: str
) -> Iterator[str]:
    """The programs that print something else when they are compiled."""
    for program in programs:
        monkeypatch.chdir(program.parent)
        executable = compile_program(program, folder, engine, flags)
        if output([executable]) != output([engine.command, *options_of(program), "-f", program.name]):
            yield f"{program.parent.name}/{program.name}"


def own_programs(*folders: str) -> list[Path]:
    """Those that read a file and are run by one thread."""
    programs = [program for name in folders for program in sorted((OWN / name).glob("*.in"))]
    return [program for program in programs if "// options:" not in program.read_text(encoding="latin-1")]


def test_the_corpus(shared: Path, inpla_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reference's outputs, compared as the corpus says."""
    corpus = shared / "inpla" / "conformance"
    monkeypatch.syspath_prepend(str(corpus))
    from normalise import normalise, same  # type: ignore[import-not-found]

    failed = []
    programs = sorted(corpus.glob("*/*.in"))
    for program in programs:
        monkeypatch.chdir(program.parent)
        done = subprocess.run(
            [compile_program(program, tmp_path, inpla_engine, ["-O0"])], capture_output=True, text=True, timeout=60
        )
        if not same(normalise(done.stdout), program.with_suffix(".out").read_text(encoding="utf-8")):
            failed.append(program.name)
    sys.modules.pop("normalise")
    assert programs
    assert not failed


def test_programs_about_rules(inpla_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = own_programs("rules", "float")
    assert programs
    assert not list(differing(programs, tmp_path, inpla_engine, monkeypatch, "-O1"))


EXPONENTIAL = (350,)
"""Seeds of scripts that make lists of exponential length."""


@pytest.mark.parametrize("first", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(20, 400, 20))])
def test_random_scripts(first: int, inpla_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seeds = [seed for seed in range(first, first + 20) if seed not in EXPONENTIAL]
    scripts = [ScriptMaker(random.Random(seed), f"p{seed}_").script() for seed in seeds]
    program = tmp_path / "random.in"
    program.write_text("".join(scripts))
    expected = output([inpla_engine.command, "-f", program.name])
    assert expected.endswith("exit status 0\n")
    assert output([compile_program(program, tmp_path, inpla_engine, ["-O0"])]) == expected
    executable = compile_program(program, tmp_path, inpla_engine, ["-O0", *SMALL_LIMITS])
    assert output([executable]) == expected
    assert output([executable, "-t", "3"]) == expected


@pytest.mark.nightly
@pytest.mark.parametrize("flags", [("-O2",), ("-O1", *SMALL_LIMITS)], ids=["optimised", "small limits"])
def test_all_programs(
    flags: tuple[str, ...], inpla_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = own_programs("rules", "int", "float", "weak", "front")
    assert not list(differing(programs, tmp_path, inpla_engine, monkeypatch, *flags))


SORTS = """
sort(r) >< [] => r ~ [];
sort(r) >< (int x):xs => part(a, b, x) ~ xs, sort(c) ~ a, sort(d) ~ b, Append(r, x:d) ~ c;
part(a, b, int x) >< [] => a ~ [], b ~ [];
part(a, b, int x) >< (int y):ys | y < x => a ~ y:w, part(w, b, x) ~ ys | _ => b ~ y:w, part(a, w, x) ~ ys;
random(r, int seed) >< (int n)
| n == 0 => r ~ []
| _ => r ~ x:w, random(w, x) ~ n - 1 where x = (seed * 1366 + 150889) % 714025;
ordered(r, int last) >< [] => r ~ Yes;
ordered(r, int last) >< (int x):xs | x < last => r ~ No, Eraser ~ xs | _ => ordered(r, x) ~ xs;
both(r) >< (int n) =>
    random(l, n) ~ n, Dup(l1, l2) ~ l, sort(s) ~ l1, sort(t) ~ l2, ordered(a, 0) ~ s, Eraser ~ t, r ~ a;
fib(r) >< (int n) | n < 2 => r ~ n | _ => Add(r, b) ~ a, fib(a) ~ n - 1, fib(b) ~ n - 2;
both(a) ~ 500; a; fib(b) ~ 15; b;
"""


@pytest.mark.parametrize("threads", ["1", "3"])
def test_giving_up_calls_and_loops_changes_nothing(
    threads: str, inpla_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sorts.in").write_text(SORTS)
    monkeypatch.chdir(tmp_path)
    executable = compile_program(tmp_path / "sorts.in", tmp_path, inpla_engine, ["-O1", *SMALL_LIMITS])
    expected = output([inpla_engine.command, "-f", "sorts.in"])
    assert "Yes" in expected
    assert "610" in expected
    for _ in range(5):
        assert output([executable, "-t", threads]) == expected


GROWING = """
grow(r) >< S(x) => grow(w) ~ S(S(x)), r ~ C(w);
tree(r) >< (int n) | n == 0 => r ~ Z | _ => r ~ N(a, b), tree(a) ~ n - 1, tree(b) ~ n - 1;
"""
RUNS_OUT = {
    "grow(r) ~ S(Z);": "2:ERROR: Memory is exhausted in the rule grow >< S.",
    "tree(t) ~ 30;": "3:ERROR: Memory is exhausted in the rule tree >< Int.",
}


@pytest.mark.parametrize("net", RUNS_OUT)
def test_out_of_memory_a_run_names_the_rule_and_ends(net: str, inpla_engine: Engine, tmp_path: Path) -> None:
    """With two threads it may be a message to the other one for which there is no memory: then the line is named."""
    (tmp_path / "growing.in").write_text(GROWING + net)
    script = read_script(str(tmp_path / "growing.in"))
    build_executable(generate_script(script), tmp_path / "growing", inpla_engine, ["-O0"])
    for words in ([inpla_engine.command, "-f", tmp_path / "growing.in"], [tmp_path / "growing"]):
        for threads in ("1", "2"):
            limited = ["sh", "-c", 'ulimit -v 150000; exec "$@"', "sh", *words, "-t", threads]
            done = subprocess.run(limited, capture_output=True, text=True, timeout=60)
            message = done.stdout.splitlines()[-1]
            assert done.returncode == 1
            assert message == RUNS_OUT[net] or (threads == "2" and message == "4:ERROR: Memory is exhausted.")
