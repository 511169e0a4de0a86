"""Random rules of untyped Programs, well formed but meaningless."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from inbundle.nets.canonical import canonical_rule
from inbundle.nets.program import (
    CONS,
    FLOAT_NUMBER,
    FUNCTION,
    INT_NUMBER,
    NIL,
    TUPLE,
    WILDCARD,
    AgentTerm,
    Argument,
    Binary,
    Body,
    Branch,
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

_OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or")
_AGENTS = ("A", "Be'", "f", "g.h", "int1", "Z_9")
_ARITY = {CONS: 2, NIL: 0}


@dataclass
class RuleMaker:
    """Makes rules of a dialect."""

    random: random.Random
    dialect: str = "int"
    names: list[str] = field(default_factory=list)

    def rule(self) -> Rule:
        self.names = [f"{letter}{mark}" for letter in "abcdefghijkmn" for mark in ("", "1", "'", ".x", "_int")]
        self.random.shuffle(self.names)
        left = self._agent_head()
        right = self._agent_head() if self.random.random() < 0.6 else self._other_head()
        heads = [left, right] if self.random.random() < 0.7 else [right, left]
        kinds = {name: kind for head in heads for name, kind in zip(head.ports, head.kinds, strict=True)}
        guards = [self.expression(_attributes(kinds), 3) for _ in range(self.random.randrange(3))]
        branches = [self._branch(kinds, guard, bool(guards)) for guard in (*guards, None)]
        return canonical_rule(Rule(*heads, tuple(branches)), self.dialect)

    # --- heads ---------------------------------------------------------------------------------------------------

    def _kind(self) -> PortKind:
        kinds = [PortKind.WIRE, PortKind.WIRE, PortKind.FLOAT]
        return self.random.choice(kinds if self.dialect == "float" else [*kinds, PortKind.INT])

    def _agent_head(self) -> Head:
        agent = self.random.choice([*_AGENTS, CONS, NIL, TUPLE])
        count = _ARITY.get(agent, self.random.choice([0, 2, 3, 7] if agent == TUPLE else [0, 1, 2, 3, 9]))
        return Head(agent, tuple(self.names.pop() for _ in range(count)), tuple(self._kind() for _ in range(count)))

    def _other_head(self) -> Head:
        kinds = {INT_NUMBER: PortKind.INT, FLOAT_NUMBER: PortKind.FLOAT, WILDCARD: PortKind.WIRE}
        if self.dialect == "float":
            del kinds[INT_NUMBER]
        agent = self.random.choice(list(kinds))
        return Head(agent, (self.names.pop(),), (kinds[agent],))

    # --- bodies --------------------------------------------------------------------------------------------------

    def _branch(self, kinds: dict[str, PortKind], guard: Expr | None, must_connect: bool) -> Branch:
        scope = _attributes(kinds)
        bindings = []
        for _ in range(self.random.randrange(3)):
            value = self.expression(scope, 2)
            name = self.names.pop()
            bindings.append((name, value))
            scope.append(name)
        private = [self.names.pop() for _ in range(self.random.randrange(3))]
        ends: list[Argument] = [Wire(name) for name, kind in kinds.items() if kind is PortKind.WIRE]
        ends += [Wire(name) for name in private * 2]
        self.random.shuffle(ends)
        connections = []
        while ends or (must_connect and not connections):
            connections.append((self._term(ends, scope, 3), self._term(ends, scope, 3)))
        return Branch(guard, Body(tuple(connections), tuple(bindings) if connections else ()))

    def _term(self, ends: list[Argument], scope: list[str], depth: int) -> Argument:
        chance = self.random.random()
        if ends and (depth == 0 or chance < 0.3):
            return ends.pop()
        if chance < 0.5:
            return self.expression(scope, 2)
        if chance < 0.55:
            return AgentTerm(FUNCTION + self.random.choice(_AGENTS))
        agent = self.random.choice([*_AGENTS, CONS, CONS, NIL, TUPLE])
        count = _ARITY.get(agent, 0 if depth == 0 else self.random.choice([0, 2, 3]))
        arguments = tuple(self._term(ends, scope, max(0, depth - 1)) for _ in range(count))
        return AgentTerm(agent, arguments, self.random.choice(["", "", "", "L", "R"]))

    def expression(self, scope: list[str], depth: int) -> Expr:
        if depth == 0 or self.random.random() < 0.3:
            if scope and self.random.random() < 0.7:
                return Variable(self.random.choice(scope))
            return self._literal()
        if self.random.random() < 0.3:
            operator = self.random.choice(["-", "not", "rand"])
            return Unary(operator, self.expression(scope, depth - 1))
        return Binary(self.random.choice(_OPERATORS), *(self.expression(scope, depth - 1) for _ in range(2)))

    def _literal(self) -> Expr:
        if self.random.random() < 0.5:
            return FloatLiteral(self.random.choice([0.0, -0.0, 0.5, -1.25, 16777216.0, float("inf")]))
        return IntLiteral(self.random.choice([0, 1, -1, 7, 2**40, -(2**62), 2**62 - 1]))


def _attributes(kinds: dict[str, PortKind]) -> list[str]:
    return [name for name, kind in kinds.items() if kind is not PortKind.WIRE]
