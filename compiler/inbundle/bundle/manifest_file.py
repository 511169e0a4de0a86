"""Reads the manifest of a bundle directory and checks it: its form, its sense, and the files it speaks of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from inbundle.bundle import manifest_agreement, manifest_checks
from inbundle.bundle.manifest_checks import Problem
from inbundle.errors import CompileError

Fact = dict[str, Any]
_SCHEMA = Path(__file__).resolve().parent / "manifest.schema.json"


def load_manifest(directory: Path, network: str = "") -> Fact:
    """The checked manifest of the bundle in `directory`.

    Args:
        network: the bundle's name, needed where the directory holds several.

    Raises:
        CompileError: no or several manifests, or one that is wrong; names the file and the field.
    """
    path = find_manifest(directory, network)
    facts = _parse(path)
    _check_form(facts, path)
    if facts["network"] != path.stem:
        raise CompileError(f"'{facts['network']}', but the file is {path.name}", where=(str(path), "network"))
    _check(manifest_checks.problems(facts), path)
    files = {name: _checked_file(directory, name, fact, path) for name, fact in facts["files"].items()}
    _check(manifest_agreement.disagreements(facts, files), path)
    return facts


def find_manifest(directory: Path, network: str = "") -> Path:
    """The file of the manifest."""
    if not directory.is_dir():
        raise CompileError("no such directory", where=(str(directory),))
    found = [directory / f"{network}.yaml"] if network else sorted(directory.glob("*.yaml"))
    found = [path for path in found if path.is_file()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise CompileError("no bundle here: there is no manifest NAME.yaml", where=(str(directory),))
    names = ", ".join(path.stem for path in found)
    hint = f"say which is meant: inbundle.load(..., network='{found[0].stem}')"
    raise CompileError(f"several bundles here: {names}", where=(str(directory),), hint=hint)


def listed_files(path: Path) -> set[str]:
    """The files that a manifest lists, by name relative to it; none where it is not readable. Nothing is checked."""
    try:
        files = _parse(path).get("files")
    except CompileError:
        return set()
    return {name for name in files if isinstance(name, str)} if isinstance(files, dict) else set()


def is_manifest(path: Path) -> bool:
    """Whether a file is the manifest of a bundle, of whatever version. Nothing else is checked."""
    try:
        facts = _parse(path)
    except CompileError:
        return False
    tool = facts.get("tool")
    return isinstance(tool, dict) and tool.get("name") == "inbundle"


def is_inside(name: str) -> bool:
    """Whether the name of a file stays in the bundle's directory."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _parse(path: Path) -> Fact:
    try:
        facts = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise CompileError(f"not readable as YAML: {error}", where=(str(path),)) from error
    if not isinstance(facts, dict):
        raise CompileError("not a manifest: expected a map", where=(str(path),))
    return facts


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, where PyYAML has it, is ten times faster


@cache
def _validator() -> Any:
    """A validator for which 64.0 is no integer: it is none to Python either."""
    checker = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    extend = jsonschema.validators.extend
    return extend(jsonschema.Draft202012Validator, type_checker=checker)(  # type: ignore[no-untyped-call]
        json.loads(_SCHEMA.read_text(encoding="utf-8"))
    )


def _check_form(facts: Fact, path: Path) -> None:
    errors = sorted(_validator().iter_errors(facts), key=lambda error: [str(step) for step in error.absolute_path])
    if errors:
        field = ".".join(str(step) for step in errors[0].absolute_path) or "manifest"
        raise CompileError(errors[0].message, where=(str(path), field))


def _check(problems: Iterable[Problem], path: Path) -> None:
    for field, message in problems:
        raise CompileError(message, where=(str(path), field))


def _checked_file(directory: Path, name: str, fact: Fact, path: Path) -> bytes:
    """The contents of a listed file."""
    if not is_inside(name):
        raise CompileError("a file outside the bundle", where=(str(path), f"files.{name}"))
    try:
        data = (directory / name).read_bytes()
    except OSError as error:
        raise CompileError(f"cannot be read: {error.strerror}", where=(str(path), f"files.{name}")) from error
    if len(data) != fact["size"]:
        raise CompileError(f"has {len(data)} bytes, not {fact['size']}", where=(str(path), f"files.{name}"))
    if hashlib.sha256(data).hexdigest() != fact["sha256"]:
        raise CompileError("is not the file that the compiler wrote", where=(str(path), f"files.{name}"))
    return data
