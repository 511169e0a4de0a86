"""What an importer sees of one ONNX node: inputs as graph values, typed attributes, errors that say where.

The node is checked against ONNX's own schema of the model's opset before an importer sees it: known attributes of the
right type, required attributes present, as many inputs as the operator takes. Importers check meaning only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx
from onnx import AttributeProto

from inbundle.errors import CompileError, DataDependentError, UnsupportedError
from inbundle.graph.graph import Attribute, Constant, Graph, Value
from inbundle.graph.ops import OPS

_Default = TypeVar("_Default")


def node_name(node: onnx.NodeProto) -> str:
    """The node's name; an unnamed node is called `Type_firstOutput`, as in Glow."""
    if node.name:
        return str(node.name)
    return f"{node.op_type}_{next((output for output in node.output if output), '')}"


class NodeContext:
    """One ONNX node while it is imported.

    Attributes:
        inputs: the node's inputs; None where one is absent or has an empty name.
        opset: opset version of the operator's domain in this model.
        name: see `node_name`.
        base_dir: folder of the model file, where external data lies.
    """

    def __init__(
        self,
        graph: Graph,
        node: onnx.NodeProto,
        inputs: Sequence[Value | None],
        opset: int,
        *,
        where: str = "",
        base_dir: Path | None = None,
    ) -> None:
        self.graph = graph
        self.node = node
        self.inputs = list(inputs)
        self.opset = opset
        self.base_dir = base_dir
        self.name = node_name(node)
        self.operator = str(node.op_type)
        self.outputs = [str(output) for output in node.output]
        self._where = (where, f"node '{self.name}'", self.operator)
        self._attributes: dict[str, AttributeProto] = {attribute.name: attribute for attribute in node.attribute}

    def error(self, message: str, *, attribute: str = "", hint: str = "") -> CompileError:
        """An error at this node, and at `attribute` where that is given; to be raised by the caller."""
        return CompileError(message, where=self.place(attribute), hint=hint)

    def unsupported(self, message: str, *, attribute: str = "", hint: str = "") -> UnsupportedError:
        """As `error`, for what ONNX allows but the compiler does not do."""
        return UnsupportedError(message, where=self.place(attribute), hint=hint)

    def place(self, attribute: str = "") -> tuple[str, ...]:
        """Model, node and operator, and `attribute` where that is given, as errors show them."""
        places = (*self._where, f"attribute '{attribute}'" if attribute else "")
        return tuple(place for place in places if place)

    # Inputs

    def has_input(self, index: int) -> bool:
        return index < len(self.inputs) and self.inputs[index] is not None

    def input(self, index: int) -> Value:
        """Input `index`, which must be there."""
        value = self.optional_input(index)
        if value is None:
            raise self.error(f"input {index} is missing")
        return value

    def optional_input(self, index: int) -> Value | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def constant(self, index: int, what: str) -> np.ndarray:
        """The value of input `index`, which the compiler must know; `what` names it in the error ("axes")."""
        value = self.input(index)
        if isinstance(value, Constant):
            return value.data
        tensor = str(self.node.input[index])
        raise DataDependentError(
            f"data-dependent {what}: input {index} ('{tensor}') is computed when the model runs,"
            f" but {self.operator} needs it at compile time",
            tensor=tensor,
            where=self.place(),
        )

    def optional_constant(self, index: int, what: str) -> np.ndarray | None:
        """As `constant`; None where the input is absent."""
        return self.constant(index, what) if self.has_input(index) else None

    def constant_ints(self, index: int, what: str) -> tuple[int, ...]:
        """The integers of input `index`, flattened."""
        data = self.constant(index, what)
        if data.dtype.kind not in "iu":
            raise self.error(f"{what} (input {index}) must be integers, not {self.input(index).type}")
        return tuple(int(number) for number in data.reshape(-1))

    # Attributes. A getter without a default demands the attribute.

    def has_attribute(self, name: str) -> bool:
        return name in self._attributes

    def attr_int(self, name: str, default: int | None = None) -> int:
        found = self._attribute(name, AttributeProto.INT, default)
        return int(found.i) if isinstance(found, AttributeProto) else found

    def attr_bool(self, name: str, default: bool | None = None) -> bool:
        """An integer attribute that ONNX reads as yes or no."""
        return bool(self.attr_int(name, default))

    def attr_float(self, name: str, default: float | None = None) -> float:
        found = self._attribute(name, AttributeProto.FLOAT, default)
        return float(found.f) if isinstance(found, AttributeProto) else found

    def attr_string(self, name: str, default: str | None = None) -> str:
        found = self._attribute(name, AttributeProto.STRING, default)
        return found.s.decode("utf-8", "replace") if isinstance(found, AttributeProto) else found

    def attr_ints(self, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        found = self._attribute(name, AttributeProto.INTS, default)
        return tuple(int(number) for number in found.ints) if isinstance(found, AttributeProto) else found

    def attr_floats(self, name: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        found = self._attribute(name, AttributeProto.FLOATS, default)
        return tuple(float(number) for number in found.floats) if isinstance(found, AttributeProto) else found

    def optional_ints(self, name: str) -> tuple[int, ...] | None:
        """The integers of attribute `name`; None where it is absent."""
        return self.attr_ints(name) if self.has_attribute(name) else None

    def attr_tensor(self, name: str) -> onnx.TensorProto:
        found = self._attribute(name, AttributeProto.TENSOR, None)
        assert isinstance(found, AttributeProto)
        return found.t

    def attr_sparse_tensor(self, name: str) -> onnx.SparseTensorProto:
        found = self._attribute(name, AttributeProto.SPARSE_TENSOR, None)
        assert isinstance(found, AttributeProto)
        return found.sparse_tensor

    def _attribute(self, name: str, kind: int, default: _Default | None) -> AttributeProto | _Default:
        found: AttributeProto | None = self._attributes.get(name)
        if found is None:
            if default is None:
                raise self.error("the attribute is missing", attribute=name)
            return default
        if int(found.type) != kind:
            wanted, given = (AttributeProto.AttributeType.Name(number) for number in (kind, found.type))
            raise self.error(f"the attribute is {given}, not {wanted}", attribute=name)
        return found

    # Results

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Attribute] | None = None,
        *,
        part: str = "",
        output: int = 0,
    ) -> Value:
        """Append a graph node and return its first result.

        Args:
            part: names a node that only prepares the result, for example "pad"; without it the node is called as the
                ONNX node and its result as output `output` of that.
        """
        if part:
            return self._append(kind, inputs, attributes, f"{self.name}__{part}", [f"{self._result()}__{part}"])[0]
        return self._append(kind, inputs, attributes, self.name, [self._result(output)])[0]

    def add_all(
        self, kind: str, inputs: Sequence[Value | None], attributes: Mapping[str, Attribute] | None = None
    ) -> list[Value]:
        """Append a graph node whose results are the ONNX node's outputs one by one."""
        names = self.outputs[: len(OPS[kind].outputs)]
        return self._append(kind, inputs, attributes, self.name, names)

    def new_constant(self, data: np.ndarray, part: str = "") -> Value:
        """A constant of the graph, called as the node's first output, or as a `part` of it."""
        return self.graph.add_constant(f"{self._result()}__{part}" if part else self._result(), data)

    def _result(self, output: int = 0) -> str:
        return (self.outputs[output] if output < len(self.outputs) else "") or self.name

    def _append(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        attributes: Mapping[str, Attribute] | None,
        name: str,
        outputs: Sequence[str],
    ) -> list[Value]:
        return list(self.graph.add(kind, inputs, attributes, name=name, outputs=outputs).outputs)
