"""A rule as Inpla text, for the script and for the comment above the rule's C function."""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.nets.literals import float_text
from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Binary,
    Body,
    Call,
    Expr,
    FloatLiteral,
    Head,
    IntLiteral,
    PortKind,
    Rule,
    Term,
    Unary,
    Variable,
    Wire,
)

LEVEL = {
    **dict.fromkeys(("==", "!="), 1),
    **dict.fromkeys(("and", "or"), 2),
    **dict.fromkeys(("<", "<=", ">", ">="), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%"), 5),
}
"""How tightly a binary operator binds; all group to the left."""

_NOT, _NEGATIVE, _FACTOR = 2, 5, 6
_MODIFIER = {PortKind.WIRE: "", PortKind.INT: "int ", PortKind.FLOAT: "float "}


def rule_text(rule: Rule, agents: Mapping[str, Agent]) -> str:
    """The rule with its full stop: `A(r, int i) >< B | i > 0 => r ~ C | _ => r ~ D;`, guards on lines of their own."""
    pair = f"{head_text(rule.left, agents)} >< {head_text(rule.right, agents)}"
    if len(rule.branches) == 1:
        return f"{pair} =>{_body(rule.branches[0].body)};"
    return pair + "".join(f"\n| {_guard(branch.guard)} =>{_body(branch.body)}" for branch in rule.branches) + ";"


def head_text(head: Head, agents: Mapping[str, Agent]) -> str:
    kinds = agents[head.agent].ports
    ports = [_MODIFIER[kind] + name for kind, name in zip(kinds, head.ports, strict=True)]
    return _agent_text(head.agent, ports)


def opening(agent: str, arity: int) -> str:
    """The text of an agent up to its first port. A name in small letters keeps its parentheses."""
    if arity:
        return f"{agent}("
    return agent if agent[0].isupper() else f"{agent}()"


def expression_text(expression: Expr) -> str:
    return _expression(expression)[0]


def _agent_text(name: str, arguments: list[str]) -> str:
    return opening(name, len(arguments)) + (", ".join(arguments) + ")" if arguments else "")


def _guard(guard: Expr | None) -> str:
    return "_" if guard is None else expression_text(guard)


def _body(body: Body) -> str:
    text = ", ".join(f"{_term(a)} ~ {_term(b)}" for a, b in body.connections)
    bindings = " ".join(f"{name} = {expression_text(value)}" for name, value in body.bindings)
    return "".join(f" {part}" for part in (text, bindings and f"where {bindings}") if part)


def _term(term: Term | Expr) -> str:
    if isinstance(term, Wire):
        return term.name
    if isinstance(term, AgentTerm):
        return _agent_text(term.agent, [_term(argument) for argument in term.arguments])
    return expression_text(term)


def _expression(expression: Expr) -> tuple[str, int]:
    """Text and how tightly its loosest operator binds."""
    if isinstance(expression, IntLiteral):
        return str(expression.value), _NEGATIVE if expression.value < 0 else _FACTOR
    if isinstance(expression, FloatLiteral):
        text = float_text(expression.value)
        return text, _NEGATIVE if text.startswith("-") else _FACTOR
    if isinstance(expression, Variable):
        return expression.name, _FACTOR
    if isinstance(expression, Call):
        return f"{expression.native}({', '.join(map(expression_text, expression.arguments))})", _FACTOR
    if isinstance(expression, Unary):
        return _unary(expression)
    return _binary(expression)


def _unary(expression: Unary) -> tuple[str, int]:
    if expression.operator == "-":
        return f"-{_operand(expression.operand, _FACTOR)}", _NEGATIVE
    # A leading `not` belongs to one comparison and may not follow another operator.
    return f"(not {_operand(expression.operand, LEVEL['<'])})", _FACTOR


def _binary(expression: Binary) -> tuple[str, int]:
    level = LEVEL[expression.operator]
    # `a and b == c` means (a and b) == c, which nobody reads that way: parentheses also where none are needed.
    tight = LEVEL["<"] if level == LEVEL["=="] else level
    left = _operand(expression.left, level if _is_equality(expression.left) else tight)
    right = _operand(expression.right, max(level + 1, tight), negative=False)
    return f"{left} {expression.operator} {right}", level


def _is_equality(expression: Expr) -> bool:
    return isinstance(expression, Binary) and LEVEL[expression.operator] == LEVEL["=="]


def _operand(expression: Expr, level: int, *, negative: bool = True) -> str:
    """The operand of an operator, in parentheses if it binds less tightly than `level` or must not start with `-`."""
    text, own = _expression(expression)
    return text if own >= level and (negative or not text.startswith("-")) else f"({text})"
