"""A model to compile, whether it lies in a file or in memory: one object for the pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnx

from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model, load_graph
from inbundle.frontend.external_data import external_files
from inbundle.frontend.reading import read_model
from inbundle.graph.graph import Graph
from inbundle.options import CompileOptions


@dataclass(frozen=True)
class ModelSource:
    """
    Attributes:
        path: the model's file, or the name it goes by in memory; it names the network.
        sha256: hash of the model's bytes, in hexadecimal.
        load: imports the model under the given options.
        is_file: whether the model lies in a file.
    """

    path: Path
    sha256: str
    load: Callable[[CompileOptions], Graph]
    is_file: bool = False

    def files(self) -> set[Path]:
        """The model's file and those of its external data. The model can be loaded."""
        return {self.path, *external_files(read_model(self.path), self.path.parent)} if self.is_file else set()


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
            Path(name), _sha256(data), lambda options: graph_of_model(model, options, name=name, base_dir=None)
        )
    if not isinstance(model, (str, Path)):
        raise CompileError(f"expected the path of a model or a ModelProto, not {model!r}")
    path = Path(model)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CompileError(f"cannot read the model: {error.strerror or error}", where=(str(path),)) from None
    return ModelSource(path, _sha256(data), lambda options: load_graph(path, options), is_file=True)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
