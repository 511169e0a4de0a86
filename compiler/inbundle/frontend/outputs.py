"""Compares what the model says of its outputs with what follows from its inputs."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import TensorShapeProto, ValueInfoProto

from inbundle.errors import CompileError
from inbundle.frontend.placeholders import InputTypes, tensor_type_of
from inbundle.frontend.tensors import type_name
from inbundle.graph.graph import Graph
from inbundle.graph.types import TensorType


def check_outputs(graph: Graph, declared: Sequence[ValueInfoProto], inputs: InputTypes) -> None:
    """Refuse a model whose declared output contradicts the inferred one.

    A batch given by `-model-input` may change dimension 0 of outputs; an element type given by it, their types.
    """
    for info in declared:
        if info.type.WhichOneof("value") is None:
            continue
        tensor = tensor_type_of(info, "output")
        type = graph.outputs[info.name].type
        first = 1 if inputs.batch_overridden else 0
        if tensor.elem_type not in (onnx.TensorProto.UNDEFINED, _data_type(type)) and not inputs.retyped:
            raise _contradiction(info.name, f"element type {type_name(tensor.elem_type)}", type)
        if tensor.HasField("shape") and not _agree(tensor.shape.dim, type.shape, first):
            raise _contradiction(info.name, f"shape [{', '.join(map(_shown, tensor.shape.dim))}]", type)


def _data_type(type: TensorType) -> int:
    return int(onnx.helper.np_dtype_to_tensor_dtype(type.elem.dtype))


def _agree(dims: Sequence[TensorShapeProto.Dimension], shape: Sequence[int], first: int) -> bool:
    """Whether the numbers among `dims` from axis `first` on are those of `shape`."""
    if len(dims) != len(shape):
        return False
    pairs = list(zip(dims, shape, strict=True))[first:]
    return all(dim.dim_value == size for dim, size in pairs if dim.HasField("dim_value"))


def _shown(dim: TensorShapeProto.Dimension) -> str:
    return str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?"


def _contradiction(name: str, declared: str, type: TensorType) -> CompileError:
    return CompileError(f"output '{name}' is declared with {declared}, but the model computes {type}")
