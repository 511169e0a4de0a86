"""Random scripts that terminate: functions over ints and lists of ints, in terms of earlier ones and of themselves on
what their partner consists of."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

NUMBER, LIST = "number", "list"


@dataclass
class Function:
    """Agent `name(results..., parameters...)` with a partner."""

    name: str
    results: list[str]
    parameters: list[str]
    partner: str


@dataclass
class Body:
    """What is known in a branch: `numbers` may be used any number of times, each of `lists` and `wires` once."""

    numbers: list[str]
    lists: list[str]
    wires: list[str] = field(default_factory=list)  # numbers that come over wires
    may_copy: bool = True  # lists that are copied at each step would grow without measure
    connections: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)  # connections that copy numbers


class ScriptMaker:
    def __init__(self, rng: random.Random, prefix: str) -> None:
        self.random = rng
        self.copier = random.Random(prefix)
        self.prefix = prefix
        self.functions: list[Function] = []
        self.names = 0

    def script(self) -> str:
        """Some functions, then some nets that print what they give."""
        rules = [rule for index in range(self.random.randrange(2, 6)) for rule in self._function(index)]
        nets = [self._net(function) for function in self.functions for _ in range(2)]
        return "\n".join([*rules, *nets]) + "\n"

    def _new(self) -> str:
        self.names += 1
        return f"{self.prefix}w{self.names}"

    # --- rules ---------------------------------------------------------------------------------------------------

    def _function(self, index: int) -> list[str]:
        results = [self.random.choice([NUMBER, LIST]) for _ in range(self.random.choice([1, 1, 1, 2]))]
        parameters = [self.random.choice([NUMBER, LIST]) for _ in range(self.random.randrange(3))]
        function = Function(f"{self.prefix}f{index}", results, parameters, self.random.choice([NUMBER, LIST]))
        rules = self._number_rules(function) if function.partner == NUMBER else self._list_rules(function)
        self.functions.append(function)
        return rules

    def _number_rules(self, function: Function) -> list[str]:
        base = self._branch(function, ["n"], [], "")
        more = self._branch(function, ["n"], [], "n - 1")
        return [f"{self._head(function)} >< (int n)\n| n <= 0 => {base}\n| _ => {more};"]

    def _list_rules(self, function: Function) -> list[str]:
        empty = self._branch(function, [], [], "")
        branches = [self._branch(function, ["x"], ["xs"], "xs") for _ in range(2)]
        guard = f"x % {self.random.randrange(2, 4)} == 0"
        return [
            f"{self._head(function)} >< [] => {empty};",
            f"{self._head(function)} >< (int x):xs\n| {guard} => {branches[0]}\n| _ => {branches[1]};",
        ]

    def _head(self, function: Function) -> str:
        ports = [f"r{index}" for index in range(len(function.results))]
        ports += [f"int a{i}" if kind == NUMBER else f"a{i}" for i, kind in enumerate(function.parameters)]
        return f"{function.name}({', '.join(ports)})"

    def _branch(self, function: Function, numbers: list[str], lists: list[str], smaller: str) -> str:
        kinds = list(enumerate(function.parameters))
        numbers = [*numbers, *(f"a{i}" for i, kind in kinds if kind == NUMBER)]
        body = Body(numbers, [*lists, *(f"a{i}" for i, kind in kinds if kind == LIST)])
        if smaller and self.random.random() < 0.9:
            self._call(body, function, smaller)
            body.may_copy = False
        for _ in range(self.random.randrange(3)):
            self._step(body)
        self._end(body, function.results)
        self.random.shuffle(body.connections)
        return ", ".join([*body.connections, *body.copies])

    def _step(self, body: Body) -> None:
        """A call, or a built-in agent at work."""
        choice = self.random.random()
        if choice < 0.4 and self.functions:
            function = self.random.choice(self.functions)
            self._call(body, function, self._list(body) if function.partner == LIST else self._small(body))
        elif choice < 0.6 and body.wires:
            operator = self.random.choice(["Add", "Sub", "Mul"])
            other = body.wires.pop(0) if body.wires[1:] and self.random.random() < 0.5 else self._number(body)
            body.wires.append(self._connect(body, f"{operator}({{}}, {other})", body.wires.pop(0)))
        elif choice < 0.8 and body.lists and body.may_copy:
            first, second = self._new(), self._new()
            body.connections.append(self._sides(f"Dup({first}, {second})", body.lists.pop()))
            body.lists += [first, second]
        else:
            body.lists.append(self._connect(body, f"Append({{}}, {self._list(body)})", self._list(body)))

    def _connect(self, body: Body, agent: str, partner: str) -> str:
        """The wire that the agent gives its result to."""
        wire = self._new()
        body.connections.append(self._sides(agent.format(wire), partner))
        return wire

    def _sides(self, agent: str, partner: str) -> str:
        return f"{agent} ~ {partner}" if self.random.random() < 0.7 else f"{partner} ~ {agent}"

    def _call(self, body: Body, function: Function, partner: str) -> None:
        if partner in body.lists:
            body.lists.remove(partner)
        wires = [self._new() for _ in function.results]
        values = [self._number(body) if kind == NUMBER else self._list(body) for kind in function.parameters]
        body.connections.append(self._sides(f"{function.name}({', '.join([*wires, *values])})", partner))
        for wire, kind in zip(wires, function.results, strict=True):
            (body.wires if kind == NUMBER else body.lists).append(wire)

    def _end(self, body: Body, results: list[str]) -> None:
        for index, kind in enumerate(results):
            if kind == NUMBER:
                value = body.wires.pop() if body.wires and self.random.random() < 0.8 else self._number(body)
            else:
                value = self._list(body)
                if body.numbers and self.random.random() < 0.6:
                    value = f"{self._number(body)}:{value}"
            body.connections.append(self._sides(f"r{index}", value))
        for rest in [*body.lists, *(self._copied(body, wire) for wire in body.wires)]:
            body.connections.append(self._sides("Eraser", rest))

    def _copied(self, body: Body, wire: str) -> str:
        """One of three copies of what a number is held in: what it costs Dup depends on whether the port has the number
        itself, or a wire that leads to it."""
        number = self.copier.choice([*body.numbers, "3"])
        held = self.copier.choice([f"({wire}, {number})", f"({number}, {wire})", f"[{wire}]", f"S(S({wire}))"])
        first, second, third, copy = (self._new() for _ in range(4))
        body.copies += [f"Dup({first}, {second}) ~ {held}", f"Dup({third}, {copy}) ~ {first}"]
        body.copies += [f"Eraser ~ {second}", f"Eraser ~ {third}"]
        self.copier.shuffle(body.copies)
        return copy

    # --- values --------------------------------------------------------------------------------------------------

    def _number(self, body: Body) -> str:
        if not body.numbers or self.random.random() < 0.3:
            return str(self.random.randrange(10))
        operator = self.random.choice(["+", "-", "*"])
        return f"({self.random.choice(body.numbers)} {operator} {self.random.randrange(5)}) % 1000"

    def _small(self, body: Body) -> str:
        return f"({self._number(body)}) % 4"

    def _list(self, body: Body) -> str:
        """A list that is used up, or a new one."""
        if body.lists and self.random.random() < 0.8:
            return body.lists.pop(self.random.randrange(len(body.lists)))
        return f"[{', '.join(str(self.random.randrange(10)) for _ in range(self.random.randrange(4)))}]"

    def _net(self, function: Function) -> str:
        names = [self._new() for _ in function.results]
        body = Body([], [])
        values = [self._number(body) if kind == NUMBER else self._list(body) for kind in function.parameters]
        partner = "4" if function.partner == NUMBER else "[3, 1, 4, 1, 5]"
        return f"{function.name}({', '.join([*names, *values])}) ~ {partner}; {' '.join(names)};"
