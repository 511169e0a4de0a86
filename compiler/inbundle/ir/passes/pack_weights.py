"""PackWeights: a product with a constant matrix reads it in the order of vector kernels.

%fc = fullyconnected @out %fc_res, @in %x, @in %w, @in %b { Alpha: 1.0, Beta: 1.0, TransA: 0, TransB: 1}
->
%fc = packedproduct @out %fc_res, @in %x, @in %w_packed, @in %fc_bias
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Instruction, IRValue, Mutability, Operand, Role, WeightVar
from inbundle.ir.panels import pack_bias, pack_columns


def pack_weights(function: Function) -> None:
    """Rewrite the float products whose matrix and bias are constants, the bias a row; DeleteDeadAllocs drops the
    constants that nobody reads any more."""
    for index, step in enumerate(function.code):
        if isinstance(step, Instruction) and step.kind == "fullyconnected" and _is_packable(step):
            function.code[index] = _packed(function, step)


def constant(value: IRValue | None) -> np.ndarray | None:
    """The data of a constant variable, None for any other value."""
    return value.data if isinstance(value, WeightVar) and value.mutability is Mutability.CONST else None


def _is_packable(step: Instruction) -> bool:
    bias, dest = step.get("Bias"), step["Dest"].type
    is_plain = (step.attributes["Alpha"], step.attributes["Beta"], step.attributes["TransA"]) == (1.0, 1.0, 0)
    is_row = bias is None or (constant(bias) is not None and bias.type.elements == dest.shape[1])
    is_float = dest.elem is ElemKind.FLOAT and dest.elements > 0 and step["Src"].type.elements > 0
    return is_plain and is_row and is_float and constant(step["Weights"]) is not None


def _packed(function: Function, step: Instruction) -> Instruction:
    weights, bias = constant(step["Weights"]), constant(step.get("Bias"))
    assert weights is not None
    matrix = weights.T if step.attributes["TransB"] else weights
    columns = step["Dest"].type.shape[1]
    packed = _variable(function, f"{step['Weights'].name}_packed", pack_columns(matrix))
    offsets = _variable(function, f"{step.name}_bias", pack_bias(None if bias is None else bias.reshape(-1), columns))
    operands = {
        "Dest": step.operands["Dest"],
        "Src": step.operands["Src"],
        "Weights": Operand(Role.IN, packed),
        "Bias": Operand(Role.IN, offsets),
    }
    return Instruction("packedproduct", step.name, operands, {}, step.origin)


def _variable(function: Function, name: str, data: np.ndarray) -> WeightVar:
    return function.variable(name, TensorType(ElemKind.FLOAT, data.shape), Mutability.CONST, data)
