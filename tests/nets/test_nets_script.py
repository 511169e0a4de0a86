"""Scripts are followed as far as rules depend on it: files, constants, the end, what is left to the front end."""

from __future__ import annotations

from pathlib import Path

import pytest

from inbundle.errors import CompileError
from inbundle.nets.program import IntLiteral
from inbundle.nets.script import Script, read_script


def read(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, **files: str) -> Script:
    monkeypatch.chdir(folder)
    for name, text in {"main.in": script, **{f"{name}.in": text for name, text in files.items()}}.items():
        Path(name).write_text(text)
    return read_script("main.in")


def literals(script: Script) -> list[int]:
    """What the rules connect to their ports."""
    sides = [rule.branches[0].body.connections[0][1] for rule in script.program.rules]
    return [side.value for side in sides if isinstance(side, IntLiteral)]


def test_rules_are_numbered_as_the_run_meets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'f(r) >< A => r ~ 1; x ~ A; use "lib.in"; f(r) >< B => r ~ 3; use "lib.in"; y ~ B; h(r) >< A => r ~ 4;'
    script = read(tmp_path, monkeypatch, text, lib="g(r) >< A => r ~ 2;")
    assert literals(script) == [1, 2, 3, 2, 4]
    assert script.numbers == [0, 1, 2, 3, 4]
    assert script.epochs == [0, 1, 1, 1, 2]
    assert list(script.files) == ["main.in", "lib.in"]
    assert not script.problems


def test_a_constant_holds_from_its_definition_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'f(r) >< A => r ~ N; const N = -5; const N = 6; use "lib.in"; f(r) >< B => r ~ N;'
    script = read(tmp_path, monkeypatch, text, lib="g(r) >< A => r ~ N;")
    assert literals(script) == [-5, -5]


def test_constants_of_the_command_line_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.in").write_text("const N = 1; f(r) >< A => r ~ N;")
    assert literals(read_script("main.in", constants={"N": "7"})) == [7]
    assert literals(read_script("main.in", constants={"N": "-7"})) == [-7]


def test_numbers_may_have_any_number_of_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digits = 5000
    text = f"f(r) >< A => r ~ {'7'.zfill(digits)}; f(r) >< B => r ~ {'9' * digits}; f(r) >< C => r ~ 8;"
    script = read(tmp_path, monkeypatch, text)
    assert literals(script) == [7, 8]
    assert ["above 2^62 - 1" in str(problem) for problem in script.problems] == [True]
    constant = read(tmp_path, monkeypatch, f"const N={'9' * digits};")
    assert str(constant.syntax_error).startswith("main.in: the number 999")


def test_exit_ends_the_script_from_within_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = read(tmp_path, monkeypatch, 'use "lib.in"; f(r) >< B => r ~ 3;', lib="g(r) >< A => r ~ 2; exit; no end")
    assert literals(script) == [2]
    assert not script.problems


def test_missing_and_circular_files_are_left_to_the_front_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'use "none.in"; f(r) >< A => r ~ 1; use "lib.in"; f(r) >< B => r ~ 2;'
    script = read(tmp_path, monkeypatch, text, lib='use "main.in"; g(r) >< A => r ~ 3;')
    assert literals(script) == [1]
    assert list(script.files) == ["main.in", "lib.in"]


def test_what_cannot_be_compiled_is_named_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "f(r) >< A => r ~ 1;\nf(r) >< B => ;\nf(r) >< C => r ~ weight(3);\nf(r) >< D => r ~ 4;\nf >< => ;\n? >< E;"
    script = read(tmp_path, monkeypatch, text)
    assert literals(script) == [1, 4]
    assert script.numbers == [0, 3]
    assert script.rule_count == 4
    assert script.other_pairs == [frozenset({("f", 1), ("B", 0)}), frozenset({("f", 1), ("C", 0)})]
    assert [str(problem).split(":")[1] for problem in script.problems] == ["2", "3"]
    assert str(script.syntax_error).startswith("main.in:5:")


def test_a_deep_rule_is_left_to_the_front_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "S(" * 5000 + "Z" + ")" * 5000
    script = read(tmp_path, monkeypatch, f"f(r) >< A => r ~ {deep}; f(r) >< B => r ~ 2;")
    assert script.numbers == [1]
    assert "too deeply nested" in str(script.problems[0])


def guarded(name: str, guards: int) -> str:
    return f"{name}(r) >< (int n) {' '.join(f'| n == {i} => r ~ {i}' for i in range(guards))} | _ => r ~ 0;"


def test_a_large_rule_is_left_to_the_front_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = read(tmp_path, monkeypatch, guarded("f", 2000) + guarded("g", 50) + f"h(r) >< A => r ~ {'n+' * 3000}1;")
    assert script.numbers == [1]
    assert "main.in:1:1: this rule is too large to be compiled" in str(script.problems[0])


def test_guards_within_guards_without_end_are_left_to_the_front_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    depth = 2000
    script = read(tmp_path, monkeypatch, f"f(r) >< (int n) {'| n => ' * depth} r ~ 1 {'| _ => r ~ 2' * depth};")
    assert [problem.message for problem in script.problems] == ["cannot compile guards that are nested this deeply"]


def test_a_script_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="cannot read the script"):
        read_script(str(tmp_path / "none.in"))
