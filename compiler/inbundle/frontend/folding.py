"""Evaluates nodes whose inputs are all known, so that the shape arithmetic of a model vanishes while it is loaded.

The value comes from ONNX's reference evaluator, run on the one node at the model's opset. Where the evaluator is
known to be wrong, or would make a huge tensor out of a small one, the node is not evaluated and stays in the graph.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import onnx
from onnx import AttributeProto, helper, numpy_helper, shape_inference

from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.schemas import domain_of
from inbundle.graph.graph import Constant
from inbundle.graph.onnx.evaluator import run_model
from inbundle.graph.onnx.folding import grows_too_much
from inbundle.graph.types import ElemKind

# Shape inference sees the values of inputs up to this many elements: enough for every shape, axis and pad.
_MAX_SHAPE_ELEMENTS = 1024

# Random or training operators, and those whose importers give the constant (or the input) themselves.
_NEVER = frozenset(("Bernoulli", "Multinomial", "Dropout", "Constant", "ConstantOfShape", "Identity"))
# The evaluator cannot crop with negative pads, and takes other liberties with windows.
_UNTRUSTED = frozenset(("Pad", "Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool", "MaxUnpool", "LRN"))
# Operator -> the first opset version from which the evaluator follows the text: before it, it uses the last axis
# only (Softmax and its kin) or knows nothing of the attributes `broadcast`, `axis` and `spatial`.
_TRUSTED_FROM = {
    **dict.fromkeys(("Softmax", "LogSoftmax", "Hardmax"), 13),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Less", "Greater", "Gemm"), 7),
    **{"PRelu": 7, "BatchNormalization": 9},
}


def fold(ctx: NodeContext) -> list[np.ndarray | None] | None:
    """The node's outputs (None for one without a name), or None when it cannot be evaluated now."""
    if not ctx.inputs or not all(value is None or isinstance(value, Constant) for value in ctx.inputs):
        return None
    if not _is_foldable(ctx):
        return None
    constants = {f"in{index}": value.data for index, value in enumerate(ctx.inputs) if isinstance(value, Constant)}
    try:
        model = _one_node_model(ctx, constants)
        inferred = shape_inference.infer_shapes(model).graph.output
        if _has_huge_result(inferred, sum(data.nbytes for data in constants.values())):
            return None
        results = run_model(model, constants)
    except Exception:  # whatever inference and evaluator cannot do is left to the importer
        return None
    if not all(_is_plausible(data, info) for data, info in zip(results, inferred, strict=True)):
        return None
    named = iter(results)
    return [next(named) if name else None for name in ctx.outputs]


def _is_foldable(ctx: NodeContext) -> bool:
    if ctx.operator in _NEVER | _UNTRUSTED or ctx.operator.startswith("Random") or domain_of(ctx.node.domain):
        return False
    has_subgraph = any(
        attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for attribute in ctx.node.attribute
    )
    return not has_subgraph and ctx.opset >= _TRUSTED_FROM.get(ctx.operator, 1)


def _one_node_model(ctx: NodeContext, constants: dict[str, np.ndarray]) -> onnx.ModelProto:
    node = onnx.NodeProto()
    node.CopyFrom(ctx.node)
    # Names of our own: those of the graph and of the model may clash.
    node.ClearField("domain")
    node.ClearField("input")
    node.input.extend("" if value is None else f"in{index}" for index, value in enumerate(ctx.inputs))
    node.ClearField("output")
    node.output.extend(f"out{index}" if name else "" for index, name in enumerate(ctx.outputs))
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(data.dtype), data.shape)
        for name, data in constants.items()
    ]
    small = [
        numpy_helper.from_array(data, name) for name, data in constants.items() if data.size <= _MAX_SHAPE_ELEMENTS
    ]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], "fold", inputs, outputs, initializer=small)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", ctx.opset)], ir_version=8)


def _has_huge_result(outputs: Sequence[onnx.ValueInfoProto], input_bytes: int) -> bool:
    """Whether an output is large, and far larger than all inputs, as far as shape inference can tell."""
    shapes = [_inferred_shape(info) for info in outputs]
    return any(shape is not None and grows_too_much(8 * math.prod(shape), input_bytes) for shape in shapes)


def _inferred_shape(info: onnx.ValueInfoProto) -> tuple[int, ...] | None:
    tensor = info.type.tensor_type
    if not tensor.HasField("shape") or not all(dim.HasField("dim_value") for dim in tensor.shape.dim):
        return None
    return tuple(dim.dim_value for dim in tensor.shape.dim)


def _is_plausible(data: np.ndarray, info: onnx.ValueInfoProto) -> bool:
    """Whether a result is a tensor that the compiler holds, of the type and shape that inference gives."""
    if data.dtype not in {kind.dtype for kind in ElemKind}:
        return False
    elem, shape = info.type.tensor_type.elem_type, _inferred_shape(info)
    return elem == helper.np_dtype_to_tensor_dtype(data.dtype) and shape in (None, data.shape)
