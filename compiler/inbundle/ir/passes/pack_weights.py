"""PackWeights: a product with a constant matrix reads it in the order of vector kernels.

%fc = fullyconnected @out %fc_res, @in %x, @in %w, @in %b { Alpha: 1.0, Beta: 1.0, TransA: 0, TransB: 1}
->
%fc = packedproduct @out %fc_res, @in %x, @in %w_packed, @in %fc_bias

The rows of the matrix take the order of what was transposed to be flattened: x, a view of a transpose's result, becomes
a view of what the transpose reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import (
    Function,
    Instruction,
    IRValue,
    Mutability,
    Operand,
    Role,
    TensorView,
    WeightVar,
    storage,
)
from inbundle.ir.panels import pack_bias, pack_columns
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.uses import Use, uses


def pack_weights(function: Function) -> None:
    """Rewrite the float products whose matrix and bias are constants, the bias a row; DeleteDeadAllocs drops the
    constants that nobody reads any more."""
    found = uses(function)
    for index, step in enumerate(function.code):
        if isinstance(step, Instruction) and step.kind == "fullyconnected" and _is_packable(step):
            function.code[index] = _packed(function, step, _transpose(step["Src"], found))
    sink_allocs(function)
    hoist_dealloc(function)


def constant(value: IRValue | None) -> np.ndarray | None:
    """The data of a constant variable, None for any other value."""
    return value.data if isinstance(value, WeightVar) and value.mutability is Mutability.CONST else None


def _is_packable(step: Instruction) -> bool:
    bias, dest = step.get("Bias"), step["Dest"].type
    is_plain = (step.attributes["Alpha"], step.attributes["Beta"], step.attributes["TransA"]) == (1.0, 1.0, 0)
    is_row = bias is None or (constant(bias) is not None and bias.type.elements == dest.shape[1])
    is_float = dest.elem is ElemKind.FLOAT and dest.elements > 0 and step["Src"].type.elements > 0
    return is_plain and is_row and is_float and constant(step["Weights"]) is not None


def _transpose(matrix: IRValue, found: Mapping[IRValue, list[Use]]) -> Instruction | None:
    """The transpose that puts what is flattened into the order of a matrix, if each row of it is moved alone."""
    base, start = storage(matrix)
    writers = [use.instruction for use in found[base] if use.operand.role.writes]
    if len(writers) != 1 or writers[0].kind != "transpose" or start != 0:
        return None
    shuffle, shape = writers[0].integers("Shuffle"), writers[0]["Src"].type.shape
    is_by_rows = shuffle[0] == 0 and matrix.type.shape == (shape[0], math.prod(shape[1:]))
    return writers[0] if is_by_rows else None


def _packed(function: Function, step: Instruction, transpose: Instruction | None) -> Instruction:
    weights, bias = constant(step["Weights"]), constant(step.get("Bias"))
    assert weights is not None
    matrix, source = weights.T if step.attributes["TransB"] else weights, step.operands["Src"]
    if transpose:
        matrix, source = _untransposed(matrix, transpose), Operand(Role.IN, _flattened(function, transpose, source))
    columns = step["Dest"].type.shape[1]
    packed = _variable(function, f"{step['Weights'].name}_packed", pack_columns(matrix))
    offsets = _variable(function, f"{step.name}_bias", pack_bias(None if bias is None else bias.reshape(-1), columns))
    operands = {
        "Dest": step.operands["Dest"],
        "Src": source,
        "Weights": Operand(Role.IN, packed),
        "Bias": Operand(Role.IN, offsets),
    }
    return Instruction("packedproduct", step.name, operands, {}, step.origin)


def _flattened(function: Function, transpose: Instruction, matrix: Operand) -> IRValue:
    """What a transpose reads, in the shape of `matrix`."""
    base = transpose["Src"]
    return TensorView(function.unique_name(f"{base.name}_rows"), matrix.value.type, base)


def _untransposed(matrix: np.ndarray, transpose: Instruction) -> np.ndarray:
    """Rows for elements in the order before the transpose, in place of those for the order behind it."""
    shuffle, shape = transpose.integers("Shuffle"), transpose["Dest"].type.shape
    back = np.argsort(shuffle[1:])
    moved = np.transpose(matrix.reshape(*shape[1:], -1), (*back, len(back)))
    return np.asarray(moved.reshape(matrix.shape))


def _variable(function: Function, name: str, data: np.ndarray) -> WeightVar:
    return function.variable(name, TensorType(ElemKind.FLOAT, data.shape), Mutability.CONST, data)
