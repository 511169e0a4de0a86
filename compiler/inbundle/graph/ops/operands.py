"""Checks of operands that kinds of every family share."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.errors import CompileError
from inbundle.graph.graph import Value
from inbundle.graph.types import TensorType


def operand_types(kind: str, inputs: Sequence[Value | None], count: int) -> list[TensorType]:
    """The types of exactly `count` operands, all present. Raises CompileError otherwise."""
    types = [value.type for value in inputs if value is not None]
    if len(inputs) != count or len(types) != count:
        raise CompileError(f"{kind} takes {count} operand{'s' if count > 1 else ''}, not {len(types)}")
    return types
