"""Reads a model file into a ModelProto: binary, protobuf text, or ONNX's own text syntax."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import onnx

from inbundle.errors import CompileError

TEXT_MARKS = (".onnxtxt", ".onnxtext", ".textproto", ".prototxt", ".pbtxt")


def read_model(path: Path) -> onnx.ModelProto:
    """The model in the file `path`; a name that contains one of TEXT_MARKS holds text.

    Raises:
        CompileError: the file is missing, unreadable, empty, truncated or no ONNX model.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompileError(f"cannot read the model: {error.strerror or error}") from None
    if not data.strip():
        raise CompileError("the file is empty, not an ONNX model")
    is_text = any(mark in path.name for mark in TEXT_MARKS)
    model = _parse(data, _text_format(data) if is_text else "protobuf")
    if not model.HasField("graph"):
        raise CompileError("the file is not an ONNX model: it holds no graph")
    if not _is_text(model):
        raise CompileError("the file is damaged: it holds names that are not UTF-8")
    return model


def _text_format(data: bytes) -> str:
    """ONNX's own syntax starts with `<ir_version: …>`, which protobuf text never does."""
    return "onnxtxt" if data.lstrip().startswith(b"<") else "textproto"


def _parse(data: bytes, form: str) -> onnx.ModelProto:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # onnx calls its own text syntax experimental
            return onnx.load_model_from_string(data if form == "protobuf" else data.decode(), format=form)
    except Exception as error:  # the parsers of the three forms share no exception class
        kind = "truncated or not an ONNX model" if form == "protobuf" else "not a valid ONNX text model"
        raise CompileError(f"the file is {kind}: {_first_line(error)}") from None


def _is_text(message: Any) -> bool:
    """Whether all strings are text: protobuf hands out bytes, unasked, for what is not UTF-8."""
    for field, value in message.ListFields():
        if field.type not in (field.TYPE_STRING, field.TYPE_MESSAGE):
            continue
        is_one = isinstance(value, (str, bytes)) or hasattr(value, "ListFields")
        for part in [value] if is_one else value:
            if isinstance(part, bytes) or (hasattr(part, "ListFields") and not _is_text(part)):
                return False
    return True


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
