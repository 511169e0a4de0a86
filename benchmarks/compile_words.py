"""Compile options on the command line of a benchmark: behind `--`, as FLAG=VALUE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """A benchmark's own words, and the compile options behind `--`."""
    end = words.index("--") if "--" in words else len(words)
    return words[:end], words[end + 1 :]


def parsed_options(words: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` as fields of CompileOptions; `onnx_define_symbol=NAME,SIZE` may occur several times."""
    options: dict[str, Any] = {}
    for word in words:
        flag, _, value = word.lstrip("-").partition("=")
        name = flag.replace("-", "_")
        if name == "onnx_define_symbol":
            symbol, _, size = value.partition(",")
            options.setdefault(name, {})[symbol] = int(size)
        else:
            options[name] = int(value) if value.isdecimal() else value
    return options
