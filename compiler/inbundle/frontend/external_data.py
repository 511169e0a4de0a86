"""Weights kept in files beside the model; a location outside the model's folder is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import onnx

from inbundle.errors import CompileError


def external_bytes(tensor: onnx.TensorProto, base_dir: Path | None, what: str) -> bytes:
    """The bytes that `tensor` names as its external data.

    Raises:
        CompileError: no folder to look in, a location outside of it, a file that is missing or too short.
    """
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = _resolve(entries.get("location", ""), base_dir, what)
    offset, length = _number(entries, "offset", what), _number(entries, "length", what)
    try:
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(length if "length" in entries else -1)
    except OSError as error:
        reason = error.strerror or error
        raise CompileError(f"{what}: cannot read its external data '{entries['location']}': {reason}") from None
    if len(data) < length:
        raise CompileError(
            f"{what}: external data '{entries['location']}' ends {length - len(data)} bytes before the tensor does"
        )
    return data


def external_files(message: Any, folder: Path) -> Iterator[Path]:
    """The files that tensors name as their external data, some more than once.

    Args:
        message: a model or any part of it.
    """
    if isinstance(message, onnx.TensorProto):
        yield from (folder / entry.value for entry in message.external_data if entry.key == "location")
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if isinstance(value, Iterable) else [value]:
                yield from external_files(part, folder)


def _resolve(location: str, base_dir: Path | None, what: str) -> Path:
    if not location or "\0" in location:
        raise CompileError(f"{what}: its external data has no valid location")
    if base_dir is None:
        raise CompileError(
            f"{what}: its data lies in the file '{location}', but the model has no folder",
            hint="compile the model from its file",
        )
    folder = base_dir.resolve()
    path = (folder / location).resolve()
    if not path.is_relative_to(folder):
        raise CompileError(f"{what}: its external data '{location}' lies outside the model's folder")
    return path


def _number(entries: dict[str, str], key: str, what: str) -> int:
    text = entries.get(key, "0")
    if not (text.isascii() and text.isdigit()):
        raise CompileError(f"{what}: {key} '{text}' of its external data is no number")
    return int(text)
