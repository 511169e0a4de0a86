"""Writing a bundle: which files, all or nothing, always the same bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from handmade_bundle import WEIGHTS, tile_parts, written

from inbundle.bundle.manifest_file import load_manifest
from inbundle.bundle.writer import write_bundle
from inbundle.errors import CompileError

FILES = {
    "tiny.in", "tiny.h", "tiny.c", "tiny_kernels.c", "tiny.o", "tiny.weights.bin", "tiny.weights.txt", "tiny.yaml",
    "main.c", "Makefile", "engine", "targets",
}  # fmt: skip


def _content(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("writer"), tile_parts())


def test_the_files(bundle: Path) -> None:
    assert {path.name for path in bundle.iterdir()} == FILES
    assert (bundle / "engine" / "inpla_all.c").is_file()
    assert (bundle / "targets" / "cortex-m4" / "startup.c").is_file()


@pytest.mark.parametrize("network", ["Makefile", "targets", "engine"])
def test_a_network_called_like_one_of_its_files(tmp_path: Path, network: str) -> None:
    directory = written(tmp_path, tile_parts(network))
    assert set(load_manifest(directory)["files"]) >= {
        f"{network}{suffix}" for suffix in (".c", ".h", ".in", ".o", ".weights.bin", ".weights.txt", "_kernels.c")
    }


def test_a_dynamic_bundle_has_no_weights_text(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts(bundle_api="dynamic"))
    assert {path.name for path in directory.iterdir()} == FILES - {"tiny.weights.txt"}


def test_the_weights_are_the_region(bundle: Path) -> None:
    data = (bundle / "tiny.weights.bin").read_bytes()
    assert len(data) == 128
    assert data[:16] == WEIGHTS.tobytes()
    assert data[64:68] == b"INet"


def test_the_same_parts_give_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    again = written(tmp_path, tile_parts())
    assert _content(again) == _content(bundle)


def test_no_file_names_a_directory_of_this_machine(bundle: Path) -> None:
    for name, data in _content(bundle).items():
        assert str(bundle.parent).encode() not in data, name
        assert str(Path.home()).encode() + b"/" not in data, name
        assert b".inbundle-" not in data, name


def test_files_can_be_read_by_others(bundle: Path) -> None:
    assert bundle.stat().st_mode & 0o055 == 0o055


def test_an_existing_directory_keeps_its_own_files(tmp_path: Path) -> None:
    directory = tmp_path / "tiny"
    (directory / "engine").mkdir(parents=True)
    (directory / "notes.txt").write_text("mine")
    (directory / "engine" / "mine.c").write_text("mine")
    (directory / "tiny.h").write_text("of a bundle by Glow")
    written(tmp_path, tile_parts())
    assert {path.name for path in directory.iterdir()} == FILES | {"notes.txt"}
    assert (directory / "engine" / "mine.c").read_text() == "mine"
    assert "GLOW_SUCCESS" in (directory / "tiny.h").read_text()


def test_a_second_network_can_live_in_the_same_directory(tmp_path: Path) -> None:
    for network in ("one", "two"):
        write_bundle(tile_parts(network), tmp_path / "out")
    assert (tmp_path / "out" / "one.o").is_file()
    assert (tmp_path / "out" / "two.o").is_file()


def test_what_an_earlier_bundle_of_the_network_had_is_removed(tmp_path: Path) -> None:
    directory = tmp_path / "out"
    for network in ("one", "two"):
        write_bundle(tile_parts(network), directory)
    (directory / "mine.txt").write_text("mine")
    write_bundle(tile_parts("one", bundle_api="dynamic"), directory)
    assert not (directory / "one.weights.txt").exists()
    assert (directory / "two.weights.txt").exists()
    assert (directory / "mine.txt").exists()
    for network in ("one", "two"):
        load_manifest(directory, network)


def test_a_manifest_removes_neither_files_of_other_bundles_nor_files_elsewhere(tmp_path: Path) -> None:
    directory = tmp_path / "out"
    write_bundle(tile_parts("one"), directory)
    (tmp_path / "precious").write_text("mine")
    for name in ("shared.c", "old.c"):
        (directory / name).write_text("")
    fact = f"{{size: 0, sha256: '{'0' * 64}'}}"
    (directory / "two.yaml").write_text(f"files: {{shared.c: {fact}}}")
    listed = ("shared.c", "old.c", "../precious", str(tmp_path / "precious"), "engine", "gone.c")
    with (directory / "one.yaml").open("a") as file:
        file.writelines(f"  {name}: {fact}\n" for name in listed)
    write_bundle(tile_parts("one"), directory)
    assert [name for name in ("shared.c", "old.c") if (directory / name).exists()] == ["shared.c"]
    assert (tmp_path / "precious").exists()
    assert (directory / "engine").is_dir()


@pytest.mark.parametrize("text", ["", "[", "files: 3", "files: {1: 2}", "\0"])
def test_without_its_manifest_a_bundle_is_anybodys(tmp_path: Path, text: str) -> None:
    directory = written(tmp_path, tile_parts())
    (directory / "tiny.yaml").write_text(text)
    before = _content(directory)
    with pytest.raises(CompileError, match=r"tiny/\S+: would be replaced, and is not of an earlier bundle \("):
        written(tmp_path, tile_parts(bundle_api="dynamic"))
    assert _content(directory) == before
    (directory / "tiny.yaml").unlink()
    written(tmp_path, tile_parts())  # as after an interrupted run: the files are the same
    load_manifest(directory)


@pytest.mark.parametrize(
    "name",
    ["Makefile", "main.c", "tiny.c", "tiny_kernels.c", "tiny.in", "tiny.yaml", "engine/inpla.h", "targets/host.mk"],
)
def test_no_file_of_the_users_own_is_replaced(tmp_path: Path, name: str) -> None:
    own = tmp_path / "tiny" / name
    own.parent.mkdir(parents=True)
    own.write_text("mine: {}\n")
    (tmp_path / "tiny" / "other.yaml").write_text("files: {Makefile: 1}\n")
    before = _content(tmp_path)
    with pytest.raises(CompileError, match=f"{name}: would be replaced, and is not of an earlier bundle"):
        written(tmp_path, tile_parts())
    assert _content(tmp_path) == before


def test_a_second_network_replaces_no_file_of_the_users_own(tmp_path: Path) -> None:
    write_bundle(tile_parts("one"), tmp_path)
    (tmp_path / "two.c").write_text("mine")
    before = _content(tmp_path)
    with pytest.raises(CompileError, match=r"two\.c: would be replaced"):
        write_bundle(tile_parts("two"), tmp_path)
    assert _content(tmp_path) == before


def test_an_earlier_bundle_is_replaced_with_what_its_owner_edited(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts())
    before = _content(directory)
    for name in ("main.c", "Makefile", "targets/host.mk", "tiny.c"):
        (directory / name).write_text("edited")
    written(tmp_path, tile_parts())
    assert _content(directory) == before


def test_only_the_last_component_is_created(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"the directory .*/a does not exist \(make it first"):
        write_bundle(tile_parts(), tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_in_the_way(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CompileError, match="file"):
        write_bundle(tile_parts(), tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_that_cannot_be_written() -> None:
    with pytest.raises(CompileError, match=r"/proc/bundle: cannot write: "):
        write_bundle(tile_parts(), Path("/proc/bundle"))


def test_a_failing_compiler_leaves_nothing(tmp_path: Path) -> None:
    broken = replace(tile_parts(), kernels_source="not C\n")
    with pytest.raises(CompileError, match="error: ") as caught:
        write_bundle(broken, tmp_path / "out")
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_failing_compiler_changes_no_earlier_bundle(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts())
    before = _content(directory)
    with pytest.raises(CompileError):
        write_bundle(replace(tile_parts(), kernels_source="not C\n"), directory)
    assert _content(directory) == before


def test_a_directory_where_a_file_should_be(tmp_path: Path) -> None:
    directory = tmp_path / "tiny"
    (directory / "tiny.yaml").mkdir(parents=True)
    with pytest.raises(CompileError, match=r"tiny\.yaml: is a directory where the bundle has a file"):
        write_bundle(tile_parts(), directory)
    assert [path.name for path in directory.iterdir()] == ["tiny.yaml"]


def test_too_little_engine_memory_does_not_compile(tmp_path: Path) -> None:
    parts = tile_parts()
    short = replace(parts.limits, memory_bytes=parts.limits.memory_bytes - 128)
    with pytest.raises(CompileError, match="the bundle was compiled for 64-bit words and 1 thread"):
        write_bundle(replace(parts, limits=short), tmp_path / "out")
