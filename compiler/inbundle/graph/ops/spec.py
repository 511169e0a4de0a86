"""What it takes to declare a kind of node: names, attributes with defaults, type inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.types import TensorType

Inference = Callable[[Sequence[Value | None], dict[str, Any]], list[TensorType]]
REQUIRED = object()


@dataclass(frozen=True)
class OpSpec:
    """A node kind.

    Attributes:
        inputs: operand names in order; a trailing `?` marks an optional one, a trailing `*` any number of them.
        outputs: result names in order; a trailing `?` marks one that a node may be without.
        attributes: name -> default, `REQUIRED` when there is none.
        infer: output types from inputs and attributes; raises CompileError on operands that do not fit.
    """

    kind: str
    meaning: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    infer: Inference
    attributes: dict[str, Any] = field(default_factory=dict)

    def complete(self, given: dict[str, Attribute]) -> dict[str, Attribute]:
        """`given` with the defaults filled in, in the order of the declaration."""
        unknown = sorted(set(given) - set(self.attributes))
        if unknown:
            raise CompileError(f"{self.kind} has no attribute {unknown[0]!r}")
        result: dict[str, Attribute] = {}
        for name, default in self.attributes.items():
            value = given.get(name, default)
            if value is REQUIRED:
                raise CompileError(f"{self.kind} needs the attribute {name!r}")
            result[name] = value
        return result


OPS: dict[str, OpSpec] = {}


def declare(spec: OpSpec) -> OpSpec:
    """Enter a kind into the table of kinds."""
    assert spec.kind not in OPS, f"{spec.kind} is declared twice"
    OPS[spec.kind] = spec
    return spec
