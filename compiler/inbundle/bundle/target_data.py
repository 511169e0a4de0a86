"""Targets as data: what `targets/*.yaml` says about an architecture or a board.

A file describes an architecture (word size, byte order, cross compilers, how GCC spells options) or inherits one and
adds a processor and a board (start-up sources, linker script, how to run). Adding a target adds a file here and, for a
board, a folder `templates/targets/NAME`; no code.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from inbundle.errors import CompileError

_FOLDER = Path(__file__).resolve().parent / "targets"


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command, the Debian package that has it, and the rest of the triple it is for (a pattern)."""

    command: str
    package: str
    os: str = ".*"


@dataclass(frozen=True)
class Board:
    """What the bundle's Makefile needs to build and run the example application; files are in templates/targets/NAME.

    Attributes:
        cflags, ldflags: in addition to the target's.
        run: the command that runs a program, whose name is appended.
        package: the Debian package that has this command.
    """

    name: str
    sources: tuple[str, ...]
    linker_script: str
    cflags: tuple[str, ...]
    ldflags: tuple[str, ...]
    run: str
    package: str

    @staticmethod
    def of(data: Mapping[str, Any]) -> Board:
        return Board(
            name=data["name"],
            sources=tuple(data["sources"]),
            linker_script=data["linker_script"],
            cflags=tuple(data.get("cflags", ())),
            ldflags=tuple(data.get("ldflags", ())),
            run=data["run"],
            package=data["package"],
        )


@dataclass(frozen=True)
class Target:
    """One file of `targets/`, with what it inherits.

    Attributes:
        name: the file's stem.
        architectures: pattern of a triple's first component that this target stands for; empty for boards.
        processors: pattern of the values of `-mcpu` that no other architecture knows; may be empty.
        triple: the triple meant by the bare name.
        cflags: always given.
        flags: how GCC spells `mcpu`, `float_abi`, `features` …; a word with `{}` takes the value.
        mcpu, float_abi: values where the options say nothing.
        vectors: vector units of its processors, best first, that kernels are written for (`kernels/vector`).
        vectors_if: what the preprocessor says where compiler and flags give the processor these units; empty: always.
        clang_flags: given to Clang alone.
    """

    name: str
    description: str
    architectures: str
    triple: str
    word_bytes: int
    byte_order: str
    compilers: tuple[Compiler, ...]
    processors: str = ""
    is_host: bool = False
    cflags: tuple[str, ...] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    mcpu: str = ""
    float_abi: str = ""
    vectors: tuple[str, ...] = ()
    vectors_if: str = ""
    clang_flags: tuple[str, ...] = ()
    board: Board | None = None


def names() -> list[str]:
    """The names of all targets, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))


def boards() -> list[Target]:
    """The targets that have a board, sorted by name."""
    return [target for target in map(load, names()) if target.board]


@cache
def load(name: str) -> Target:
    """The target of a name of `names()`."""
    data = _merged(name)
    return Target(
        name=name,
        description=data["description"],
        architectures="" if data.get("board") else data["architectures"],
        triple=data["triple"],
        word_bytes=data["word_bytes"],
        byte_order=data["byte_order"],
        compilers=tuple(Compiler(**entry) for entry in data["compilers"]),
        processors=data.get("processors", ""),
        is_host=data.get("host", False),
        cflags=tuple(data.get("cflags", ())),
        flags=data.get("flags", {}),
        mcpu=data.get("mcpu", ""),
        float_abi=data.get("float_abi", ""),
        vectors=tuple(data.get("vectors", ())),
        vectors_if=data.get("vectors_if", ""),
        clang_flags=tuple(data.get("clang_flags", ())),
        board=Board.of(data["board"]) if "board" in data else None,
    )


def find(text: str) -> Target:
    """The target that the value of `-target` means: a name of `names()`, a triple, or nothing for the host.

    Raises:
        CompileError: no target has this name or architecture.
    """
    if text in ("", *names()):
        return load(text or "host")
    return load(_of_architecture(text.split("-")[0], asked=text))


def with_processor(mcpu: str) -> list[Target]:
    """The architectures that a processor is known to be of."""
    return [t for t in map(load, names()) if t.architectures and not t.is_host and re.fullmatch(t.processors, mcpu)]


def _of_architecture(architecture: str, asked: str) -> str:
    for name in names():
        pattern = _read(name).get("architectures")
        if pattern and re.fullmatch(pattern, architecture):
            return name
    raise CompileError(f"unknown target '{asked}'", hint=f"known: {', '.join(names())}, or a triple such as {_EXAMPLE}")


_EXAMPLE = "thumbv7em-none-eabihf"


def _merged(name: str) -> dict[str, Any]:
    """A file's data on top of what it inherits; the host inherits the architecture of this machine."""
    own = _read(name)
    base = _of_architecture(platform.machine(), platform.machine()) if own.get("host") else own.get("inherits")
    return {**_merged(base), **own} if base else own


@cache
def _read(name: str) -> dict[str, Any]:
    data = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(data, dict), f"targets/{name}.yaml is not a map"
    return data
