"""ONNX import: model file or ModelProto to Graph. The only part of the compiler, with backend.py, that knows onnx."""

from __future__ import annotations

from pathlib import Path

import onnx

from inbundle.errors import CompileError
from inbundle.frontend.conversion import convert
from inbundle.frontend.reading import read_model
from inbundle.graph.graph import Graph
from inbundle.options import CompileOptions

__all__ = ["graph_of_file", "graph_of_model", "load_graph", "read_model_at"]


def load_graph(path: Path, options: CompileOptions) -> Graph:
    """The Graph of the model in the file `path`, named by `-network-name` or after the file.

    Raises:
        CompileError: the file cannot be read, or see `graph_of_model`; its place starts with the file.
    """
    return graph_of_file(read_model_at(path), path, options)


def read_model_at(path: Path) -> onnx.ModelProto:
    """The model in the file `path`. Raises CompileError as `load_graph` does."""
    try:
        return read_model(path)
    except CompileError as error:
        raise error.at(str(path)) from None


def graph_of_file(model: onnx.ModelProto, path: Path, options: CompileOptions) -> Graph:
    """The Graph of what the file `path` holds. Raises CompileError as `load_graph` does."""
    return convert(model, options, name=options.network_name or path.stem, base_dir=path.parent, where=str(path))


def graph_of_model(model: onnx.ModelProto, options: CompileOptions, *, name: str, base_dir: Path | None) -> Graph:
    """The Graph of `model` in normal form.

    Args:
        name: the graph's name, which errors show as well.
        base_dir: folder for external data; None when the model has none.

    Raises:
        CompileError: a broken model, unsupported operators (all at once), or options that do not fit it.
    """
    return convert(model, options, name=name, base_dir=base_dir, where=name)
