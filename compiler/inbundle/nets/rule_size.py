"""How large a rule is: no function of generated C may take a C compiler long, whose time grows faster than that."""

from __future__ import annotations

from inbundle.nets.program import AgentTerm, Argument, Body, Rule, Wire
from inbundle.nets.types import parts

MOST_NODES = 2_000
"""Terms and operations in one function of C, which then has some 3,000 lines; that takes a compiler about a second."""


def rule_size(rule: Rule) -> int:
    """The ports, and the terms, operands and operations of all branches. Counting ends behind MOST_NODES."""
    count = len(rule.left.ports) + len(rule.right.ports)
    for branch in rule.branches:
        rest = list(_terms(branch.body))
        if branch.guard is not None:
            rest.append(branch.guard)
        while rest and count <= MOST_NODES:
            count += 1
            rest.extend(_operands(rest.pop()))
    return count


def _terms(body: Body) -> list[Argument]:
    return [*(value for _, value in body.bindings), *(side for connection in body.connections for side in connection)]


def _operands(node: Argument) -> tuple[Argument, ...]:
    if isinstance(node, AgentTerm):
        return node.arguments
    return () if isinstance(node, Wire) else parts(node)
