"""Errors as the one line that commands print."""

from __future__ import annotations

from inbundle.errors import CompileError


def test_places_message_and_hint_are_one_line() -> None:
    error = CompileError("is\nwrong", where=("node 'a'",), hint="mend it").at("m.onnx")
    assert str(error) == "m.onnx: node 'a': is wrong (mend it)"


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert str(CompileError("no 'a\x1b[2J\x00\u202e'", where=("größe 中",))) == r"größe 中: no 'a\x1b[2J\x00\u202e'"
