"""Random Programs and expressions, well formed but meaningless, for round trips."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np

from inbundle.nets.canonical import canonical
from inbundle.nets.program import (
    BUILTIN_AGENTS,
    Agent,
    AgentTerm,
    Binary,
    Body,
    Branch,
    Call,
    Expr,
    FloatLiteral,
    Head,
    IntLiteral,
    NativeFunction,
    Net,
    PortKind,
    Program,
    Rule,
    Term,
    Unary,
    Variable,
    Wire,
)

WIRE, INT, FLOAT = PortKind.WIRE, PortKind.INT, PortKind.FLOAT
_OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or")


def random_program(seed: int, dialect: str, *, bound: bool = False) -> Program:
    """`bound`: the inputs have values."""
    return _Generator(random.Random(seed), dialect).program(bound)


class _Generator:
    def __init__(self, rng: random.Random, dialect: str) -> None:
        self.random = rng
        self.dialect = dialect
        kinds = [WIRE, FLOAT] if dialect == "float" else [WIRE, WIRE, INT, FLOAT]
        self.agents = [
            *BUILTIN_AGENTS,
            Agent("Concrete", (FLOAT,)),
            Agent("Both", (FLOAT, FLOAT) if dialect == "float" else (INT, FLOAT)),
        ]
        for index in range(rng.randrange(2, 8)):
            ports = tuple(rng.choice(kinds) for _ in range(rng.randrange(5)))
            small = ports and rng.random() < 0.2
            self.agents.append(Agent(f"{'t' if small else 'T'}ask{index}{rng.choice(['', '_', chr(39), '.x'])}", ports))
        self.natives = [
            NativeFunction("weight", (INT,), FLOAT),
            NativeFunction("run", (INT, FLOAT), INT),
            NativeFunction("now", (), INT),
        ]
        if dialect == "float":
            self.natives = []

    def program(self, bound: bool) -> Program:
        rules = self._rules()
        net, inputs, outputs = self._net()
        values = np.array([self._float() for _ in inputs], np.float32) if bound and inputs else None
        program = Program("random", self.agents, rules, self.natives, net, inputs, outputs, values, self.dialect)
        program = canonical(program)
        number = {name: wire for wire, name in program.net.names.items()}
        program.inputs = tuple(sorted(inputs, key=number.__getitem__))
        return program

    # --- rules ---------------------------------------------------------------------------------------------------

    def _rules(self) -> list[Rule]:
        """The head of every agent is there, so that a reader knows all signatures."""
        heads = self.agents[len(BUILTIN_AGENTS) :]
        return [self._rule(left, right) for left, right in pairwise(heads)]

    def _rule(self, left: Agent, right: Agent) -> Rule:
        names = [f"{kind.value}{index}" for index, kind in enumerate(left.ports + right.ports)]
        kinds = dict(zip(names, left.ports + right.ports, strict=True))
        heads = Head(left.name, tuple(names[: len(left.ports)])), Head(right.name, tuple(names[len(left.ports) :]))
        branches = [self._branch(kinds, self.expression(kinds, 3)) for _ in range(self.random.randrange(3))]
        return Rule(*heads, (*branches, self._branch(kinds, None)))

    def _branch(self, kinds: dict[str, PortKind], guard: Expr | None) -> Branch:
        """Binds some variables, then uses every wire of the heads once, and some private wires twice."""
        scope = {name: kind for name, kind in kinds.items() if kind is not WIRE}
        bindings = []
        for name in ("x", "y"):
            if self.random.random() < 0.4:
                bindings.append((name, self._of_kind(FLOAT, scope)))
                scope[name] = FLOAT
        private = [f"p{index}" for index in range(self.random.randrange(3))]
        ends = [Wire(name) for name in [*(n for n, k in kinds.items() if k is WIRE), *private, *private]]
        self.random.shuffle(ends)
        connections = [(self._term(ends, scope, 2), self._term(ends, scope, 2))]
        while ends:
            connections.append((ends.pop(), self._term(ends, scope, 2)))
        return Branch(guard, Body(tuple(connections), tuple(bindings)))

    def _term(self, ends: list[Wire], scope: dict[str, PortKind], depth: int) -> Term:
        if ends and (depth == 0 or self.random.random() < 0.4):
            return ends.pop()
        choices = [agent for agent in self.agents if depth or WIRE not in agent.ports]
        agent = self.random.choice(choices)
        arguments = [self._term(ends, scope, depth - 1) if k is WIRE else self._of_kind(k, scope) for k in agent.ports]
        return AgentTerm(agent.name, tuple(arguments))

    def _of_kind(self, kind: PortKind, scope: dict[str, PortKind]) -> Expr:
        if kind is INT:
            ints = {name: k for name, k in scope.items() if k is INT}
            return self.random.choice(
                [Call("run", (IntLiteral(3), FloatLiteral(0.5))), self.expression(ints, 2, ints=True)]
            )
        expression = self.expression(scope, 2)
        return Binary("*", expression, FloatLiteral(0.5))

    def expression(self, scope: dict[str, PortKind], depth: int, *, ints: bool = False) -> Expr:
        names = [name for name, kind in scope.items() if kind is not WIRE]
        if depth == 0 or self.random.random() < 0.3:
            if names and self.random.random() < 0.7:
                return Variable(self.random.choice(names))
            if ints:
                return IntLiteral(self.random.randrange(-5, 5))
            return FloatLiteral(self._float())
        if self.random.random() < 0.2:
            operator = self.random.choice(["-", "not"])
            operand = Variable(names[0]) if names else Binary("+", IntLiteral(1), IntLiteral(2))
            return Unary(operator, operand)
        operator = self.random.choice(_OPERATORS)
        return Binary(operator, *(self.expression(scope, depth - 1, ints=ints) for _ in range(2)))

    def _float(self) -> float:
        choices = [0.0, -0.0, 1.0, 0.1, -1e-7, 3.4e38, 1e-45, 16777216.0, float("inf"), self.random.gauss(0, 1)]
        return float(np.float32(self.random.choice(choices)))

    # --- the net -------------------------------------------------------------------------------------------------

    def _net(self) -> tuple[Net, tuple[str, ...], tuple[str, ...]]:
        """Random statements; wires that are still open at the end become the interface."""
        code: list[int] = []
        starts = [0]
        open_wires: list[int] = []
        self.wires = 0
        for _ in range(self.random.randrange(1, 12)):
            for _ in range(self.random.randrange(1, 4)):
                self._words(code, open_wires, self.random.randrange(5))
                self._words(code, open_wires, self.random.randrange(5))
            starts.append(len(code))
        names = {wire: self.random.choice(["x_{}", "w{}", "ww{}", "y.{}'"]).format(wire) for wire in open_wires}
        outputs = [names[wire] for wire in open_wires if self.random.random() < 0.5]
        inputs = [name for wire, name in sorted(names.items()) if name not in outputs]
        self.random.shuffle(outputs)
        net = Net(np.array(code, np.int64), np.array(starts, np.int64), names)
        return net, tuple(inputs), tuple(outputs)

    def _words(self, code: list[int], open_wires: list[int], depth: int) -> None:
        if depth == 0:
            if open_wires and self.random.random() < 0.6:
                code.append(2 * open_wires.pop(self.random.randrange(len(open_wires))))
            else:
                code.append(2 * self.wires)
                open_wires.append(self.wires)
                self.wires += 1
            return
        number = self.random.randrange(len(self.agents))
        code.append(2 * number + 1)
        for kind in self.agents[number].ports:
            if kind is WIRE:
                self._words(code, open_wires, self.random.randrange(depth))
            else:
                code.extend(self._attribute(kind))

    def _attribute(self, kind: PortKind) -> list[int]:
        calls = [index for index, native in enumerate(self.natives) if native.result is kind]
        if calls and self.random.random() < 0.4:
            call = self.random.choice(calls)
            return [1 + call, *(self._literal(parameter) for parameter in self.natives[call].parameters)]
        return [0, self._literal(kind)]

    def _literal(self, kind: PortKind) -> int:
        if kind is INT:
            return self.random.choice([0, 7, -1, 300, -(2**63), 2**63 - 1])
        return int(np.float32(self._float()).view(np.uint32))
