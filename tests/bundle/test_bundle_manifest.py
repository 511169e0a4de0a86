"""The manifest: what it says, and what it takes to be believed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from handmade_bundle import neuron_parts, tile_parts, written

from inbundle.bundle import manifest_file
from inbundle.bundle.manifest_file import load_manifest
from inbundle.bundle.net_facts import initial_pairs
from inbundle.bundle.runner import Bundle
from inbundle.errors import CompileError
from inbundle.nets.parser import parse

SCHEMA = Path(manifest_file.__file__).parent / "manifest.schema.json"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("manifest"), tile_parts(mattr=(), dump_ir=True))


@pytest.fixture(
    scope="module", params=[{}, {"bundle_api": "dynamic", "bundle_api_verbose": True}], ids=["static", "dynamic"]
)
def example(request: pytest.FixtureRequest, compiled: Callable[..., Bundle]) -> Path:
    """The example model as a bundle."""
    return compiled("example", **request.param).directory


@pytest.fixture
def changed(bundle: Path, tmp_path: Path) -> Callable[[Callable[[Any], object]], Path]:
    """A function that copies the bundle and changes its manifest."""

    def change(edit: Callable[[Any], object]) -> Path:
        copy = tmp_path / "copy"
        copy.mkdir()
        for path in bundle.rglob("*"):
            if path.is_file():
                (copy / path.relative_to(bundle)).parent.mkdir(parents=True, exist_ok=True)
                (copy / path.relative_to(bundle)).write_bytes(path.read_bytes())
        facts = yaml.safe_load((copy / "tiny.yaml").read_text())
        edit(facts)
        (copy / "tiny.yaml").write_text(yaml.safe_dump(facts))
        return copy

    return change


def test_it_maps_original_names_to_macros(bundle: Path) -> None:
    tensors = load_manifest(bundle)["tensors"]
    assert [(t["name"], t["kind"], t.get("macro"), t["region"], t["offset"], t["shape"]) for t in tensors] == [
        ("data:0", "input", "TINY_data_0", "mutableWeight", 0, [1, 4]),
        ("soft/max", "output", "TINY_soft_max", "mutableWeight", 64, [1, 4]),
        ("w", "constant", None, "constantWeight", 0, [1, 4]),
    ]


def test_it_describes_the_net(bundle: Path) -> None:
    facts = load_manifest(bundle)
    net = facts["net"]
    assert net["agents"][2:] == [
        {"name": "Ready", "ports": "i"},
        {"name": "Join", "ports": "ww"},
        {"name": "Scale1", "ports": "wi"},
    ]
    assert net["rules"] == ["Scale1 >< Ready"]
    assert net["natives"] == [{"name": "scale1", "parameters": "i", "result": "i"}]
    assert (net["statements"], net["initial_pairs"]) == (1, 1)
    assert (net["interactions"], net["engine"]["heap_bytes"], net["engine"]["workers"]) == (1, 1024, 1)
    assert facts["kernels"] == [{"native": "scale1", "instruction": "scale", "kind": "scale", "tiles": 1}]


def test_it_records_options_but_no_absolute_paths(tmp_path: Path) -> None:
    parts = neuron_parts(mattr=(), dump_ir=True, inpla_input=Path("/a/x.npy"))
    options = load_manifest(written(tmp_path, parts))["options"]
    assert options["inpla_input"] == "x.npy"
    assert options["granularity"] == "neuron"
    assert not [name for name in options if name.startswith("dump_")]


def test_what_the_owner_edits_is_not_listed(bundle: Path) -> None:
    files = load_manifest(bundle)["files"]
    assert not {"main.c", "Makefile"} & files.keys()
    assert {"tiny.o", "tiny.in", "tiny.weights.bin", "engine/inpla.h"} <= files.keys()


def _set(*path: Any, to: Any) -> Callable[[Any], object]:
    def edit(facts: Any) -> None:
        for step in path[:-1]:
            facts = facts[step]
        facts[path[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (_set("format", to=2), "format: 1 was expected"),
        (lambda facts: facts.pop("net"), "'net' is a required property"),
        (_set("surprise", to=1), "Additional properties are not allowed"),
        (_set("tensors", 0, "offset", to=-64), r"tensors\.0\.offset: -64 is less than"),
        (_set("tensors", 0, "kind", to="weight"), r"tensors\.0\.kind: 'weight' is not one of"),
        (_set("tensors", 1, "offset", to=128), r"tensors\.soft/max: ends at 144, mutableWeight at 128"),
        (_set("net", "image", "size", to=65), r"net\.image: ends at 129, constantWeight at 128"),
        (_set("net", "engine", "offset", to=64), r"net\.engine: ends at"),
        (_set("regions", "mutableWeight", "size", to=129), r"regions\.mutableWeight: size is not a multiple"),
        (_set("regions", "constantWeight", "file", to="x"), r"regions\.constantWeight: no weights file"),
        (_set("files", "tiny.c", "sha256", to="0" * 64), r"files\.tiny\.c: is not the file"),
        (_set("files", "tiny.c", "size", to=1), r"files\.tiny\.c: has \d+ bytes, not 1"),
        (_set("files", "gone.c", to={"size": 1, "sha256": "0" * 64}), r"files\.gone\.c: cannot be read: No such file"),
        (_set("files", "../x", to={"size": 1, "sha256": "0" * 64}), r"files\.\.\./x: a file outside the bundle"),
        (_set("entry", to="a b"), "entry: 'a b' does not match"),
        (_set("regions", "activations", "size", to=64), r"net\.engine: ends at \d+, activations at 64"),
        (
            lambda facts: (
                facts["regions"]["activations"].update(size=64),
                facts["net"]["engine"].update(offset=0, size=64),
            ),
            r"net\.engine: size 64, but the limits need \d+ bytes",
        ),
        (_set("tensors", 0, "type", to="bogus"), r"tensors\.0\.type: 'bogus' is not one of"),
        (_set("tensors", 0, "size", to=64.0), r"tensors\.0\.size: 64\.0 is not of type 'integer'"),
        (_set("tensors", 0, "shape", to=[2, 4]), "size 16, but type and shape make 32 bytes"),
        (_set("tensors", 0, "offset", to=1), "offset 1 is not a multiple of 64"),
        (_set("tensors", 1, "offset", to=0), r"tensors\.soft/max: overlaps 'data:0' in mutableWeight"),
        (_set("tensors", 0, "kind", to="output"), r"tensors\.data:0: an output, which the kernels do not write"),
        (
            lambda facts: facts["tensors"].pop(0),
            r"tensors\.soft/max: says \('soft_max', .*\), .* files \('data_0',",
        ),
        (_set("options", "mattr", to=5), r"options\.mattr: 5 is not of type 'array'"),
        (_set("options", "threads", to=2), r"net\.engine\.workers: 1, but options\.threads is 2"),
        (_set("files", 5, to={}), "5 is not of type 'string'"),
        (lambda facts: facts["files"].pop("engine/inpla.h"), r"files: engine/inpla\.h is not listed"),
    ],
)
def test_a_wrong_manifest_names_file_and_field(
    changed: Callable[..., Path], edit: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(CompileError) as caught:
        load_manifest(changed(edit))
    caught.match(message)
    caught.match(r"copy/tiny\.yaml: ")


def test_a_changed_file_is_found_out(changed: Callable[..., Path]) -> None:
    copy = changed(lambda facts: None)
    weights = copy / "tiny.weights.bin"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    with pytest.raises(CompileError, match=r"tiny\.weights\.bin: is not the file"):
        load_manifest(copy)


@pytest.mark.parametrize("text", ["", "- 1\n", "a: [\n", "\x00", "a: 2024-99-99", "[" * 9999])
def test_what_is_no_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "net.yaml").write_text(text)
    with pytest.raises(CompileError, match=r"net\.yaml: not "):
        load_manifest(tmp_path)


def test_no_bundle_or_several(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="no such directory"):
        load_manifest(tmp_path / "gone")
    with pytest.raises(CompileError, match="no bundle here"):
        load_manifest(tmp_path)
    (tmp_path / "a.yaml").touch()
    (tmp_path / "b.yaml").touch()
    with pytest.raises(CompileError, match=r"several bundles here: a, b \(.*inbundle\.load\(\.\.\., network='a'\)"):
        load_manifest(tmp_path)


@pytest.mark.parametrize(
    ("net", "pairs"),
    [
        ("", 0),
        ("Ready(1) ~ Eraser;", 1),
        ("Ready(1) ~ a; a ~ Eraser;", 0),
        ("Dup(a, b) ~ Ready(1), Dup(c, d) ~ a, c ~ Eraser, b ~ d; Eraser ~ Dup(x, y), Ready(1) ~ Join(x, y);", 3),
        ("Join(Dup(Eraser, Eraser), Ready(1)) ~ Ready(2);", 1),
    ],
)
def test_initial_pairs_are_connections_of_two_agents(net: str, pairs: int) -> None:
    text = "Join(r, b) >< Ready(int e) => b ~ Eraser, r ~ Ready(e);\n" + net
    assert initial_pairs(parse(text, "net")) == pairs


def test_an_inline_net_has_no_constants(tmp_path: Path) -> None:
    facts = load_manifest(written(tmp_path, neuron_parts()))
    assert [tensor["kind"] for tensor in facts["tensors"]] == ["input", "output"]
    assert facts["net"]["image"]["offset"] == 0
    assert (facts["net"]["statements"], facts["net"]["initial_pairs"]) == (4, 0)
    assert facts["net"]["dialect"] == "float"


# --- every field -------------------------------------------------------------------------------------------------

# Nothing depends on these, and no other file of the bundle repeats them: another value of the right form is believed.
INFORMATIVE = {
    r"options\.(reuse_activation_memory_allocations|optimize_ir|tile_split) = .*": "how the C came about that is there",
    r"options\.(extension|patterns|graph_passes|graph_passes\.0|stop_(graph|ir)_passes_after_num) = .*": "likewise",
    r"options\.graph_passes\.0 deleted": "likewise",
    r"options\.float_abi = .*": "where the target has one only; else it is in the flags",
    r"target\.(compiler|cflags\.\d+) .*": "how the object came about",
    r"tensors\.([2-9]|1\d)\.type = 'u?index32'": "of constants, which are bytes: sizes and places are checked",
    r"tensors\.([2-9]|1\d)\.shape\.\d deleted": "likewise, a dimension of 1",
    r"net\.(statements|initial_pairs|interactions) = \d+": "statistics for readers",
}


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all scalars and of empty maps and lists."""
    steps = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if not steps:
        yield path
    for step, inner in steps:
        yield from _leaves(inner, (*path, step))


