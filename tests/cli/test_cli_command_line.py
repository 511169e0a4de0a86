"""The LLVM-style command line: forms, built-in options, errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inbundle.cli.command_line import CommandLine, Kind, Option
from inbundle.errors import CompileError

OPTIONS = (
    Option("model", Kind.STRING, "the model", required=True, value="path", aliases=("m",)),
    Option("verbose", Kind.BOOL, "talk", False),
    Option("count", Kind.INT, "number", 3),
    Option("size", Kind.UINT, "size", 1),
    Option("mode", Kind.ENUM, "mode", "fast", choices=("fast", "slow")),
    Option("input", Kind.LIST, "inputs"),
    Option("kinds", Kind.COMMA_LIST, "kinds"),
    Option("secret", Kind.STRING, "not shown", "", hidden=True),
)
LINE = CommandLine("tool", "a tool", OPTIONS)


@pytest.mark.parametrize(
    "words", [["-model=a"], ["--model=a"], ["-model", "a"], ["--model", "a"], ["-m", "a"], ["--m=a"]]
)
def test_forms_of_a_value_are_equal(words: list[str]) -> None:
    assert LINE.parse(words)["model"] == "a"


def test_separate_value_takes_the_next_word_whatever_it_looks_like() -> None:
    assert LINE.parse(["-m", "-verbose"])["model"] == "-verbose"


@pytest.mark.parametrize(
    ("word", "value"), [("-verbose", True), ("-verbose=", True), ("-verbose=0", False), ("--verbose=False", False)]
)
def test_booleans(word: str, value: bool) -> None:
    assert LINE.parse(["-m=a", word])["verbose"] is value


@pytest.mark.parametrize(("text", "value"), [("7", 7), ("-7", -7), ("0x1F", 31), ("010", 8), ("0", 0)])
def test_numbers(text: str, value: int) -> None:
    assert LINE.parse(["-m=a", f"-count={text}"])["count"] == value


def test_lists_keep_their_order() -> None:
    parsed = LINE.parse(["-m=a", "-input=x,1", "-input", "y", "-kinds=a,b", "-kinds=c"])
    assert parsed["input"] == ["x,1", "y"]
    assert parsed["kinds"] == ["a", "b", "c"]


def test_response_file(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("-model='a b' -count 4\n")
    parsed = LINE.parse([f"@{tmp_path}/words"])
    assert (parsed["model"], parsed["count"]) == ("a b", 4)


def test_response_file_that_names_itself(tmp_path: Path) -> None:
    (tmp_path / "words").write_text(f"@{tmp_path}/words")
    with pytest.raises(CompileError, match="nest too deeply"):
        LINE.parse([f"@{tmp_path}/words"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m=a", "-modell=b"], "unknown command line argument '-modell=b'.*did you mean -model\\?"),
        (["-mfoo"], "unknown command line argument '-mfoo'"),
        (["-model"], "-model: requires a value"),
        ([], "-model: must be specified at least once"),
        (["-model="], "-model: the value is empty"),
        (["-m=a", "-m=b"], "-model: may only occur zero or one times"),
        (["-m=a", "-verbose=yes"], "'yes' is invalid value for boolean option -verbose"),
        (["-m=a", "-verbose", "false"], "too many positional arguments specified: 'false'"),
        (["-m=a", "-count=1_0"], "'1_0' is invalid value for integer option -count"),
        (["-m=a", "-count="], "'' is invalid value for integer option -count"),
        (["-m=a", "-size=-1"], "'-1' is invalid value for unsigned option -size"),
        (["-m=a", "-mode=Fast"], "cannot find option named 'Fast' for -mode.*fast, slow"),
        (["@no-such-file"], "cannot read the response file 'no-such-file'"),
    ],
)
def test_errors(words: list[str], message: str) -> None:
    with pytest.raises(CompileError) as caught:
        LINE.parse(words)
    assert re.search(message, str(caught.value)), str(caught.value)


def test_help_and_version_leave_with_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("-help", "--help", "-version", "-help-hidden"):
        with pytest.raises(SystemExit) as left:
            LINE.parse([word])
        assert left.value.code == 0
    printed = capsys.readouterr().out
    assert "-mode=<fast|slow>" in printed
    assert "tool (inbundle " in printed
    assert printed.count("-secret") == 1


def test_positional_words_after_two_dashes() -> None:
    line = CommandLine("tool", "a tool", OPTIONS, positional=True)
    assert line.parse(["x", "-m=a", "-", "--", "-verbose"]).positional == ["x", "-", "-verbose"]
