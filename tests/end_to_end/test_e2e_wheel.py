"""The wheel in a clean environment: commands, templates and engine sources are inside."""

from __future__ import annotations

import os
import site
import subprocess
import sys
from pathlib import Path

import pytest

from inbundle.inpla.engine import Engine

REPO = Path(__file__).resolve().parents[2]


def run(*words: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel; what it depends on is taken from this one, so no network is needed."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", folder, REPO, cwd=folder)
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", *folder.glob("*.whl"), cwd=folder)
    packages = next((folder / "venv" / "lib").glob("python*")) / "site-packages"
    # Dependencies only: a .pth of this environment would bring in the checkout.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    where = run(python, "-c", "import inbundle; print(inbundle.__file__)", cwd=folder)
    assert str(packages) in where
    return folder / "venv" / "bin"


def test_commands_work_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    model = REPO / "examples" / "mnist" / "mnist.onnx"
    run(installed / "model-compiler", f"-model={model}", "-emit-bundle=b", "-network-name=net", cwd=tmp_path)
    run("make", cwd=tmp_path / "b")
    printed = run("./main.x", cwd=tmp_path / "b")
    assert printed.count("probabilities[") == 10
    images, labels = REPO / "examples" / "mnist" / "images", REPO / "examples" / "mnist" / "ground_truth.txt"
    printed = run(installed / "bundle-accuracy", "--bundle", "b", "--images", images, "--labels", labels, cwd=tmp_path)
    assert "top-1" in printed


def test_scripts_are_run_and_compiled_from_the_wheel(installed: Path, inpla_engine: Engine, tmp_path: Path) -> None:
    """The build of the engine is that of the checkout, as it depends on the sources alone."""
    builds = sorted(inpla_engine.command.parents[1].iterdir())
    (tmp_path / "sum.in").write_text("Add(x, 1) ~ 2; x;")
    assert run(installed / "inpla", "-f", "sum", cwd=tmp_path).endswith("\n3\n")
    run(installed / "inpla-cc", "-O0", "sum.in", cwd=tmp_path)
    assert run("./sum", cwd=tmp_path).endswith("\n3\n")
    assert sorted(inpla_engine.command.parents[1].iterdir()) == builds


def test_wheel_carries_no_tests_and_all_engine_sources(installed: Path) -> None:
    package = next((installed.parent / "lib").glob("python*")) / "site-packages" / "inbundle"
    engine = {file.relative_to(package) for file in (package / "runtime_c").rglob("*.[ch]")}
    folders = [REPO / "runtime_c" / part for part in ("include", "language", "src")]
    assert engine == {file.relative_to(REPO) for folder in folders for file in folder.rglob("*.[ch]")}
    assert {file.name for file in (package / "templates").iterdir()} == {
        file.name for file in (REPO / "templates").iterdir()
    }
