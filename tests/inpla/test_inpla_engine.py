"""The engine's build in the user's cache."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inbundle.errors import CompileError
from inbundle.inpla.engine import Engine, built_engine, engine_folder, find_compiler


def test_the_command_runs_and_is_built_once(inpla_engine: Engine) -> None:
    done = subprocess.run([inpla_engine.command, "-v"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Inpla ")
    before = inpla_engine.command.stat().st_mtime_ns
    again = built_engine(inpla_engine.compiler)
    assert again == inpla_engine
    assert again.command.stat().st_mtime_ns == before
    assert not list(inpla_engine.command.parent.parent.glob("building-*"))


def test_another_compiler_has_a_build_of_its_own(inpla_engine: Engine, tmp_path: Path) -> None:
    other = tmp_path / "mycc"
    other.symlink_to(inpla_engine.compiler)
    assert engine_folder(inpla_engine.compiler) == inpla_engine.command.parent
    assert engine_folder(str(other)) != inpla_engine.command.parent


def test_without_a_compiler_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompileError, match="no C compiler on this machine") as error:
        built_engine()
    assert "install gcc" in error.value.hint


def test_the_compiler_is_the_one_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "sh")
    assert os.path.basename(find_compiler()) in ("sh", "dash", "bash")
    with pytest.raises(CompileError, match="no C compiler 'no-such-cc'"):
        find_compiler("no-such-cc")


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'cc: error: out of order' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(CompileError, match="the engine cannot be built") as error:
        built_engine(str(compiler))
    assert "out of order" in error.value.hint
    assert not list((tmp_path / "cache" / "inbundle").iterdir())


def test_a_compiler_without_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(CompileError) as error:
        built_engine("false")
    told = "the engine cannot be built with this C compiler (the compiler fails without a message)"
    assert str(error.value) == f"{find_compiler('false')}: {told}"


def test_without_make_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cc").symlink_to(find_compiler())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(CompileError, match="no make on this machine"):
        built_engine("cc")
