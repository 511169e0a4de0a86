"""A rule as Inpla text, for the script and for the comment above the rule's C function."""

from __future__ import annotations

from collections.abc import Mapping

from inbundle.nets.literals import float_text
from inbundle.nets.program import (
    CONS,
    FLOAT_NUMBER,
    FUNCTION,
    INT_NUMBER,
    NIL,
    TUPLE,
    WILDCARD,
    Agent,
    AgentTerm,
    Argument,
    Binary,
    Body,
    Call,
    Expr,
    FloatLiteral,
    Head,
    IntLiteral,
    PortKind,
    Rule,
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
    """The rule with its full stop: `A(r, int i) >< B | i > 0 => r ~ C | _ => r ~ D;`, guards on lines of their own.

    Args:
        agents: the signatures; those of an untyped rule are not looked at.
    """
    pair = f"{head_text(rule.left, agents)} >< {head_text(rule.right, agents)}"
    if len(rule.branches) == 1:
        return f"{pair} =>{_body(rule.branches[0].body)};"
    return pair + "".join(f"\n| {_guard(branch.guard)} =>{_body(branch.body)}" for branch in rule.branches) + ";"


def head_text(head: Head, agents: Mapping[str, Agent]) -> str:
    kinds = head.kinds or (agents[head.agent].ports if head.ports else ())
    ports = [_MODIFIER[kind] + name for kind, name in zip(kinds, head.ports, strict=True)]
    if head.agent in (INT_NUMBER, FLOAT_NUMBER):
        return f"({ports[0]})"
    if head.agent == WILDCARD:
        return ports[0]
    if head.agent == CONS:
        return " : ".join(f"({port})" if " " in port else port for port in ports)
    return _agent_text(head.agent, ports)


def opening(agent: str, arity: int) -> str:
    """The text of an agent up to its first port. A name in small letters keeps its parentheses."""
    if agent == TUPLE:
        return "(" if arity else TUPLE
    if arity:
        return f"{agent}("
    return agent if agent[0].isupper() or agent == NIL or agent.startswith(FUNCTION) else f"{agent}()"


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


def _term(term: Argument) -> str:
    if isinstance(term, Wire):
        return term.name
    if not isinstance(term, AgentTerm):
        return expression_text(term)
    text = _list_text(term) if term.agent == CONS else _agent_text(term.agent, [_term(a) for a in term.arguments])
    if not term.reuse:
        return text
    return f"(*{term.reuse})({text})" if _has_colons(term) else f"(*{term.reuse}){text}"


def _list_text(term: AgentTerm) -> str:
    elements, rest = _elements(term)
    if _has_colons(term):
        return "".join(f"{_in_front_of_colon(element)} : " for element in elements) + _term(rest)
    return f"[{', '.join(map(_term, elements))}]"


def _elements(term: AgentTerm) -> tuple[list[Argument], Argument]:
    """The elements of a list, and what is behind them."""
    elements: list[Argument] = []
    rest: Argument = term
    while isinstance(rest, AgentTerm) and rest.agent == CONS and (rest is term or not rest.reuse):
        elements.append(rest.arguments[0])
        rest = rest.arguments[1]
    return elements, rest


def _has_colons(term: Argument) -> bool:
    """Whether a term is a list that is written `a : b`, because it does not end with a plain `[]`."""
    return isinstance(term, AgentTerm) and term.agent == CONS and _elements(term)[1] != AgentTerm(NIL)


def _in_front_of_colon(term: Argument) -> str:
    is_marked = isinstance(term, AgentTerm) and bool(term.reuse)
    return f"({_term(term)})" if is_marked or _has_colons(term) else _term(term)


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
    if expression.operator == "rand":
        return f"rand({_operand(expression.operand, _FACTOR)})", _NEGATIVE
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
    """The operand of an operator, in parentheses if it binds less tightly than `level` or must not start with `-` or
    `rand`."""
    text, own = _expression(expression)
    return text if own >= level and (negative or not text.startswith(("-", "rand("))) else f"({text})"
