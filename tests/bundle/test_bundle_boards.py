"""Bundles on emulated boards: every target with a board that this machine has the tools for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade_bundle import expected, neuron_parts, tile_parts, written

from inbundle.bundle import target_data
from inbundle.bundle.target_data import Target
from inbundle.bundle.weights import to_text
from inbundle.errors import CompileError

X = np.array([[1, -2, 0.5, 1e-3]], np.float32)


def _make(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-s", *words], cwd=directory, capture_output=True, text=True, timeout=120)


@pytest.fixture(params=target_data.boards(), ids=lambda target: target.name)
def target(request: pytest.FixtureRequest) -> Target:
    found: Target = request.param
    assert found.board
    for command in ("make", found.compilers[0].command, found.board.run.split()[0]):
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")
    return found


@pytest.mark.parametrize("make", [tile_parts, neuron_parts])
@pytest.mark.parametrize("compiled_for", ["host", "board"])
def test_it_runs(tmp_path: Path, target: Target, make: Any, compiled_for: str) -> None:
    directory = written(tmp_path, make(target="" if compiled_for == "host" else target.name, threads=1))
    (directory / "x.txt").write_bytes(to_text(X.tobytes()))
    done = _make(directory, f"TARGET={target.name}", "INPUTS=x.txt", "CFLAGS=-O2 -Wall -Wextra -Werror", "run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(f"soft_max[{i}] = {value:.9g}\n" for i, value in enumerate(expected(X)[0]))


def test_a_bundle_for_a_board_makes_for_it_without_being_told(tmp_path: Path, target: Target) -> None:
    done = _make(written(tmp_path, tile_parts(target=target.name)), "run")
    assert (done.returncode, done.stdout.count("soft_max")) == (0, 4), done.stderr


def test_a_bundle_for_threads_runs_with_one(tmp_path: Path, target: Target) -> None:
    done = _make(written(tmp_path, tile_parts(threads=4)), f"TARGET={target.name}", "run")
    assert (done.returncode, done.stdout.count("soft_max")) == (0, 4), done.stderr


def test_an_error_of_the_network_is_the_exit_status(tmp_path: Path, target: Target) -> None:
    directory = written(tmp_path, tile_parts())
    (directory / "x.txt").write_bytes(to_text((X - 5000).tobytes()))
    done = _make(directory, f"TARGET={target.name}", "INPUTS=x.txt", "run")
    assert done.returncode != 0
    assert "tiny: error 65" in done.stderr + done.stdout


def test_a_dynamic_bundle_says_why_not(tmp_path: Path, target: Target) -> None:
    done = _make(written(tmp_path, tile_parts(bundle_api="dynamic")), f"TARGET={target.name}")
    assert done.returncode != 0
    assert "compile with -bundle-api=static" in done.stderr


@pytest.mark.parametrize("api", ["static", "dynamic"])
def test_without_a_board_there_is_an_object_only(tmp_path: Path, target: Target, api: str) -> None:
    directory = written(tmp_path, tile_parts(target="arm", mcpu="cortex-m4", float_abi="hard", bundle_api=api))
    done = _make(directory)
    text = "there is no board for TARGET=arm; make TARGET=cortex-m4 builds the example for one"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"build/arm/tiny.o: {text}\n", "")
    assert [path.name for path in directory.glob("build/arm/*.o")] == ["tiny.o"]
    assert text in _make(directory, "run").stderr
    assert _make(directory, "clean").returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        {"target": "arm", "mcpu": "cortex-m4", "float_abi": "hard"},
        {"target": "thumbv7em-none-eabihf"},
        {"target": "aarch64"},
        {"target": "armv7a-linux-gnueabihf", "mattr": ("+neon",)},
        {"target": "i386"},
        {"target": "riscv64"},
        {"target": "x86_64", "mcpu": "haswell"},
    ],
    ids=lambda options: options["target"],
)
def test_objects_for_other_machines(tmp_path: Path, options: dict[str, Any]) -> None:
    try:
        parts = tile_parts(**options)
    except CompileError as error:
        pytest.skip(str(error))
    header = (written(tmp_path, parts) / "tiny.o").read_bytes()[:20]
    machines = {"arm": 40, "cortex-m4": 40, "aarch64": 183, "i386": 3, "x86_64": 62, "riscv64": 243}
    assert header[:4] == b"\x7fELF"
    assert int.from_bytes(header[18:20], "little") == machines[parts.toolchain.target]
    assert header[4] == parts.toolchain.word_bytes // 4
