"""Reductions. Their instructions drop the reduced dimensions; `keepdims` is a view of the result."""

from __future__ import annotations

from inbundle.graph.graph import Attribute, Node
from inbundle.graph.ops.reduction import reduced_shape
from inbundle.graph.types import ElemKind, TensorType
from inbundle.lowering.context import Context, lowers


def _dropped(node: Node, axes: tuple[int, ...]) -> TensorType:
    return node.output.type.with_shape(reduced_shape(node.input(0).type.shape, axes, keepdims=False))


def _reduce(context: Context, node: Node) -> None:
    axes = node.integers("axes")
    context.emit(node.kind.lower(), node, context.inputs(node), {"Axes": axes}, type=_dropped(node, axes))


for _kind in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"):
    lowers(_kind)(_reduce)


def _arg(context: Context, node: Node) -> None:
    axis = node.integer("axis")
    attributes: dict[str, Attribute] = {"Axis": axis, "SelectLastIndex": node.attributes["select_last_index"]}
    context.emit(node.kind.lower(), node, context.inputs(node), attributes, type=_dropped(node, (axis,)))


for _kind in ("ArgMax", "ArgMin"):
    lowers(_kind)(_arg)


@lowers("CumSum")
def _cumulate(context: Context, node: Node) -> None:
    names = {"Axis": "axis", "Exclusive": "exclusive", "Reverse": "reverse"}
    attributes = {name: node.attributes[attribute] for name, attribute in names.items()}
    context.emit("cumsum", node, context.inputs(node), attributes)


@lowers("TopK")
def _top(context: Context, node: Node) -> None:
    """The indices are always computed: they say which of equal elements come first."""
    indices = context.function.alloc(f"{node.name}_indices", node.output.type.with_elem(ElemKind.INT64))
    if len(node.outputs) > 1:
        context.bind(node.outputs[1], indices)
    attributes = {"Axis": node.attributes["axis"], "Largest": node.attributes["largest"]}
    context.emit("topk", node, [context.input(node, 0), indices], attributes)
