"""The element-wise instruction kinds, from the instruction table, for all tests that go through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbundle.ir.instructions import INSTRUCTIONS

UNARY = tuple(kind for kind, spec in INSTRUCTIONS.items() if spec.family == "activation")
BINARY = tuple(kind for kind, spec in INSTRUCTIONS.items() if spec.family == "elementwise" and len(spec.operands) == 3)

ATTRIBUTES: dict[str, Sequence[dict[str, Any]]] = {
    "leakyrelu": ({"Alpha": 0.01}, {"Alpha": -0.3}),
    "elu": ({"Alpha": 1.0}, {"Alpha": 0.7}),
    "hardsigmoid": ({"Alpha": 0.2, "Beta": 0.5}, {"Alpha": 0.9, "Beta": 0.1}),
    "gelu": ({"Approximate": "none"}, {"Approximate": "tanh"}),
    "clip": ({"Min": -0.5, "Max": 0.75}, {"Min": 2.0, "Max": -1.0}),
}
"""The attributes to test a kind with, where it has any."""

POSITIVE_ONLY = ("log", "sqrt", "pow")
"""Kinds whose first operand is to be positive."""


def cases(kinds: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Every kind with each of its attributes."""
    return [(kind, attributes) for kind in kinds for attributes in ATTRIBUTES.get(kind, ({},))]


for _kind in UNARY + BINARY:
    _names = [set(attributes) for attributes in ATTRIBUTES.get(_kind, ({},))]
    assert all(names == set(INSTRUCTIONS[_kind].attributes) for names in _names), (
        f"{_kind} has the attributes {INSTRUCTIONS[_kind].attributes}: edit ATTRIBUTES in tests/elementwise_kinds.py"
    )
