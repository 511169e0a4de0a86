"""A model to compile, whether it lies in a file or in memory: one object for the pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnx

from inbundle.errors import CompileError
from inbundle.frontend import graph_of_file, graph_of_model, read_model_at
from inbundle.frontend.external_data import external_files
from inbundle.graph.graph import Graph
from inbundle.options import CompileOptions

Loaded = tuple[Graph, set[Path]]
"""A model, and the files it was read from: its own and those of its external data."""


@dataclass(frozen=True)
class ModelSource:
    """
    Attributes:
        path: the model's file, or the name it goes by in memory; it names the network.
        sha256: hash of the model's bytes, in hexadecimal.
        load: imports the model under the given options.
    """

    path: Path
    sha256: str
    load: Callable[[CompileOptions], Loaded]


def model_source(model: Path | str | onnx.ModelProto, name: str = "model") -> ModelSource:
    """The source for a model file or a ModelProto.

    Args:
        name: what a ModelProto is called.

    Raises:
        CompileError: the file cannot be read, or it is neither.
    """
    if isinstance(model, onnx.ModelProto):
        data = model.SerializeToString(deterministic=True)
        return ModelSource(
            Path(name), _sha256(data), lambda options: (graph_of_model(model, options, name=name, base_dir=None), set())
        )
    if not isinstance(model, (str, Path)):
        raise CompileError(f"expected the path of a model or a ModelProto, not {model!r}")
    path = Path(model)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompileError(f"cannot read the model: {error.strerror or error}", where=(str(path),)) from None
    return ModelSource(path, _sha256(data), lambda options: _load(path, options))


def _load(path: Path, options: CompileOptions) -> Loaded:
    model = read_model_at(path)
    return graph_of_file(model, path, options), {path, *external_files(model, path.parent)}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
