"""ONNX import: model file or ModelProto to Graph. The only part of the compiler, with backend.py, that knows onnx."""

from __future__ import annotations

from pathlib import Path

import onnx

from inbundle.errors import CompileError
from inbundle.frontend.conversion import convert
from inbundle.frontend.reading import read_model
from inbundle.graph.graph import Graph
from inbundle.options import CompileOptions

__all__ = ["graph_of_model", "load_graph"]


def load_graph(path: Path, options: CompileOptions) -> Graph:
    """The Graph of the model in the file `path`, named by `-network-name` or after the file.

    Raises:
        CompileError: the file cannot be read, or see `graph_of_model`; its place starts with the file.
    """
    where = str(path)
    try:
        model = read_model(path)
    except CompileError as error:
        raise error.at(where) from None
    return convert(model, options, name=options.network_name or path.stem, base_dir=path.parent, where=where)


def graph_of_model(model: onnx.ModelProto, options: CompileOptions, *, name: str, base_dir: Path | None) -> Graph:
    """The Graph of `model` in normal form.

    Args:
        name: the graph's name, which errors show as well.
        base_dir: folder for external data; None when the model has none.

    Raises:
        CompileError: a broken model, unsupported operators (all at once), or options that do not fit it.
    """
    return convert(model, options, name=name, base_dir=base_dir, where=name)
