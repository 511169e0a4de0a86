"""What it takes to declare a kind of node: names, attributes with defaults, type inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Value
from inbundle.graph.types import TensorType

Inference = Callable[[Sequence[Value | None], dict[str, Any]], list[TensorType]]


@dataclass(frozen=True)
class Required:
    """In place of a default: there is none. `form` is what a default would be: 0, 0.0, "" or (); None for anything."""

    form: object = None


REQUIRED = Required()
_FORMS: dict[type, tuple[type, str]] = {
    bool: (Integral, "true or false"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
    str: (str, "text"),
    tuple: (tuple, "a list of whole numbers"),
}
"""Type of a default -> what values must be, and what that is called."""


@dataclass(frozen=True)
class OpSpec:
    """A node kind.

    Attributes:
        inputs: operand names in order; a trailing `?` marks an optional one, a trailing `*` any number of them.
        outputs: result names in order; a trailing `?` marks one that a node may be without.
        attributes: name -> default, whose type the values must have; `Required(form)` or `REQUIRED` for none.
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
            if isinstance(value, Required):
                raise CompileError(f"{self.kind} needs the attribute {name!r}")
            self._check(name, value, default.form if isinstance(default, Required) else default)
            result[name] = value
        return result

    def _check(self, name: str, value: object, form: object) -> None:
        expected, called = _FORMS.get(type(form), (object, ""))
        parts = value if isinstance(value, tuple) else ()
        if not isinstance(value, expected) or (form == () and not all(isinstance(part, Integral) for part in parts)):
            shown = repr(value) if isinstance(value, Real | str | tuple) else f"a {type(value).__name__.lower()}"
            raise CompileError(f"{self.kind}: the attribute {name} is {shown}, not {called}")


OPS: dict[str, OpSpec] = {}


def declare(spec: OpSpec) -> OpSpec:
    """Enter a kind into the table of kinds."""
    assert spec.kind not in OPS, f"{spec.kind} is declared twice"
    OPS[spec.kind] = spec
    return spec
