"""Which function imports which ONNX operator, by the first opset version it is written for.

An importer turns one ONNX node into graph nodes of the normal form and returns the values of the node's outputs:

    @importer("Relu", since=1)
    def relu(ctx: NodeContext) -> Value:
        return ctx.add("Relu", [ctx.input(0)])

An operator whose meaning or form changed has an importer per change; the largest `since` not above the model's opset
is taken. This module knows no operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Value

Importer = Callable[[NodeContext], Value | Sequence[Value | None]]
_Function = TypeVar("_Function", bound=Importer)

_IMPORTERS: dict[tuple[str, str], dict[int, Importer]] = {}


def importer(operator: str, *, since: int, domain: str = "") -> Callable[[_Function], _Function]:
    """Decorator: the function imports `operator` from opset version `since` on. It may be stacked."""

    def enter(function: _Function) -> _Function:
        versions = _IMPORTERS.setdefault((domain, operator), {})
        assert since not in versions, f"{operator} since {since} has two importers"
        versions[since] = function
        return function

    return enter


def find(operator: str, opset: int, domain: str = "") -> Importer | None:
    """The importer of `operator` for a model of opset version `opset`; None when there is none."""
    versions = _IMPORTERS.get((domain, operator), {})
    fitting = [since for since in versions if since <= opset]
    return versions[max(fitting)] if fitting else None


def operators(domain: str = "") -> list[str]:
    """The operators that have an importer, sorted."""
    return sorted(operator for of_domain, operator in _IMPORTERS if of_domain == domain)
