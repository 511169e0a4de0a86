"""Small functions written as a few words, for the tests of IR passes."""

from __future__ import annotations

from inbundle.graph.graph import Attribute
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Instruction, IRValue, Mutability, WeightVar
from inbundle.ir.stacks import steps

FLOAT4 = TensorType(ElemKind.FLOAT, (4,))
FLOAT2X2 = TensorType(ElemKind.FLOAT, (2, 2))
ATTRIBUTES: dict[str, dict[str, Attribute]] = {
    "transpose": {"Shuffle": (1, 0)},
    "softmax": {"Axis": 0},
    "reducesum": {"Axes": (0,)},
    "extracttensor": {"Offsets": (0, 1), "Steps": (1, 2)},
}
SQUARES = dict.fromkeys("xyzabcdefpqw", FLOAT2X2)


class Program:
    """A function with an input x and outputs y, z. Instructions are written as `relu b x`, views as `view v b 2` with
    their offset, insertions as `inserttensor b x 0 2` with theirs.
    """

    def __init__(self, *lines: str, types: dict[str, TensorType] | None = None) -> None:
        self.function = Function("f")
        self.values: dict[str, IRValue] = {}
        self.types = types or {}
        for name in "xyz":
            self.values[name] = self.function.variable(name, self.type(name), Mutability.MUTABLE)
        self.function.inputs.append(self.variable("x"))
        self.function.outputs += [self.variable("y"), self.variable("z")]
        for line in lines:
            kind, *names = line.split()
            values = [self.value(name) for name in names if name.isalpha() and (kind, name) != ("view", names[0])]
            numbers = tuple(int(name) for name in names if name.isdigit())
            if kind == "view":
                self.values[names[0]] = self.function.view(values[0], self.type(names[0]), names[0], *numbers)
            else:
                attributes = {"Offsets": numbers} if numbers else ATTRIBUTES.get(kind, {})
                self.function.emit(kind, "step", values, attributes)

    def type(self, name: str) -> TensorType:
        return self.types.get(name, FLOAT4)

    def variable(self, name: str) -> WeightVar:
        value = self.values[name]
        assert isinstance(value, WeightVar)
        return value

    def value(self, name: str) -> IRValue:
        if name not in self.values:
            self.values[name] = self.function.alloc(name, self.type(name))
        return self.values[name]

    def text(self) -> list[str]:
        """The instructions that are left; the steps of stacked ones behind bars, with their registers."""
        return [" | ".join(map(_text, steps(instruction))) for instruction in self.function.instructions()]


def _text(step: Instruction) -> str:
    return " ".join([step.kind, *(operand.value.name for operand in step.operands.values())])
