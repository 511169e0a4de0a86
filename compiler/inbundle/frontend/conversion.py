"""From a ModelProto to a Graph: checks the structure, gives the inputs static types, runs fold or importer per node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import onnx.inliner

from inbundle.errors import CompileError
from inbundle.frontend import importers as importers  # enters the importers into the registry
from inbundle.frontend.declared import check_declared
from inbundle.frontend.folding import fold
from inbundle.frontend.importers.registry import find
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.placeholders import input_types
from inbundle.frontend.schemas import check_node, domain_of, opset_versions, schema_of
from inbundle.frontend.structure import model_inputs, sorted_nodes
from inbundle.frontend.tensors import MAX_BYTES, array_of, check_size
from inbundle.frontend.unsupported import UnsupportedNodes
from inbundle.graph.graph import Constant, Graph, Value
from inbundle.options import CompileOptions


def convert(model: onnx.ModelProto, options: CompileOptions, *, name: str, base_dir: Path | None, where: str) -> Graph:
    """The Graph of `model`; `where` is what errors call the model. See `inbundle.frontend.graph_of_model`."""
    try:
        return _convert(_inlined(model), options, name, base_dir, where)
    except CompileError as error:
        raise error.at(where) from None


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its local functions expanded."""
    if not model.functions:
        return model
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the inliner is C++ and raises whatever its checks raise
        reason = (str(error).splitlines() or ["unknown reason"])[0]
        raise CompileError(f"cannot inline the model's functions: {reason}") from None


def _convert(model: onnx.ModelProto, options: CompileOptions, name: str, base_dir: Path | None, where: str) -> Graph:
    nodes = sorted_nodes(model.graph)
    versions = opset_versions(model, nodes)
    inputs = input_types(model_inputs(model.graph), options)
    conversion = _Conversion(Graph(name), versions, base_dir, where)
    for input_name, type in inputs.types.items():
        conversion.enter(input_name, conversion.graph.add_input(input_name, type))
    for tensor in model.graph.initializer:
        data = array_of(tensor, base_dir, f"initializer '{tensor.name}'")
        conversion.enter(tensor.name, conversion.graph.add_constant(tensor.name, data))
    for node in nodes:
        conversion.convert(node)
    conversion.unsupported.raise_if_any()
    graph = conversion.finish([info.name for info in model.graph.output])
    check_declared(model.graph, conversion.values, inputs, where)
    return graph


class _Conversion:
    """The graph so far.

    Attributes:
        values: tensor of the model -> value of the graph.
        unsupported: nodes that cannot be imported; what depends on them is not imported either.
    """

    def __init__(self, graph: Graph, versions: Mapping[str, int], base_dir: Path | None, where: str) -> None:
        self.graph = graph
        self.versions = versions
        self.base_dir = base_dir
        self.where = where
        self.values: dict[str, Value] = {}
        self.unsupported = UnsupportedNodes(versions)
        self._counted: set[Value] = set()
        self._bytes = 0

    def enter(self, name: str, value: Value) -> None:
        """Let `name` be `value`. Raises CompileError when the model becomes larger than any target's memory."""
        check_size(value.type.shape, value.type.elem, f"tensor '{name}'")
        if value not in self._counted:
            self._counted.add(value)
            self._bytes += value.type.bytes
        self.values[name] = value
        if self._bytes > MAX_BYTES:
            raise CompileError(f"the tensors of the model up to '{name}' take more than {MAX_BYTES >> 30} GiB")

    def convert(self, node: onnx.NodeProto) -> None:
        """Import `node`, or note that it is not supported."""
        if self.unsupported.blocks(node, self._is_constant):
            return
        domain = domain_of(node.domain)
        inputs = [self.values[name] if name else None for name in node.input]
        ctx = NodeContext(self.graph, node, inputs, self.versions[domain], where=self.where, base_dir=self.base_dir)
        try:
            results = self._results(ctx, domain)
            if results is None:
                self.unsupported.add(node)
                return
            self._enter_results(ctx, results)
        except CompileError as error:
            raise error.at(*ctx.place()) from None

    def _is_constant(self, name: str) -> bool:
        return isinstance(self.values.get(name), Constant)

    def _results(self, ctx: NodeContext, domain: str) -> Sequence[Value | None] | None:
        """Values of the node's outputs; None when the operator is not supported."""
        schema = schema_of(ctx.operator, ctx.opset, domain)
        if schema is None and not domain:
            return None
        if schema is not None:
            check_node(ctx, schema)
        folded = fold(ctx)
        if folded is not None:
            names = zip(ctx.outputs, folded, strict=True)
            return [None if data is None else self.graph.add_constant(name, data) for name, data in names]
        run = find(ctx.operator, ctx.opset, domain)
        if run is None:
            return None
        results = run(ctx)
        return [results] if isinstance(results, Value) else results

    def _enter_results(self, ctx: NodeContext, results: Sequence[Value | None]) -> None:
        for index, name in enumerate(ctx.outputs):
            if not name:
                continue
            value = results[index] if index < len(results) else None
            if value is None:
                raise ctx.unsupported(f"output {index} ('{name}') is not supported")
            self.enter(name, value)

    def finish(self, outputs: Sequence[str]) -> Graph:
        """The graph with its outputs, without the constants that nobody reads."""
        self.graph.outputs = {name: self.values[name] for name in outputs}
        used = {id(value) for node in self.graph.nodes for value in node.inputs}
        used.update(id(value) for value in self.graph.outputs.values())
        self.graph.constants = [constant for constant in self.graph.constants if id(constant) in used]
        return self.graph
