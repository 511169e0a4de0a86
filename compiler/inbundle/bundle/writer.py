"""Writes a bundle: all of it, or nothing.

The files are made in a temporary directory beside their destination, the object is compiled there, and only then do
they take their places. In an existing directory, what an earlier bundle of the same network had and this one has not
is removed; files of others stay, and where one is in the way nothing is written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path

from inbundle.bundle import sources
from inbundle.bundle.header import header
from inbundle.bundle.layout import Layout, lay_out
from inbundle.bundle.manifest import manifest
from inbundle.bundle.manifest_file import is_inside, listed_files
from inbundle.bundle.ownership import check_replaced, is_for_the_owner
from inbundle.bundle.parts import BundleParts
from inbundle.bundle.weights import constant_region, to_text
from inbundle.errors import CompileError
from inbundle.written_files import check_not_read


def write_bundle(parts: BundleParts, directory: Path, inputs: Collection[Path] = ()) -> None:
    """Writes the bundle into `directory`, which is made when only its last component is missing.

    Args:
        inputs: files that the bundle is made from.

    Raises:
        CompileError: the directory cannot be written, a file there is not to be replaced, or the C compiler fails;
            nothing has changed then.
    """
    destination = Path(os.path.abspath(directory))
    _check_destination(directory, destination)
    try:
        _write(parts, destination, inputs)
    except OSError as error:
        raise CompileError(f"cannot write: {error.strerror or error}", where=(str(directory),)) from error


def _check_destination(directory: Path, destination: Path) -> None:
    if destination.exists() and not destination.is_dir():
        raise CompileError("is a file, not a directory", where=(str(directory),))
    if not destination.parent.is_dir():
        message = f"the directory {directory.parent} does not exist"
        raise CompileError(message, where=(str(directory),), hint="make it first: only the last component is created")


def _write(parts: BundleParts, destination: Path, inputs: Collection[Path]) -> None:
    exists = destination.is_dir()
    # In an existing directory: its own file system is the one on which files can be renamed.
    scratch = Path(tempfile.mkdtemp(prefix=".inbundle-", dir=destination if exists else destination.parent))
    try:
        scratch.chmod(0o777 & ~_umask())
        names = _fill(parts, scratch)
        if exists:
            for name in names:
                check_not_read("-emit-bundle", destination / name, inputs)
            check_replaced(scratch, destination, parts.network, names)
            stale = _stale_files(destination, f"{parts.network}.yaml", names)
            _move_in(scratch, destination, names)
            for path in stale:
                path.unlink(missing_ok=True)
        else:
            scratch.rename(destination)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _stale_files(destination: Path, manifest_name: str, names: list[str]) -> list[Path]:
    """Files that the earlier manifest lists, and neither this bundle nor another one in the directory has."""
    stale = listed_files(destination / manifest_name).difference(names)
    for other in destination.glob("*.yaml") if stale else ():
        if other.name != manifest_name:
            stale -= listed_files(other)
    paths = [destination / name for name in sorted(stale) if is_inside(name)]
    return [path for path in paths if path.is_file() or path.is_symlink()]


def _move_in(scratch: Path, destination: Path, names: list[str]) -> None:
    """Puts the files into an existing directory, each by one rename, after it is clear that none of them will fail."""
    for name in names:
        target = destination / name
        if target.is_dir():
            raise CompileError("is a directory where the bundle has a file", where=(str(target),))
        if target.parent.exists() and not target.parent.is_dir():
            raise CompileError("is a file where the bundle has a directory", where=(str(target.parent),))
    for name in names:
        with contextlib.suppress(FileExistsError):
            (destination / name).parent.mkdir(parents=True)
        os.replace(scratch / name, destination / name)


def _fill(parts: BundleParts, scratch: Path) -> list[str]:
    """Writes all files into `scratch`; their names, the manifest last."""
    layout = lay_out(parts)
    files = _files(parts, layout)
    for name, data in files.items():
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_bytes(data)
    built = f"{parts.network}.o"
    parts.toolchain.compile_object(scratch, f"{parts.network}.c", built)
    files[built] = (scratch / built).read_bytes()
    fixed = {name: data for name, data in files.items() if not is_for_the_owner(name)}
    (scratch / f"{parts.network}.yaml").write_text(manifest(parts, layout, fixed), encoding="utf-8")
    return [*files, f"{parts.network}.yaml"]


def _files(parts: BundleParts, layout: Layout) -> dict[str, bytes]:
    """Everything but the object and the manifest."""
    name, options = parts.network, parts.options
    weights = constant_region(parts.plan, parts.image, parts.toolchain.byte_order)
    text = {
        f"{name}.in": parts.script,
        f"{name}.h": header(
            name,
            parts.entry,
            layout,
            api=options.bundle_api,
            threads=parts.limits.workers,
            verbose=options.bundle_api_verbose,
            is_profiled=options.profile_kernels,
        ),
        f"{name}.c": sources.translation_unit(parts, layout),
        f"{name}_kernels.c": parts.kernels_source,
        "main.c": sources.main_program(parts, layout),
        "Makefile": sources.makefile(parts),
        **sources.target_files(parts),
        **sources.engine_files(),
    }
    files = {file: content.encode("utf-8") for file, content in text.items()}
    files[f"{name}.weights.bin"] = weights
    if options.bundle_api == "static":
        files[f"{name}.weights.txt"] = to_text(weights)
    return files
