"""Which files of a directory a bundle may replace: those of earlier bundles, never a user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inbundle.bundle.manifest_file import is_manifest, listed_files
from inbundle.errors import CompileError

# Files of a bundle that its owner may edit, and the folder of more of them: not in the manifest.
_FOR_THE_OWNER = ("main.c", "Makefile")
_TARGETS = "targets/"

# What Glow writes, and replaces, too: a directory of its bundle becomes one of ours.
_OF_GLOW = (".h", ".o", ".weights.bin", ".weights.txt")


def is_for_the_owner(file: str) -> bool:
    """Whether a file of a bundle may be edited, so that no manifest lists it."""
    return file in _FOR_THE_OWNER or file.startswith(_TARGETS)


def check_replaced(scratch: Path, destination: Path, network: str, names: Sequence[str]) -> None:
    """Refuses to replace what no earlier bundle wrote, unless it is what Glow would replace, or the same anyway.

    Args:
        scratch: where the new files are.
        destination: an existing directory.
        names: the files of the bundle, relative to both.

    Raises:
        CompileError: names the first file that is the user's own.
    """
    manifests = [path for path in destination.glob("*.yaml") if is_manifest(path)]
    ours = {path.name for path in manifests}.union(*map(listed_files, manifests))
    ours.update(f"{network}{suffix}" for suffix in _OF_GLOW)
    for name in names:
        target = destination / name
        is_ours = name in ours or (manifests and is_for_the_owner(name))
        if not is_ours and target.is_file() and target.read_bytes() != (scratch / name).read_bytes():
            hint = "move it away, or choose another directory with -emit-bundle=DIR"
            raise CompileError("would be replaced, and is not of an earlier bundle", where=(str(target),), hint=hint)
