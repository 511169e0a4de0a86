"""Static types of the model's inputs: from the model, the defined symbols and `-model-input`.

As in Glow, once one `-model-input` is given all inputs come from the options: the rank is the model's, dimension 0
(the batch) may differ, the others may not, the element type is the option's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import TensorShapeProto, ValueInfoProto

from inbundle.errors import CompileError, UnsupportedError
from inbundle.frontend.model_input import ModelInput, parse_model_inputs
from inbundle.frontend.tensors import check_size, elem_kind
from inbundle.graph.types import ElemKind, TensorType
from inbundle.options import CompileOptions


@dataclass(frozen=True)
class InputTypes:
    """What the inputs are.

    Attributes:
        types: by name, in the model's order.
        retyped: `-model-input` changed an element type.
        batch_overridden: `-model-input` changed a dimension 0 that the model fixes.
    """

    types: dict[str, TensorType]
    retyped: bool
    batch_overridden: bool


def input_types(inputs: Sequence[ValueInfoProto], options: CompileOptions) -> InputTypes:
    """Types of `inputs`, the graph inputs that have no initializer.

    Raises:
        CompileError: undefined symbols, unknown dimensions, options that contradict the model.
    """
    symbols = options.onnx_define_symbol
    _check_symbols(inputs, symbols)
    given = parse_model_inputs(options.model_input, symbols)
    _check_names(inputs, given)
    declared = {info.name: _declared(info, symbols) for info in inputs}
    if given:
        return _overridden(declared, given)
    types = {name: TensorType(kind, _known_shape(name, kind, dims)) for name, (kind, dims) in declared.items()}
    for name, type in types.items():
        check_size(type.shape, type.elem, f"input '{name}'")
    return InputTypes(types, retyped=False, batch_overridden=False)


Dims = list[int | None] | None
"""Dimensions of an input, None for an unknown one; None as a whole where not even the rank is known."""


def _declared(info: ValueInfoProto, symbols: Mapping[str, int]) -> tuple[ElemKind, Dims]:
    tensor = tensor_type_of(info, "input")
    kind = elem_kind(tensor.elem_type, f"input '{info.name}'")
    if not tensor.HasField("shape"):
        return kind, None
    return kind, [_dimension(dim, symbols) for dim in tensor.shape.dim]


def tensor_type_of(info: ValueInfoProto, role: str) -> onnx.TypeProto.Tensor:
    """The tensor type of a model input or output. Raises CompileError for sequences, maps, optional values …"""
    form = info.type.WhichOneof("value")
    if form is None:
        raise CompileError(f"{role} '{info.name}' has no type")
    if form != "tensor_type":
        raise UnsupportedError(f"{role} '{info.name}' is a {form.removesuffix('_type')}; only tensors are supported")
    return info.type.tensor_type


def _dimension(dim: TensorShapeProto.Dimension, symbols: Mapping[str, int]) -> int | None:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return symbols.get(dim.dim_param)


def _known_shape(name: str, kind: ElemKind, dims: Dims) -> tuple[int, ...]:
    if dims is None:
        raise CompileError(
            f"input '{name}' has no shape", hint=f"give it: -model-input={name},{_type_word(kind)},[d0,d1,...]"
        )
    for axis, size in enumerate(dims):
        if size is None:
            example = ",".join(f"d{at}" if value is None else str(value) for at, value in enumerate(dims))
            raise CompileError(
                f"dimension {axis} of input '{name}' has neither a value nor a symbol",
                hint=f"give it: -model-input={name},{_type_word(kind)},[{example}]",
            )
    return tuple(size for size in dims if size is not None)


def _type_word(kind: ElemKind) -> str:
    return kind.name.lower()


# Symbols


def _check_symbols(inputs: Sequence[ValueInfoProto], defined: Mapping[str, int]) -> None:
    """Every symbol of the model must be defined. As in Glow, more may be: models are built with shared flags."""
    used = _symbols_of(inputs)
    undefined = [name for name in used if name not in defined]
    if undefined:
        names = ", ".join(f"'{name}' (input '{used[name]}')" for name in undefined)
        flags = " ".join(f"-onnx-define-symbol={name},1" for name in undefined)
        raise CompileError(f"undefined symbol{'s' * (len(undefined) > 1)} {names}", hint=f"add for example {flags}")


def _symbols_of(inputs: Sequence[ValueInfoProto]) -> dict[str, str]:
    """Symbol -> the first input that uses it, in order of use."""
    found: dict[str, str] = {}
    for info in inputs:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_param:
                found.setdefault(dim.dim_param, info.name)
    return found


# Options


def _check_names(inputs: Sequence[ValueInfoProto], given: Mapping[str, ModelInput]) -> None:
    if not given:
        return
    names = [info.name for info in inputs]
    for name, option in given.items():
        if name not in names:
            raise CompileError(
                f"the model has no input '{name}'",
                where=(f"-model-input={option.text}",),
                hint=f"inputs: {', '.join(names) or 'none'}",
            )
    missing = [name for name in names if name not in given]
    if missing:
        raise CompileError(
            f"input '{missing[0]}' is missing: with one -model-input all inputs must be given",
            hint=f"add -model-input={missing[0]},type,[d0,d1,...]",
        )


def _overridden(declared: Mapping[str, tuple[ElemKind, Dims]], given: Mapping[str, ModelInput]) -> InputTypes:
    retyped = batch_overridden = False
    for name, (kind, dims) in declared.items():
        option = given[name]
        _check_option(dims, option)
        retyped |= option.type.elem is not kind
        batch_overridden |= dims is not None and dims[:1] != list(option.type.shape[:1])
    return InputTypes({name: given[name].type for name in declared}, retyped, batch_overridden)


def _check_option(dims: Dims, option: ModelInput) -> None:
    shape = option.type.shape
    if dims is None:
        return
    shown = "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"
    where = (f"-model-input={option.text}",)
    if len(dims) != len(shape):
        raise CompileError(f"input '{option.name}' has rank {len(dims)} in the model: {shown}", where=where)
    for axis, (size, wanted) in enumerate(zip(dims, shape, strict=True)):
        if axis > 0 and size is not None and size != wanted:
            raise CompileError(
                f"dimension {axis} of input '{option.name}' is {size} in the model: {shown}",
                where=where,
                hint="only dimension 0, the batch, may differ",
            )
