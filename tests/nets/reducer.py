"""A reducer for Programs, for tests: small, slow, in random order, and strict about everything it meets.

It follows the language, not the engine: terms are Python objects, expressions are evaluated tree by tree, every
statement is reduced until no active pair is left. Floats are float32 after every operation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from inbundle.nets.program import (
    BUILTIN_AGENTS,
    AgentTerm,
    Binary,
    Body,
    Call,
    Expr,
    FloatLiteral,
    IntLiteral,
    PortKind,
    Program,
    Rule,
    Term,
    Unary,
    Variable,
    Wire,
)

Natives = Mapping[str, Callable[..., float]]
Number = int | np.float32


@dataclass(eq=False)
class Link:
    """A wire; `end` is what its first end is connected to, once known."""

    end: Cell | Link | None = None


@dataclass(eq=False)
class Cell:
    agent: str
    ports: list[Cell | Link | Number] = field(default_factory=list)


Node = Cell | Link


class NoRule(Exception):
    """A pair of agents without a rule."""


class Reducer:
    """Runs a program statement by statement.

    Attributes:
        interactions: reductions so far.
        interface: name -> what is connected to it, for the names of the program.
        settled: per statement, the cells alive after it: agents, and wires between statements or to the host.
    """

    def __init__(self, program: Program, natives: Natives, *, seed: int = 0) -> None:
        self.program = program
        self.natives = natives
        self.interactions = 0
        self.interface: dict[str, Link] = {name: Link() for name in program.net.names.values()}
        self.settled: list[int] = []
        self._random = random.Random(seed)
        self._pairs: list[tuple[Cell, Cell]] = []
        self._signatures = {agent.name: agent.ports for agent in program.agents}
        self._rules = {}
        for rule in program.rules:
            self._rules[rule.left.agent, rule.right.agent] = rule
        self._open: dict[int, Link] = {}
        self._agents = 0
        self._interface_wires: set[str] = set()

    def put(self, name: str, value: float) -> None:
        """What the host does with an input."""
        self._interface_wires.add(name)
        self._connect(self.interface[name], self._cell("Concrete", [np.float32(value)]))

    def run(self) -> None:
        code, starts = self.program.net.code, self.program.net.starts
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            words = iter(code[start:end].tolist())
            for word in words:
                left = self._read(word, words)
                self._connect(left, self._read(next(words), words))
            self.reduce()
            self.settled.append(self._agents + len(self._open) + len(self._interface_wires))

    def result(self, name: str) -> Cell:
        end = _follow(self.interface[name])
        assert isinstance(end, Cell), f"nothing has arrived at {name}"
        return end

    def value(self, name: str) -> Number:
        """The attribute of the agent at a name."""
        (number,) = self.result(name).ports
        assert not isinstance(number, Cell | Link)
        return number

    def reduce(self) -> None:
        while self._pairs:
            index = self._random.randrange(len(self._pairs))
            self._pairs[index], self._pairs[-1] = self._pairs[-1], self._pairs[index]
            self.interactions += 1
            self._interact(*self._pairs.pop())

    # --- reading the net -----------------------------------------------------------------------------------------

    def _read(self, word: int, words: Iterator[int]) -> Node:
        if word % 2 == 0:
            return self._wire(word // 2)
        agent = self.program.agents[word // 2]
        cell = self._cell(agent.name, [])
        for kind in agent.ports:
            first = next(words)
            cell.ports.append(self._read(first, words) if kind is PortKind.WIRE else self._number(kind, first, words))
        return cell

    def _wire(self, number: int) -> Link:
        if number in self.program.net.names:
            name = self.program.net.names[number]
            self._interface_wires ^= {name}  # an input is used up, an output comes into being
            return self.interface[name]
        if number in self._open:
            return self._open.pop(number)
        return self._open.setdefault(number, Link())

    def _number(self, kind: PortKind, first: int, words: Iterator[int]) -> Number:
        if first == 0:
            return _literal(kind, next(words))
        native = self.program.natives[first - 1]
        assert native.result is kind
        return self._call(native.name, [_literal(parameter, next(words)) for parameter in native.parameters])

    def _cell(self, agent: str, ports: list[Cell | Link | Number]) -> Cell:
        self._agents += 1
        return Cell(agent, ports)

    # --- reduction -----------------------------------------------------------------------------------------------

    def _connect(self, left: Node, right: Node) -> None:
        left, right = _follow(left), _follow(right)
        if isinstance(left, Link):
            left.end = right
        elif isinstance(right, Link):
            right.end = left
        else:
            self._pairs.append((left, right))

    def _interact(self, left: Cell, right: Cell) -> None:
        self._agents -= 2
        for a, b in ((left, right), (right, left)):
            if (a.agent, b.agent) in self._rules:
                self._apply(self._rules[a.agent, b.agent], a, b)
                return
        for a, b in ((left, right), (right, left)):
            if a.agent in (builtin.name for builtin in BUILTIN_AGENTS):
                self._builtin(a, b)
                return
        raise NoRule(f"{left.agent} >< {right.agent}")

    def _builtin(self, builtin: Cell, other: Cell) -> None:
        assert other.agent != builtin.agent
        wires = [port for port in other.ports if isinstance(port, Cell | Link)]
        if builtin.agent == "Eraser":
            self.interactions += len(other.ports) - len(wires)
            for port in wires:
                self._connect(self._cell("Eraser", []), port)
            return
        assert not wires, "these programs copy values only"
        self.interactions += len(other.ports) == 2
        for port in builtin.ports:
            assert isinstance(port, Cell | Link)
            self._connect(port, self._cell(other.agent, list(other.ports)))

    def _apply(self, rule: Rule, left: Cell, right: Cell) -> None:
        names: dict[str, Node | Number] = dict(zip(rule.left.ports, left.ports, strict=True))
        names |= dict(zip(rule.right.ports, right.ports, strict=True))
        body = next(branch.body for branch in rule.branches if branch.guard is None or self._value(branch.guard, names))
        _check_linear(body, names)
        for name, expression in body.bindings:
            names[name] = self._value(expression, names)
        for one, other in body.connections:
            self._connect(self._build(one, names), self._build(other, names))

    def _build(self, term: Term, names: dict[str, Node | Number]) -> Node:
        if isinstance(term, Wire):
            node = names.setdefault(term.name, Link())
            assert isinstance(node, Cell | Link)
            return node
        ports: list[Cell | Link | Number] = []
        for kind, argument in zip(self._signatures[term.agent], term.arguments, strict=True):
            if kind is PortKind.WIRE:
                assert isinstance(argument, Wire | AgentTerm)
                ports.append(self._build(argument, names))
            else:
                assert not isinstance(argument, Wire | AgentTerm)
                ports.append(_as(kind, self._value(argument, names)))
        return self._cell(term.agent, ports)

    def _value(self, expression: Expr, names: Mapping[str, Node | Number]) -> Number:
        if isinstance(expression, IntLiteral):
            return expression.value
        if isinstance(expression, FloatLiteral):
            return np.float32(expression.value)
        if isinstance(expression, Variable):
            number = names[expression.name]
            assert not isinstance(number, Cell | Link)
            return number
        if isinstance(expression, Call):
            return self._call(expression.native, [self._value(argument, names) for argument in expression.arguments])
        if isinstance(expression, Unary):
            operand = self._value(expression.operand, names)
            return -operand if expression.operator == "-" else int(not operand)
        return _binary(expression, lambda part: self._value(part, names))

    def _call(self, native: str, arguments: list[Number]) -> Number:
        declared = next(function for function in self.program.natives if function.name == native)
        assert len(arguments) == len(declared.parameters)
        given = [_as(kind, argument) for kind, argument in zip(declared.parameters, arguments, strict=True)]
        return _as(declared.result, self.natives[native](*given))


_OPERATIONS: dict[str, Callable[[Number, Number], Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: np.float32(np.divide(a, b)),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}


def _binary(expression: Binary, value: Callable[[Expr], Number]) -> Number:
    if expression.operator in ("and", "or"):
        left = bool(value(expression.left))
        return int(left if left == (expression.operator == "or") else bool(value(expression.right)))
    with np.errstate(all="ignore"):
        return _OPERATIONS[expression.operator](value(expression.left), value(expression.right))


def _literal(kind: PortKind, word: int) -> Number:
    return word if kind is PortKind.INT else np.uint32(word).view(np.float32)


def _as(kind: PortKind, value: float) -> Number:
    return int(value) if kind is PortKind.INT else np.float32(value)


def _follow(node: Node) -> Node:
    while isinstance(node, Link) and node.end is not None:
        node = node.end
    return node


def _check_linear(body: Body, names: Mapping[str, object]) -> None:
    """Each wire of the heads occurs once, each other wire twice."""
    counts: dict[str, int] = {}

    def count(term: Term | Expr) -> None:
        if isinstance(term, Wire):
            counts[term.name] = counts.get(term.name, 0) + 1
        elif isinstance(term, AgentTerm):
            for argument in term.arguments:
                count(argument)

    for left, right in body.connections:
        count(left)
        count(right)
    wires = {name for name, node in names.items() if isinstance(node, Cell | Link)}
    assert all(counts.get(name) == 1 for name in wires)
    assert all(n == 2 for name, n in counts.items() if name not in wires)
