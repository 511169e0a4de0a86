"""Models of one node, for the tests of importers: built, imported, and seen by ONNX's own shape inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from inbundle.frontend import graph_of_model
from inbundle.frontend.importers import registry
from inbundle.graph.graph import Graph
from inbundle.graph.types import TensorType
from inbundle.options import CompileOptions

Operand = TensorType | np.ndarray | None | Sequence[int]
"""A model input, an initializer, an absent input, or the shape of a float input."""


def one_node_model(
    operator: str,
    operands: Mapping[str, Operand],
    attributes: Mapping[str, Any] | None = None,
    *,
    opset: int,
    outputs: Sequence[str] = ("y",),
) -> onnx.ModelProto:
    names = ["" if operand is None else name for name, operand in operands.items()]
    node = helper.make_node(operator, names, list(outputs), name="node", **dict(attributes or {}))
    inputs, initializers = [], []
    for name, operand in operands.items():
        if isinstance(operand, np.ndarray):
            initializers.append(numpy_helper.from_array(operand, name))
        elif isinstance(operand, TensorType):
            kind = helper.np_dtype_to_tensor_dtype(operand.elem.dtype)
            inputs.append(helper.make_tensor_value_info(name, kind, operand.shape))
        elif operand is not None:
            inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, tuple(operand)))
    results = [onnx.ValueInfoProto(name=name) for name in outputs if name]
    graph = helper.make_graph([node], "model", inputs, results, initializer=initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def import_node(
    operator: str,
    operands: Mapping[str, Operand],
    attributes: Mapping[str, Any] | None = None,
    *,
    opset: int,
    outputs: Sequence[str] = ("y",),
) -> Graph:
    model = one_node_model(operator, operands, attributes, opset=opset, outputs=outputs)
    return graph_of_model(model, CompileOptions(), name="model", base_dir=None)


def onnx_shapes(model: onnx.ModelProto) -> list[tuple[int, ...]]:
    """What ONNX infers for the model's outputs."""
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    return [tuple(dim.dim_value for dim in info.type.tensor_type.shape.dim) for info in inferred.graph.output]


def kinds(graph: Graph) -> list[str]:
    return [node.kind for node in graph.nodes]


def importers_of(family: str) -> set[str]:
    """The operators whose importers stand in `frontend/importers/FAMILY.py`."""
    newest = onnx.defs.onnx_opset_version()
    modules = {operator: registry.find(operator, newest).__module__ for operator in registry.operators()}
    return {operator for operator, module in modules.items() if module == f"inbundle.frontend.importers.{family}"}
