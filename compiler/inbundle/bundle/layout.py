"""Where everything lies in the three regions of a bundle, and under which names the application finds it.

Constants, then the net image, make constantWeight; buffers, then the engine's memory, make activations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inbundle.bundle.names import UniqueNames, tensor_names
from inbundle.bundle.parts import BundleParts
from inbundle.graph.types import TensorType
from inbundle.ir.function import Mutability, WeightVar
from inbundle.ir.memory import MemoryPlan, align


@dataclass(frozen=True)
class Tensor:
    """A placeholder or constant. `name` is the model's, `c_name` the header's; `offset` is in bytes in its region."""

    name: str
    c_name: str
    type: TensorType
    offset: int


@dataclass(frozen=True)
class Layout:
    """Sizes and offsets in bytes; the three region sizes are multiples of 64 or 0."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    constants: tuple[Tensor, ...]
    constant_bytes: int
    mutable_bytes: int
    activation_bytes: int
    image_offset: int
    image_bytes: int
    engine_offset: int
    engine_bytes: int

    @property
    def placeholders(self) -> tuple[Tensor, ...]:
        return self.inputs + self.outputs

    @property
    def total_bytes(self) -> int:
        return self.constant_bytes + self.mutable_bytes + self.activation_bytes

    @property
    def efficiency(self) -> float:
        """Glow's activations allocation efficiency: always 1, or 0 where there are no buffers."""
        return 1.0 if self.engine_offset else 0.0


def lay_out(parts: BundleParts) -> Layout:
    """The layout of a bundle: the memory plan, completed by the net image and the engine's memory."""
    plan, function = parts.plan, parts.function
    c_names = tensor_names(parts.input_names, parts.output_names, parts.operator_names)
    inputs = len(function.inputs)
    memory = align(parts.limits.memory_bytes)
    return Layout(
        inputs=_placed(function.inputs, parts.input_names, c_names[:inputs], plan),
        outputs=_placed(function.outputs, parts.output_names, c_names[inputs:], plan),
        constants=_constants(function.variables, plan),
        constant_bytes=align(plan.constant_bytes + len(parts.image)),
        mutable_bytes=align(plan.mutable_bytes),
        activation_bytes=align(plan.activation_bytes) + memory,
        image_offset=plan.constant_bytes,
        image_bytes=len(parts.image),
        engine_offset=align(plan.activation_bytes),
        engine_bytes=memory,
    )


def _placed(
    variables: Sequence[WeightVar], names: Sequence[str], c_names: Sequence[str], plan: MemoryPlan
) -> tuple[Tensor, ...]:
    """The variables that have a place; one that nothing reads has none."""
    return tuple(
        Tensor(name, c_name, variable.type, plan.places[variable].offset)
        for variable, name, c_name in zip(variables, names, c_names, strict=True)
        if variable in plan.places
    )


def _constants(variables: Iterable[WeightVar], plan: MemoryPlan) -> tuple[Tensor, ...]:
    placed = [v for v in variables if v.mutability is Mutability.CONST and v in plan.places]
    placed.sort(key=lambda variable: plan.places[variable].offset)
    names = UniqueNames()
    return tuple(Tensor(v.name, names.take(v.name), v.type, plan.places[v].offset) for v in placed)