def _enumerations(schema: Any) -> Iterator[list[Any]]:
    for key, inner in schema.items() if isinstance(schema, dict) else ():
        if key == "enum":
            yield inner
        yield from _enumerations(inner)


def _other_values(value: Any) -> Iterator[Any]:
    """Values of a wrong type, and wrong ones of the right type, in place of `value`."""
    yield [1] if isinstance(value, dict) else {"a": None}
    yield 5 if isinstance(value, str) else "x"
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, float(value))
    elif isinstance(value, str):
        yield from (f"{value}x", value[:-1] or "y")
        for choice in _enumerations(json.loads(SCHEMA.read_text())):
            yield from (other for other in choice if value in choice and other != value)


def _corruptions(facts: Any) -> Iterator[tuple[str, Callable[[Any], object]]]:
    """Every field with each of its other values, and without it. The engine's files are alike: one of them will do."""
    for path in _leaves(facts):
        if path[0] == "files" and path[1].startswith("engine/") and path[1] != "engine/inpla.h":
            continue
        name = ".".join(map(str, path))
        value = facts
        for step in path:
            value = value[step]
        for other in _other_values(value):
            yield f"{name} = {other!r}", _set(*path, to=other)
        for end in range(1, len(path) + 1):
            yield f"{'.'.join(map(str, path[:end]))} deleted", _deleted(path[:end])


def _deleted(path: tuple[Any, ...]) -> Callable[[Any], object]:
    def edit(facts: Any) -> None:
        for step in path[:-1]:
            facts = facts[step]
        del facts[path[-1]]

    return edit


def _is_refused(directory: Path) -> bool:
    try:
        load_manifest(directory)
    except CompileError:
        return True
    return False


@pytest.mark.parametrize("which", ["example", "dynamic"])
def test_every_corruption_of_a_field_is_refused(
    compiled: Callable[..., Bundle], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    if which == "example":
        directory = compiled("example").directory
    else:
        directory = written(tmp_path, tile_parts(bundle_api="dynamic", bundle_api_verbose=True, threads=2))
    facts = load_manifest(directory)
    believed = []
    for name, edit in dict(_corruptions(facts)).items():
        wrong = copy.deepcopy(facts)
        edit(wrong)
        monkeypatch.setattr(manifest_file, "_parse", lambda _path, wrong=wrong: wrong)
        if not _is_refused(directory):
            believed.append(name)
    assert [name for name in believed if not any(re.fullmatch(field, name) for field in INFORMATIVE)] == []
