"""The C of scripts: rules of any form compile without warnings, texts come through as they are."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from random_rules import RuleMaker

from inbundle.inpla.engine import include_flags
from inbundle.nets.c_script import generate_script
from inbundle.nets.c_text import c_text
from inbundle.nets.rule_text import rule_text
from inbundle.nets.script import read_script

# What meaningless rules may draw: warnings on the meaning, not on the form.
MEANING = [
    "unknown-warning-option",
    "tautological-compare",
    "bool-compare",
    "logical-not-parentheses",
    "int-in-bool-context",
    "unused-function",
    "unused-but-set-variable",
    "div-by-zero",
    "infinite-recursion",
]


def compiles(compiler: str, source: Path) -> bool:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    words = [compiler, "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    words += [f"-Wno-{name}" for name in MEANING]
    return subprocess.run([*words, *include_flags(), source], check=False).returncode == 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("dialect", ["int", "float"])
def test_rules_of_any_form_compile_without_warnings(tmp_path: Path, compiler: str, dialect: str) -> None:
    makers = [RuleMaker(random.Random(seed), dialect) for seed in range(150)]
    script = tmp_path / "random.in"
    script.write_text("\n".join(rule_text(maker.rule(), {}) for maker in makers))
    read = read_script(str(script), dialect=dialect)
    assert not read.problems or all("one side of a rule" in str(problem) for problem in read.problems)
    source = tmp_path / "random.c"
    source.write_text(generate_script(read))
    assert compiles(compiler, source)


def test_a_text_is_the_same_in_c(tmp_path: Path) -> None:
    text = bytes(range(1, 256)) * 3 + b'??=??/"\\0123\n' + b"\0" + b"7"
    source = tmp_path / "text.c"
    source.write_text(
        f"#include <stdio.h>\nstatic const char text[] ={c_text(text)};\n"
        "int main(void)\n{\n    return fwrite(text, 1, sizeof text - 1, stdout) == 0;\n}\n"
    )
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", tmp_path / "text"], check=True)
    assert subprocess.run([tmp_path / "text"], capture_output=True, check=True).stdout == text


def test_options_and_files_are_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.in").write_text('use "lib.in"; use "./lib.in";')
    Path("lib.in").write_text("x ~ A;\n")
    text = generate_script(read_script("main.in"), ["-d", "N=5"])
    assert '"-d", "N=5"' in text
    assert '{"lib.in", file_1, 7}, {"./lib.in", file_1, 7}' in text
    assert '    "x ~ A;\\012";' in text
