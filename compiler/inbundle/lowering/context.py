"""What a lowering function works with: the Function under construction and the IR value of each graph value.

A lowering function is entered under its node kind with `@lowers(KIND)` and takes the context and the node. It emits
instructions named after the node and binds the node's results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inbundle.graph.graph import Attribute, Constant, Node, Value
from inbundle.graph.types import TensorType
from inbundle.ir.function import Function, Instruction, IRValue, Mutability

Lowering = Callable[["Context", Node], None]
LOWERINGS: dict[str, Lowering] = {}


def lowers(kind: str) -> Callable[[Lowering], Lowering]:
    """Enter a lowering function for nodes of `kind`."""

    def enter(lowering: Lowering) -> Lowering:
        assert kind not in LOWERINGS, f"{kind} has two lowerings"
        LOWERINGS[kind] = lowering
        return lowering

    return enter


class Context:
    """The state of one lowering run."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._values: dict[Value, IRValue] = {}

    def lower(self, node: Node) -> None:
        """Emit the instructions of a node, and note what kind they come from."""
        code = self.function.code
        first = len(code)
        LOWERINGS[node.kind](self, node)
        for step in code[first:]:
            if isinstance(step, Instruction) and not step.origin:
                step.origin = node.kind

    def bind(self, value: Value, ir_value: IRValue) -> None:
        """`ir_value` holds what `value` stands for; both have the same type."""
        assert value.type == ir_value.type, f"{value.name}: {value.type} is not {ir_value.type}"
        self._values[value] = ir_value

    def value(self, value: Value) -> IRValue:
        """The IR value of a graph value; a constant becomes a variable when it is first read."""
        if value not in self._values and isinstance(value, Constant):
            self.bind(value, self.function.variable(value.name, value.type, Mutability.CONST, value.data))
        return self._values[value]

    def input(self, node: Node, index: int) -> IRValue:
        """Input `index` of a node, which must be there."""
        return self.value(node.input(index))

    def inputs(self, node: Node) -> list[IRValue | None]:
        """All inputs of a node in order, None where absent."""
        return [None if value is None else self.value(value) for value in node.inputs]

    def view(self, node: Node, base: IRValue, shape: tuple[int, ...]) -> IRValue:
        """`base` under another shape; itself when the shape is the same."""
        if base.type.shape == shape:
            return base
        return self.function.view(base, base.type.with_shape(shape), f"{node.name}_view")

    def emit(
        self,
        kind: str,
        node: Node,
        values: Sequence[IRValue | None],
        attributes: dict[str, Attribute] | None = None,
        *,
        type: TensorType | None = None,
    ) -> None:
        """Emit the instruction that computes the node's first result from `values`, and bind the result.

        Args:
            type: the type the instruction writes, when it is not the node's: as many elements in another shape.
        """
        dest = self.function.alloc(f"{node.name}_res", type or node.output.type)
        self.function.emit(kind, node.name, [dest, *values], attributes)
        self.bind(node.output, self.view(node, dest, node.output.type.shape))
