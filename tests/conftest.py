"""Fixtures shared by all tests."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import inbundle
from inbundle.bundle.runner import Bundle
from inbundle.inpla.engine import Engine, built_engine
from inbundle.options import named_options

REPO = Path(__file__).resolve().parent.parent
SHARED = REPO.parent / "shared"
SYMBOLS = {"lenet": {"unk__26": 1}}

# `make test` runs these tests below a make, whose flags would reach every make that a test starts as a user would.
for _variable in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"):
    os.environ.pop(_variable, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the tests marked nightly, too: many random cases")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nightly: takes long; runs with --nightly only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("nightly"):
        for item in items:
            if item.get_closest_marker("nightly"):
                item.add_marker(pytest.mark.skip(reason="nightly run only"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real models and images beside the checkout; tests that need it are skipped without it."""
    return _shared()


def _shared() -> Path:
    if not (SHARED / "data").is_dir():
        pytest.skip("no ../shared/data beside this checkout")
    return SHARED


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bundle]:
    """compiled("lenet", granularity="neuron") -> Bundle of ../shared/data/lenet.onnx; "example": of examples/mnist.

    All tests of a run share it, in whatever process: whoever writes into the directory copies it before. The object is
    position-independent, unless the test asks otherwise, so that running it compiles the C no second time.
    """
    run = tmp_path_factory.getbasetemp()
    folder = (run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "bundles"
    folder.mkdir(exist_ok=True)
    opened: dict[str, Bundle] = {}

    def get(model: str, **options: Any) -> Bundle:
        options = {"onnx_define_symbol": SYMBOLS.get(model, {}), "relocation_model": "pic", **options}
        key = hashlib.sha256(f"{model} {named_options(options)}".encode()).hexdigest()[:16]
        if key not in opened:
            with _locked(folder / f"{key}.lock"):
                opened[key] = _bundle(model, folder / key, options)
        return opened[key]

    return get


def _bundle(model: str, directory: Path, options: dict[str, Any]) -> Bundle:
    if directory.exists():
        return inbundle.load(directory)
    path = REPO / "examples" / "mnist" / "mnist.onnx" if model == "example" else _shared() / "data" / f"{model}.onnx"
    return inbundle.compile(path, directory, **options)


@pytest.fixture(scope="session")
def inpla() -> Path:
    """The command `inpla`, built in the engine's folder, where one process at a time sees to that."""
    engine = REPO / "runtime_c"
    (engine / "build").mkdir(exist_ok=True)
    with _locked(engine / "build" / "inpla.lock"):
        subprocess.run(["make", "-s", "-C", str(engine), "inpla"], check=True)
    return engine / "build" / "inpla"


@pytest.fixture(scope="session")
def inpla_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine in a cache of these tests, which commands that are started find as well."""
    cache = tmp_path_factory.getbasetemp().parent / "cache"
    cache.mkdir(exist_ok=True)
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(cache)
    with _locked(cache / "lock"):
        engine = built_engine()
    yield engine
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before
