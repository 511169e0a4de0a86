"""How a node is written in ONNX, per kind.

Most kinds are ONNX operators with the attributes that ONNX has, too; they need no entry. The others have a function
here, entered with `@exports(KIND)`: the normal form keeps as attributes what ONNX's newer opsets want as operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import onnx
from onnx import helper

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Node
from inbundle.graph.types import ElemKind, TensorType

OPSET = 22
IR_VERSION = 10


class Sink(Protocol):
    """Where the ONNX form of a node goes.

    Attributes:
        node: the node that is written.
        inputs, outputs: names of its operands and results; empty where one is absent.
    """

    node: Node
    inputs: Sequence[str]
    outputs: Sequence[str]

    def emit(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Attribute]
    ) -> None:
        """Append an ONNX node."""

    def constant(self, part: str, data: np.ndarray) -> str:
        """The name of a new constant of the model, called after the node and `part`."""

    def fresh(self, part: str) -> str:
        """A new name for a value between two ONNX nodes."""


Exporter = Callable[[Sink], None]
EXPORTERS: dict[str, Exporter] = {}


def exports(*kinds: str) -> Callable[[Exporter], Exporter]:
    """Enter a function that writes nodes of these kinds."""

    def enter(exporter: Exporter) -> Exporter:
        for kind in kinds:
            assert kind not in EXPORTERS, f"{kind} has two exporters"
            EXPORTERS[kind] = exporter
        return exporter

    return enter


def export(sink: Sink) -> None:
    """Write the node of `sink`.

    Raises:
        CompileError: ONNX has no such operator, and no exporter says how to do without.
    """
    node = sink.node
    if node.kind in EXPORTERS:
        EXPORTERS[node.kind](sink)
        return
    if not onnx.defs.has(node.kind, OPSET, ""):
        hint = "its kind needs an exporter, see graph/onnx/nodes.py"
        raise CompileError("ONNX has no such operator", where=(f"node '{node.name}'", node.kind), hint=hint)
    sink.emit(node.kind, sink.inputs, sink.outputs, node.attributes)


def elem_number(elem: ElemKind) -> int:
    """ONNX's number of an element kind."""
    return int(helper.np_dtype_to_tensor_dtype(elem.dtype))


def _int64(sink: Sink, part: str, numbers: Sequence[int]) -> str:
    return sink.constant(part, np.array(numbers, np.int64))


def _type(sink: Sink) -> TensorType:
    return sink.node.input(0).type


@exports("Clip")
def _clip(sink: Sink) -> None:
    dtype = _type(sink).elem.dtype
    bounds = [sink.constant(part, np.array(sink.node.attributes[part], dtype)) for part in ("min", "max")]
    sink.emit("Clip", [*sink.inputs, *bounds], sink.outputs, {})


@exports("Cast")
def _cast(sink: Sink) -> None:
    sink.emit("Cast", sink.inputs, sink.outputs, {"to": elem_number(sink.node.output.type.elem)})


@exports("Reshape", "Expand")
def _to_shape(sink: Sink) -> None:
    """A 0 is a size here, not a copy of the operand's."""
    attributes: dict[str, Attribute] = {"allowzero": True} if sink.node.kind == "Reshape" else {}
    shape = _int64(sink, "shape", sink.node.integers("shape"))
    sink.emit(sink.node.kind, [*sink.inputs, shape], sink.outputs, attributes)


@exports("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def _reduce(sink: Sink) -> None:
    """No axes are no reduction."""
    attributes: dict[str, Attribute] = {"keepdims": sink.node.attributes["keepdims"], "noop_with_empty_axes": True}
    axes = _int64(sink, "axes", sink.node.integers("axes"))
    sink.emit(sink.node.kind, [*sink.inputs, axes], sink.outputs, attributes)


@exports("Slice")
def _slice(sink: Sink) -> None:
    starts, steps, shape = (sink.node.integers(name) for name in ("starts", "steps", "shape"))
    ends = [start + size * step for start, size, step in zip(starts, shape, steps, strict=True)]
    # A negative end counts from the back; one beyond the front must be out of reach.
    ends = [end if end >= 0 else -np.iinfo(np.int64).max for end in ends]
    _emit_slice(sink, sink.inputs[0], sink.outputs[0], starts, ends, steps)


def _emit_slice(
    sink: Sink, source: str, result: str, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]
) -> None:
    operands = {"starts": starts, "ends": ends, "axes": range(len(starts)), "steps": steps}
    names = [_int64(sink, part, list(numbers)) for part, numbers in operands.items()]
    sink.emit("Slice", [source, *names], [result], {})


@exports("Pad")
def _pad(sink: Sink) -> None:
    """Cropping is a Slice of its own: not all evaluators know negative pads, or pads of a scalar."""
    pads, shape = sink.node.integers("pads"), _type(sink).shape
    if not any(pads):
        sink.emit("Identity", sink.inputs, sink.outputs, {})
        return
    source = sink.inputs[0]
    if any(pad < 0 for pad in pads):
        starts = [max(0, -pad) for pad in pads[: len(shape)]]
        ends = [size + min(0, pad) for size, pad in zip(shape, pads[len(shape) :], strict=True)]
        source = sink.fresh("cropped")
        _emit_slice(sink, sink.inputs[0], source, starts, ends, [1] * len(shape))
    value = np.array(sink.node.attributes["value"]).astype(_type(sink).elem.dtype)
    operands = [source, _int64(sink, "pads", [max(0, pad) for pad in pads]), sink.constant("value", value)]
    sink.emit("Pad", operands, sink.outputs, {"mode": sink.node.attributes["mode"]})


@exports("CumSum")
def _cumulate(sink: Sink) -> None:
    attributes = {name: sink.node.attributes[name] for name in ("exclusive", "reverse")}
    axis = sink.constant("axis", np.array(sink.node.integer("axis"), np.int64))
    sink.emit("CumSum", [*sink.inputs, axis], sink.outputs, attributes)


@exports("BitShift")
def _bit_shift(sink: Sink) -> None:
    """Of unsigned integers; for signed ones the operator is younger than the opset that is written."""
    if _type(sink).elem.dtype.kind == "i":
        where = (f"node '{sink.node.name}'", "BitShift")
        raise CompileError(f"ONNX has no BitShift of {_type(sink)} in opset {OPSET}", where=where)
    sink.emit("BitShift", sink.inputs, sink.outputs, sink.node.attributes)


@exports("TopK")
def _top(sink: Sink) -> None:
    """Both results have names in ONNX."""
    axis = sink.node.integer("axis")
    k = _int64(sink, "k", [sink.node.output.type.shape[axis]])
    outputs = [*sink.outputs, *(sink.fresh("indices") for _ in range(2 - len(sink.outputs)))]
    sink.emit("TopK", [*sink.inputs, k], outputs, {"axis": axis, "largest": sink.node.attributes["largest"]})
