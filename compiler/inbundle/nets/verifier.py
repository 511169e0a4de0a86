"""What every Program must satisfy: the checks behind the parser and the translations.

Messages name the rule, or the statement or name of the net.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from inbundle.errors import CompileError
from inbundle.nets.grammar import AGENT, NAME
from inbundle.nets.program import (
    BUILTIN_AGENTS,
    Agent,
    AgentTerm,
    Branch,
    Expr,
    Head,
    NativeFunction,
    PortKind,
    Program,
    Rule,
    Term,
    Variable,
    Wire,
)
from inbundle.nets.scan import Role, scan_blocks
from inbundle.nets.types import Natives, Scope, attributes, calls, head_scope, parts

_NATIVE = re.compile(r"[a-z][A-Za-z0-9_]*")


def verify(program: Program) -> None:
    """Raises CompileError if the Program is not well formed."""
    try:
        _verify_names(program)
        _verify_rules(program)
        _verify_net(program)
    except CompileError as error:
        raise error.at(program.name) from None


def _require(condition: bool, message: str, *where: str) -> None:
    if not condition:
        raise CompileError(message, where=where)


# --- names -------------------------------------------------------------------------------------------------------


def _verify_names(program: Program) -> None:
    _require(tuple(program.agents[: len(BUILTIN_AGENTS)]) == BUILTIN_AGENTS, "the built-in agents do not come first")
    groups = (
        ("agent", AGENT, [agent.name for agent in program.agents]),
        ("native function", _NATIVE, [native.name for native in program.natives]),
        ("interface name", NAME, list(program.net.names.values())),
    )
    kind_of: dict[str, str] = {}
    for kind, pattern, names in groups:
        for name in names:
            _require(bool(pattern.fullmatch(name)), f"`{name}' is no name for an {kind}")
            _require(name not in kind_of, f"`{name}' is the name of an {kind_of.get(name)} and of an {kind}")
            kind_of[name] = kind
    if program.dialect == "float" and program.natives:
        name = program.natives[0].name
        raise CompileError(
            f"native function `{name}' in the float dialect",
            hint="declare an int port: floats and ints together may call",
        )


# --- rules -------------------------------------------------------------------------------------------------------


def _verify_rules(program: Program) -> None:
    agents = {agent.name: agent for agent in program.agents}
    natives = Natives.declared(program.natives, program.dialect)
    pairs = set()
    for rule in program.rules:
        pair = frozenset((rule.left.agent, rule.right.agent))
        where = f"rule {rule.left.agent} >< {rule.right.agent}"
        _require(pair not in pairs, "there are two rules for this pair", where)
        pairs.add(pair)
        try:
            _verify_rule(rule, agents, natives)
        except CompileError as error:
            raise error.at(where) from None
    _verify_signatures(program, agents)


def _verify_rule(rule: Rule, agents: Mapping[str, Agent], natives: Natives) -> None:
    for head in (rule.left, rule.right):
        _verify_head(head, agents)
    names = Counter(rule.left.ports + rule.right.ports)
    _require(max(names.values(), default=1) == 1, "two ports have one name")
    *guarded, last = rule.branches or (None,)
    _require(last is not None and last.guard is None, "the last branch must have no guard")
    for branch in rule.branches:
        _verify_branch(rule, branch, agents, natives)
    for branch in guarded:
        _require(branch is not None and branch.guard is not None, "a branch without a guard must be the last one")
    if guarded:
        _require(all(branch.body.connections for branch in rule.branches), "a branch with a guard must not be empty")


def _verify_head(head: Head, agents: Mapping[str, Agent]) -> None:
    _require(head.agent in agents, f"agent `{head.agent}' is not declared")
    arity = len(agents[head.agent].ports)
    _require(arity == len(head.ports), f"`{head.agent}' has {arity} ports, not {len(head.ports)}")


def _verify_branch(rule: Rule, branch: Branch, agents: Mapping[str, Agent], natives: Natives) -> None:
    wires: Counter[str] = Counter()
    for left, right in branch.body.connections:
        for term in (left, right):
            wires.update(_wires(term, agents))
    heads = head_scope(rule, agents)
    if branch.guard is not None:
        _verify_expression(branch.guard, heads, natives)
    scope = dict(heads)
    for name, value in branch.body.bindings:
        _verify_expression(value, scope, natives)
        _require(name not in scope and name not in rule.left.ports + rule.right.ports, f"`{name}' is bound twice")
        scope[name] = natives.kind_of(value, scope)
    for kind, expression in attributes(branch.body, agents):
        _verify_expression(expression, scope, natives)
        _require(_fits(natives.kind_of(expression, scope), kind), "a float stands in an int port")
    _verify_linearity(rule, wires, scope)


def _verify_linearity(rule: Rule, wires: Counter[str], scope: Scope) -> None:
    ports = [name for name in rule.left.ports + rule.right.ports if name not in scope]
    for name in ports:
        _require(wires[name] == 1, f"`{name}' is referred not once in the right-hand side of the rule")
    for name, count in wires.items():
        _require(name not in scope, f"the attribute variable `{name}' stands where a wire is expected")
        _require(name in ports or count == 2, f"`{name}' is referred not twice in the right-hand side of the rule")


def _wires(term: Term | Expr, agents: Mapping[str, Agent]) -> Iterator[str]:
    """The wires of a term, which is checked against the signatures."""
    if isinstance(term, Wire):
        yield term.name
        return
    if not isinstance(term, AgentTerm):
        raise CompileError("a number stands where a wire is expected")
    _require(term.agent in agents, f"agent `{term.agent}' is not declared")
    ports = agents[term.agent].ports
    _require(len(ports) == len(term.arguments), f"`{term.agent}' has {len(ports)} ports, not {len(term.arguments)}")
    for kind, argument in zip(ports, term.arguments, strict=True):
        if kind is PortKind.WIRE:
            yield from _wires(argument, agents)
        else:
            _require(not isinstance(argument, (Wire, AgentTerm)), f"a port of `{term.agent}' needs a value, not a wire")


def _verify_expression(expression: Expr, scope: Scope, natives: Natives) -> None:
    if isinstance(expression, Variable):
        _require(expression.name in scope, f"`{expression.name}' is no attribute variable")
    for part in parts(expression):
        _verify_expression(part, scope, natives)
    for call in calls(expression):
        parameters = natives.parameters.get(call.native)
        _require(parameters is not None, f"native function `{call.native}' is not declared")
        assert parameters is not None
        _require(len(parameters) == len(call.arguments), f"`{call.native}' has {len(parameters)} parameters")
        for kind, argument in zip(parameters, call.arguments, strict=True):
            _require(_fits(natives.kind_of(argument, scope), kind), f"`{call.native}' takes an int, not a float")


def _fits(value: PortKind, port: PortKind) -> bool:
    return value is port or port is PortKind.FLOAT


def _verify_signatures(program: Program, agents: Mapping[str, Agent]) -> None:
    """Native functions have the signatures that a reader of the script would infer."""
    seen = Natives(program.dialect)
    seen.observe(program.rules, agents)
    declared = {native.name: native for native in program.natives}
    for name, kinds in seen.parameters.items():
        native = declared[name]
        inferred = NativeFunction(name, tuple(kinds), seen.results.get(name, native.result))
        _require(native == inferred, f"native function `{name}' is declared otherwise than the rules use it")


# --- the net -----------------------------------------------------------------------------------------------------


def _verify_net(program: Program) -> None:
    wires = np.concatenate([block.code[block.role == Role.WIRE] >> 1 for block in scan_blocks(program)] or [[]])
    wires = wires.astype(np.int64)
    _require(wires.max(initial=-1) < len(wires), "wires are not numbered as they occur")
    count = np.bincount(wires)
    once = set(np.flatnonzero(count == 1).tolist())
    _require(count.max(initial=2) <= 2, "a wire occurs more than twice in the net")
    _require(once == set(program.net.names), "the interface names are not the wires that occur once")
    _, first = np.unique(wires, return_index=True)
    _require(bool((np.diff(first) > 0).all()) and len(first) == len(count), "wires are not numbered as they occur")
    number = {name: wire for wire, name in program.net.names.items()}
    interface = program.inputs + program.outputs
    _require(sorted(interface) == sorted(number), "inputs and outputs are not the interface names")
    order = [number[name] for name in program.inputs]
    _require(order == sorted(order), "the inputs are not in the order in which the net names them")
    values = program.input_values
    _require(values is None or values.size == len(program.inputs), "there are not as many input values as inputs")
