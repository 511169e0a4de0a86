"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent
SHARED = REPO.parent / "shared"

# `make test` runs these tests below a make, whose flags would reach every make that a test starts as a user would.
for _variable in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"):
    os.environ.pop(_variable, None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real models and images beside the checkout; tests that need it are skipped without it."""
    if not (SHARED / "data").is_dir():
        pytest.skip("no ../shared/data beside this checkout")
    return SHARED
