"""The command `inpla` and its library: built from the package's sources when they are first needed, kept per user.

The folder is `$XDG_CACHE_HOME/inbundle`, or `~/.cache/inbundle`. What is built there bears a key of everything that it
depends on, the sources, the compiler and this package's version, so nothing in it is ever out of date; it is built
aside and renamed, so that two commands at a time do not meet.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inbundle import __version__
from inbundle.errors import CompileError
from inbundle.resources import engine, templates

_COMPILERS = ("cc", "gcc", "clang")
_BUILT = ("inpla", "libinpla.a", "libinpla.flags")
_KEY_LENGTH = 16


@dataclass(frozen=True)
class Engine:
    """A build of the engine.

    Attributes:
        compiler: the C compiler that made it.
        command: the executable `inpla`.
        library: all of it but `main`.
        link_flags: what an executable of the library is linked with besides.
    """

    compiler: str
    command: Path
    library: Path
    link_flags: tuple[str, ...]


def built_engine(compiler: str = "") -> Engine:
    """The engine, which is built if it is not there yet.

    Args:
        compiler: a C compiler; empty: that of the environment variable CC, else the first one found.

    Raises:
        CompileError: there is no C compiler or no make, or the build fails.
    """
    compiler = find_compiler(compiler)
    folder = engine_folder(compiler)
    if not folder.is_dir():
        _build(compiler, folder)
    flags = (folder / "libinpla.flags").read_text(encoding="utf-8").split()
    return Engine(compiler, folder / "inpla", folder / "libinpla.a", tuple(flags))


def engine_folder(compiler: str) -> Path:
    """Where the build of a compiler is, or will be."""
    return _cache() / f"engine-{_key(compiler)}"


def find_compiler(wanted: str = "") -> str:
    """The path of the C compiler to use. Raises CompileError if there is none."""
    asked = wanted or os.environ.get("CC", "")
    for name in (asked,) if asked else _COMPILERS:
        if path := shutil.which(name):
            return path
    what = f"no C compiler '{asked}' on this machine" if asked else "no C compiler on this machine"
    raise CompileError(what, hint="install gcc or clang; Debian: apt-get install gcc libc6-dev make")


def include_flags() -> list[str]:
    """Compiler flags for C that is linked with the library."""
    root = engine()
    folders = [f"-I{root / name}" for name in ("language", "include", "src")]
    return [*folders, "-DINPLA_VALUES=1", "-DINPLA_THREADS=1"]


# --- the build ---------------------------------------------------------------------------------------------------


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "inbundle"


def _sources() -> Iterator[Path]:
    root = engine()
    yield root / "Makefile"
    for folder in ("include", "language", "src"):
        yield from sorted((root / folder).rglob("*.[ch]"))
    yield from sorted((templates() / "kernels" / "functions").glob("math_*.c"))  # of natives_math.c


def _key(compiler: str) -> str:
    version = subprocess.run([compiler, "--version"], capture_output=True, check=False).stdout
    digest = hashlib.sha256("\0".join([__version__, compiler]).encode() + b"\0" + version)
    for source in _sources():
        digest.update(os.path.relpath(source, engine()).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:_KEY_LENGTH]


def _build(compiler: str, folder: Path) -> None:
    if shutil.which("make") is None:
        raise CompileError("no make on this machine, which builds the engine", hint="Debian: apt-get install make")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="building-", dir=folder.parent) as scratch:
        _make(compiler, scratch)
        made = Path(scratch) / "made"
        made.mkdir()
        for name in _BUILT:
            shutil.move(str(Path(scratch) / name), made / name)
        try:
            made.rename(folder)
        except OSError:  # somebody else was faster
            if not folder.is_dir():
                raise


def _make(compiler: str, build: str) -> None:
    targets = ["FLAGS=-Iinclude -Isrc", "inpla", "libinpla.a"]  # a user's compiler may warn of what ours do not
    words = ["make", "-s", "-j2", "-C", str(engine()), f"BUILD={build}", f"CC={compiler}", *targets]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(words, env={**environment, "LC_ALL": "C"}, capture_output=True, text=True, errors="replace")
    if done.returncode:
        message = first_error(done.stderr) or "the compiler fails without a message"
        raise CompileError("the engine cannot be built with this C compiler", where=(compiler,), hint=message)


def first_error(text: str) -> str:
    """The line of a compiler's output that says what is wrong; what make says of it is left out."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("make")]
    return next((line for line in lines if "error" in line), lines[0] if lines else "")
