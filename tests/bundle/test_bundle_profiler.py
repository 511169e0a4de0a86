"""`-profile-kernels`: which tasks a bundle counts, and how often they were called. What they took is not for a test."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from handmade_bundle import expected, tile_parts, written

import inbundle
from inbundle.bundle.parts import Kernel
from inbundle.bundle.runner import Bundle
from inbundle.errors import CompileError

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist" / "mnist.onnx"
X = np.array([[1, -2, 0.5, 4]], np.float32)
IMAGE = {"image": np.random.default_rng(1).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)}
ODD_NAME = 'a "name" \\ /* with */ ??= and é'


@pytest.fixture(scope="module", params=[1, 2, 3])
def profiled(request: pytest.FixtureRequest, compiled: Callable[..., Bundle]) -> Bundle:
    """The example model, for so many threads, whose small layers are cut wherever they can be."""
    return compiled("example", profile_kernels=True, threads=request.param, tile_split="rows")


def _counts(bundle: Bundle) -> list[tuple[str, str, str, int]]:
    return [(each.task, each.kind, each.layer, each.calls) for each in bundle.profiler().read().tasks]


def _expected_counts(bundle: Bundle, runs: int) -> list[tuple[str, str, str, int]]:
    """What the manifest lets expect: a call per tile and run."""
    facts = bundle.manifest["kernels"]
    return [(fact["native"], fact["kind"], fact["instruction"], runs * fact["tiles"]) for fact in facts]


def test_every_task_is_counted(profiled: Bundle) -> None:
    profiler = profiled.profiler()
    profiler.reset()
    for _ in range(5):
        profiled.run(IMAGE)
    found = profiler.read()
    assert found.runs == 5
    assert _counts(profiled) == _expected_counts(profiled, 5)
    assert any(each["tiles"] > 1 for each in profiled.manifest["kernels"]) == (
        profiled.manifest["options"]["threads"] > 1
    )
    assert all(each.nanoseconds > 0 for each in found.tasks)
    if profiled.manifest["options"]["threads"] == 1:  # then no two tasks run at the same time
        assert sum(each.nanoseconds for each in found.tasks) <= found.nanoseconds


def test_reset_starts_from_zero(profiled: Bundle) -> None:
    profiled.run(IMAGE)
    profiled.profiler().reset()
    found = profiled.profiler().read()
    assert (found.runs, found.nanoseconds) == (0, 0)
    assert _counts(profiled) == _expected_counts(profiled, 0)
    assert not any(each.nanoseconds for each in found.tasks)


def test_it_computes_the_same(profiled: Bundle, compiled: Callable[..., Bundle]) -> None:
    plain = compiled("example")
    np.testing.assert_array_equal(profiled.run(IMAGE)["probabilities"], plain.run(IMAGE)["probabilities"])


def test_several_callers_lose_no_count(profiled: Bundle) -> None:
    profiled.profiler().reset()
    callers = [threading.Thread(target=lambda: [profiled.run(IMAGE) for _ in range(50)]) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert profiled.profiler().read().runs == 200
    assert _counts(profiled) == _expected_counts(profiled, 200)


@pytest.mark.parametrize("api", ["static", "dynamic"])
def test_the_example_application_shows_the_table(tmp_path: Path, api: str) -> None:
    parts = tile_parts(profile_kernels=True, bundle_api=api)
    parts = replace(parts, kernels=(Kernel("scale1", ODD_NAME, "scale", 1),), script=f"// {ODD_NAME}: scale, 1 tile\n")
    directory = written(tmp_path, parts)
    flags = "-O1 -Wall -Wextra -pedantic -Werror"
    subprocess.run(["make", "-s", f"CFLAGS={flags}"], cwd=directory, check=True)
    done = subprocess.run(["./main.x", "--runs", "7"], cwd=directory, check=True, capture_output=True, text=True)
    heading, titles, *rows = done.stderr.splitlines()
    assert re.fullmatch(r"tiny: 7 runs, \d+\.\d\d us each, of which tasks \d+\.\d\d us", heading)
    assert titles.split() == ["calls", "us", "per", "run", "%", "task", "kind", "layer"]
    (row,) = rows
    assert re.fullmatch(rf" +7 +\d+\.\d\d +\d+\.\d  scale1 +scale +{re.escape(ODD_NAME)}", row)
    assert done.stdout.count("soft_max") == 4


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example application of a bundle that measures."""
    directory = written(tmp_path_factory.mktemp("runs"), tile_parts(profile_kernels=True))
    subprocess.run(["make", "-s"], cwd=directory, check=True)
    return directory / "main.x"


@pytest.mark.parametrize("text", ["-1", "abc", "0", "", "1x", " 7", "+7", "1000000001", "99999999999999999999999"])
def test_a_number_of_runs_that_is_none(program: Path, text: str) -> None:
    done = subprocess.run([program, "--runs", text], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"--runs {text}: expected a number from 1 to 1000000000\n"


def test_no_number_of_runs(program: Path) -> None:
    done = subprocess.run([program, "--runs"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("usage: ")


@pytest.mark.parametrize("compiler", [["gcc", "-std=c11"], ["g++", "-xc++", "-std=c++17"]])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_source_has_no_warnings(tmp_path: Path, compiler: list[str], threads: int) -> None:
    directory = written(tmp_path, tile_parts(profile_kernels=True, threads=threads))
    command = [*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "tiny.c", "-o", "other.o"]
    subprocess.run(command, cwd=directory, check=True)


def test_without_the_option_there_is_nothing_of_it(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts())
    for name in ("tiny.c", "tiny.h", "main.c"):
        assert "profile" not in (directory / name).read_text().lower()
    np.testing.assert_array_equal(Bundle(directory).run({"data:0": X})["soft/max"], expected(X))
    with pytest.raises(CompileError, match=r"tiny: measures no time \(compile with -profile-kernels\)"):
        Bundle(directory).profiler()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"granularity": "neuron"}, "-profile-kernels: a neuron net has no kernels"),
        ({"target": "cortex-m4"}, "-profile-kernels needs an operating system's clock, cortex-m4 has none"),
    ],
)
def test_what_cannot_be_measured_is_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        inbundle.compile(EXAMPLE, tmp_path / "b", profile_kernels=True, **options)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("entry", ["tiny_profile", "tiny_profile_reset"])
def test_an_entry_cannot_have_the_name_of_its_functions(tmp_path: Path, entry: str) -> None:
    with pytest.raises(CompileError, match=f"cannot be called '{entry}'"):
        written(tmp_path, tile_parts(entry=entry, profile_kernels=True))
