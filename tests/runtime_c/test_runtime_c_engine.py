"""The engine's own tests, which are C programs: `make -C runtime_c test` builds and runs them in every variant."""

from __future__ import annotations

import subprocess
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "runtime_c"


def test_the_engine_passes_its_own_tests(tmp_path: Path) -> None:
    command = ["make", "-C", str(ENGINE), "-j2", f"BUILD={tmp_path}", "test"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "freestanding" in result.stdout
