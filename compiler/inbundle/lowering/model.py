"""Lowering of a whole model: variables for what the application sees, then node by node, then the outputs."""

from __future__ import annotations

from inbundle.graph.graph import Graph, Placeholder
from inbundle.ir.function import Function, Mutability
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.uses import uses
from inbundle.lowering.context import Context


def lower(graph: Graph) -> Function:
    """The IR of a graph in normal form; valid and complete, not optimised.

    Placeholders and outputs keep their names as far as they differ; a placeholder that nobody reads does not appear.
    Every activation is written by one instruction, or composed by `inserttensor`s.
    """
    function = Function(graph.name)
    context = Context(function)
    _declare_inputs(graph, context)
    for name, value in graph.outputs.items():
        function.outputs.append(function.variable(name, value.type, Mutability.MUTABLE))
    for node in graph.nodes:
        context.lower(node)
    for variable, (name, value) in zip(function.outputs, graph.outputs.items(), strict=True):
        function.emit("copy", f"{name}_save", [variable, context.value(value)])
    hoist_dealloc(function)
    order = {value: index for index, value in enumerate(uses(function))}
    function.variables.sort(key=lambda variable: order.get(variable, len(order)))
    return function


def _declare_inputs(graph: Graph, context: Context) -> None:
    read = {value for node in graph.nodes for value in node.inputs} | set(graph.outputs.values())
    for placeholder in graph.inputs:
        if placeholder in read:
            _declare_input(placeholder, context)


def _declare_input(placeholder: Placeholder, context: Context) -> None:
    variable = context.function.variable(placeholder.name, placeholder.type, Mutability.MUTABLE)
    context.function.inputs.append(variable)
    context.bind(placeholder, variable)
