"""The one form of a Program that the script stands for: the translations and the parser end here.

Agents and native functions are numbered by first occurrence in the script, and those that do not occur are left out;
wires likewise. Expressions have no `-` before a literal, and no int literal in the float dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from inbundle.nets.program import (
    BUILTIN_AGENTS,
    Agent,
    AgentTerm,
    Argument,
    Binary,
    Body,
    Branch,
    Call,
    Expr,
    FloatLiteral,
    IntLiteral,
    Program,
    Rule,
    Unary,
    Wire,
)
from inbundle.nets.resolve import dialect_of, negated
from inbundle.nets.scan import Role, scan_all
from inbundle.nets.types import attributes, calls


def canonical(program: Program) -> Program:
    """An equivalent Program that printing and parsing leave as it is."""
    scan = scan_all(program)
    at = {role: np.flatnonzero(scan.role == role) for role in (Role.WIRE, Role.AGENT, Role.CALL)}
    code = program.net.code
    known = {agent.name: agent for agent in program.agents}
    agent_names = [agent.name for agent in program.agents]
    native_names = [native.name for native in program.natives]
    agents = _order(_agents_of_rules(program.rules), agent_names, code[at[Role.AGENT]] >> 1)
    natives = _order(_natives_of_rules(program.rules, known), native_names, code[at[Role.CALL]] - 1)
    code = code.copy()
    code[at[Role.AGENT]] = 2 * _numbers(agent_names, agents)[code[at[Role.AGENT]] >> 1] + 1
    code[at[Role.CALL]] = 1 + _numbers(native_names, natives)[code[at[Role.CALL]] - 1]
    wires = _wire_numbers(code[at[Role.WIRE]] >> 1)
    code[at[Role.WIRE]] = 2 * wires[code[at[Role.WIRE]] >> 1]
    names = sorted((int(wires[wire]), name) for wire, name in program.net.names.items())
    declared = {native.name: native for native in program.natives}
    kept = [known[name] for name in agents]
    dialect = dialect_of(kept)
    return replace(
        program,
        agents=kept,
        rules=[canonical_rule(rule, dialect) for rule in program.rules],
        natives=[declared[name] for name in natives],
        net=replace(program.net, code=code, names=dict(names)),
        dialect=dialect,
    )


def _order(of_rules: Iterable[str], names: Sequence[str], in_net: np.ndarray) -> list[str]:
    """Names by first occurrence: in the rules, then in the net, where they are indices into `names`."""
    used, first = np.unique(in_net, return_index=True)
    return list(dict.fromkeys([*of_rules, *(names[index] for index in used[np.argsort(first)])]))


def _numbers(old: Sequence[str], new: Sequence[str]) -> np.ndarray:
    """Old index -> new index; -1 for what is left out."""
    position = {name: index for index, name in enumerate(new)}
    return np.array([position.get(name, -1) for name in old], np.int64)


def _wire_numbers(wires: np.ndarray) -> np.ndarray:
    """Old number -> number by first occurrence."""
    first = np.full(int(wires.max(initial=-1)) + 1, -1, np.int64)
    first[wires[::-1]] = np.arange(len(wires))[::-1]
    is_first = first[wires] == np.arange(len(wires))
    first[wires[is_first]] = np.arange(np.count_nonzero(is_first))
    return first


def _agents_of_rules(rules: Sequence[Rule]) -> Iterator[str]:
    yield from (agent.name for agent in BUILTIN_AGENTS)
    for rule in rules:
        yield rule.left.agent
        yield rule.right.agent
        for branch in rule.branches:
            for connection in branch.body.connections:
                yield from (name for term in connection for name in _agents_of(term))


def _agents_of(term: Argument) -> Iterator[str]:
    if isinstance(term, AgentTerm):
        yield term.agent
        yield from (name for argument in term.arguments for name in _agents_of(argument))


def _natives_of_rules(rules: Sequence[Rule], agents: dict[str, Agent]) -> Iterator[str]:
    for rule in rules:
        for branch in rule.branches:
            guard = () if branch.guard is None else (branch.guard,)
            ports = (expression for _, expression in attributes(branch.body, agents))
            bound = (value for _, value in branch.body.bindings)
            yield from (call.native for part in (guard, ports, bound) for expr in part for call in calls(expr))


def canonical_rule(rule: Rule, dialect: str) -> Rule:
    """The rule with its literals as the parser reads them."""
    return replace(rule, branches=tuple(_branch(branch, dialect) for branch in rule.branches))


def _branch(branch: Branch, dialect: str) -> Branch:
    connections = tuple((_term(a, dialect), _term(b, dialect)) for a, b in branch.body.connections)
    bindings = tuple((name, _expression(value, dialect)) for name, value in branch.body.bindings)
    guard = None if branch.guard is None else _expression(branch.guard, dialect)
    return Branch(guard, Body(connections, bindings))


def _term(term: Argument, dialect: str) -> Argument:
    if isinstance(term, Wire):
        return term
    if isinstance(term, AgentTerm):
        return replace(term, arguments=tuple(_term(argument, dialect) for argument in term.arguments))
    return _expression(term, dialect)


def _expression(expression: Expr, dialect: str) -> Expr:
    if isinstance(expression, IntLiteral) and dialect == "float":
        return FloatLiteral(float(expression.value))
    if isinstance(expression, Unary):
        operand = _expression(expression.operand, dialect)
        return negated(operand) if expression.operator == "-" else Unary(expression.operator, operand)
    if isinstance(expression, Binary):
        left, right = (_expression(operand, dialect) for operand in (expression.left, expression.right))
        return Binary(expression.operator, left, right)
    if isinstance(expression, Call):
        return Call(expression.native, tuple(_expression(argument, dialect) for argument in expression.arguments))
    return expression
