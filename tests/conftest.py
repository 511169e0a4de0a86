"""Fixtures shared by all tests."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from inbundle.inpla.engine import Engine, built_engine

REPO = Path(__file__).resolve().parent.parent
SHARED = REPO.parent / "shared"

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
    if not (SHARED / "data").is_dir():
        pytest.skip("no ../shared/data beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def inpla() -> Path:
    """The command `inpla`, built in the engine's folder, where one process at a time sees to that."""
    engine = REPO / "runtime_c"
    (engine / "build").mkdir(exist_ok=True)
    with (engine / "build" / "inpla.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "-C", str(engine), "inpla"], check=True)
    return engine / "build" / "inpla"


@pytest.fixture(scope="session")
def inpla_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The engine in a cache of these tests, which commands that are started find as well."""
    cache = tmp_path_factory.getbasetemp().parent / "cache"
    cache.mkdir(exist_ok=True)
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(cache)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        engine = built_engine()
    yield engine
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before
