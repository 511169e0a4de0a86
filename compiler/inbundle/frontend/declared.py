"""Compares what the model says of its tensors with what follows from its inputs.

As in ONNX Runtime, what is computed counts: a declared shape that contradicts it is a warning, be it of an output or
of a tensor between. (ONNX's own shape inference gives some windows one row too many.) Refused are an output of another
element type, which the application would misread, and an input whose initializer is another tensor.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence

import onnx
from onnx import TensorShapeProto, ValueInfoProto

from inbundle.errors import CompileError, CompileWarning
from inbundle.frontend.placeholders import InputTypes, tensor_type_of
from inbundle.frontend.tensors import type_name
from inbundle.graph.graph import Value
from inbundle.graph.types import TensorType


def check_declared(model: onnx.GraphProto, values: Mapping[str, Value], inputs: InputTypes, where: str) -> None:
    """Warns, in one line, of declared shapes and types of tensors that contradict those of `values`.

    A batch given by `-model-input` may change dimension 0 of outputs, and any dimension between; an element type given
    by it, their types.

    Raises:
        CompileError: an output is no tensor or has another element type; an initializer is not what the input of its
            name is declared to be.
    """
    _check_initializers(model, values, inputs)
    found = list(_contradictions(model, values, inputs))
    if found:
        more = f", and {len(found) - 1} more such" if len(found) > 1 else ""
        error = CompileError(f"{found[0]}{more}; what it computes counts", where=(where,))
        warnings.warn(str(error), CompileWarning, stacklevel=2)


def _check_initializers(model: onnx.GraphProto, values: Mapping[str, Value], inputs: InputTypes) -> None:
    initializers = {tensor.name for tensor in (*model.initializer, *(each.values for each in model.sparse_initializer))}
    for info in model.input:
        if info.name in initializers and info.type.WhichOneof("value") == "tensor_type":
            type = values[info.name].type
            other = _other_elem(info.type.tensor_type, type, inputs) or _other_shape(info, type, first=0)
            if other:
                raise CompileError(f"input '{info.name}' is declared with {other}, but its initializer is {type}")


def _contradictions(model: onnx.GraphProto, values: Mapping[str, Value], inputs: InputTypes) -> Iterator[str]:
    for info in model.output:
        if info.type.WhichOneof("value") is None:
            continue
        type = values[info.name].type
        elem = _other_elem(tensor_type_of(info, "output"), type, inputs)
        if elem:
            raise CompileError(_says(f"output '{info.name}'", elem, type))
        shape = _other_shape(info, type, first=1 if inputs.batch_overridden else 0)
        if shape:
            yield _says(f"output '{info.name}'", shape, type)
    for info in () if inputs.batch_overridden else model.value_info:
        if info.type.WhichOneof("value") != "tensor_type" or info.name not in values:
            continue
        type = values[info.name].type
        other = _other_elem(info.type.tensor_type, type, inputs) or _other_shape(info, type, first=0)
        if other:
            yield _says(f"tensor '{info.name}'", other, type)


def _other_elem(tensor: onnx.TypeProto.Tensor, type: TensorType, inputs: InputTypes) -> str:
    """The declared element type where it is another one than that of `type`."""
    computed = int(onnx.helper.np_dtype_to_tensor_dtype(type.elem.dtype))
    if inputs.retyped or tensor.elem_type in (onnx.TensorProto.UNDEFINED, computed):
        return ""
    return f"element type {type_name(tensor.elem_type)}"


def _other_shape(info: ValueInfoProto, type: TensorType, first: int) -> str:
    """The declared shape where it is another one than that of `type`, from axis `first` on."""
    tensor = info.type.tensor_type
    if not tensor.HasField("shape") or _agree(tensor.shape.dim, type.shape, first):
        return ""
    return f"shape [{', '.join(map(_shown, tensor.shape.dim))}]"


def _agree(dims: Sequence[TensorShapeProto.Dimension], shape: Sequence[int], first: int) -> bool:
    """Whether the sizes among `dims` from axis `first` on are those of `shape`; a negative one is unknown."""
    if len(dims) != len(shape):
        return False
    pairs = list(zip(dims, shape, strict=True))[first:]
    return all(dim.dim_value == size for dim, size in pairs if dim.HasField("dim_value") and dim.dim_value >= 0)


def _shown(dim: TensorShapeProto.Dimension) -> str:
    return str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?"


def _says(tensor: str, declared: str, type: TensorType) -> str:
    return f"{tensor} is declared with {declared}, but the model computes {type}"
