"""Random functions as programs.

A function is an agent of one result. Its branches are written with the connections in any order, sides exchanged, terms
nested or joined by names, and Dup and Eraser where a name is used several times or not at all.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from random_functions import (
    TYPES,
    Branch,
    Condition,
    Evaluation,
    Function,
    Int,
    Maker,
    Term,
    TooLargeError,
    Value,
)

SHOWN = 31
"""Elements of a list that are printed."""


class RandomProgram:
    """Attributes:
    functions: those called by others come first.
    text: the rules.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.prefix = f"s{seed}_"
        self.functions: list[Function] = []
        for _ in range(self.random.randint(1, 4)):
            self._add_function()
        rules = [RuleText(self.random, function, case).text() for function in self.functions for case in function.cases]
        self.random.shuffle(rules)
        self.text = "\n".join(rules)

    def calls(self, count: int) -> Iterator[tuple[str, str]]:
        """Nets that call functions and print the result, each with what is printed."""
        for number in range(count):
            function = self.random.choice(self.functions)
            attributes = [self.random.randint(-5, 9) for _ in function.attributes]
            arguments = [self._value(kind) for _, kind in function.arguments]
            partner = self._value(function.takes)
            try:
                result = Evaluation(self.functions).call(function.name, attributes, arguments, partner)
            except TooLargeError:
                continue
            name = f"{self.prefix}q{number}"
            ports = ", ".join([name, *map(str, attributes), *map(written, arguments)])
            yield f"{function.name}({ports}) ~ {written(partner)}; {name};", shown(result)

    def _value(self, kind: str) -> Value:
        if kind == "int":
            return self.random.randint(0, 9)
        return [self.random.randint(-9, 30) for _ in range(self.random.randint(0, 7))]

    # --- functions ---------------------------------------------------------------------------------------------------

    def _add_function(self) -> None:
        choose, number = self.random.choice, len(self.functions)
        function = Function(
            name=f"{choose('fF')}{self.prefix}{number}",
            takes=choose(("list", "list", "int")),
            gives=choose(("list", "list", "int")),
            attributes=[f"i{index}" for index in range(choose((0, 0, 1, 2, 3)))],
            arguments=[(f"a{index}", choose(TYPES)) for index in range(choose((0, 0, 1, 2)))],
        )
        make = Maker(self.random, self.functions, function)
        if function.takes == "list":
            function.cases["[]"] = make.branches([], [], None)
            function.cases["(int x):xs"] = make.branches(["x"], [("xs", "list")], Term("name", name="xs"))
        else:
            smaller = choose((Int("n - 1", lambda scope: scope["n"] - 1), Int("n / 2", lambda scope: scope["n"] // 2)))
            base = Branch(Condition("n <= 0", lambda scope: scope["n"] <= 0), *make.body(["n"], [], None))
            function.cases["(int n)"] = [base, *make.branches(["n"], [], Term("int", (smaller,)))]
        self.functions.append(function)


class RuleText:
    """The rule of a function for one partner, as text."""

    def __init__(self, source: random.Random, function: Function, case: str) -> None:
        self.random = source
        self.function = function
        self.case = case
        self.connections: list[tuple[str, str]] = []
        self.uses: dict[str, list[str]] = {}
        self.wires = 0

    def text(self) -> str:
        ports = [
            "r",
            *(f"int {name}" for name in self.function.attributes),
            *(name for name, _ in self.function.arguments),
        ]
        heads = [f"{self.function.name}({', '.join(ports)})", self.case]
        if self.random.random() < 0.15:
            heads.reverse()
        branches = self.function.cases[self.case]
        if len(branches) == 1:
            return f"{heads[0]} >< {heads[1]} => {self._branch(branches[0])};"
        lines = [f"| {branch.guard.text if branch.guard else '_'} => {self._branch(branch)}" for branch in branches]
        return "\n".join([f"{heads[0]} >< {heads[1]}", *lines]) + ";"

    def _branch(self, branch: Branch) -> str:
        self.connections, self.uses, self.wires = [], {}, 0
        counts = Counter(_names(branch.term))
        for name in [*(name for name, _ in self.function.arguments), *(["xs"] if "xs" in self.case else [])]:
            self._share(name, counts[name])
        self._give(branch.term, "r")
        self.random.shuffle(self.connections)
        sides = [pair if self.random.random() < 0.5 else pair[::-1] for pair in self.connections]
        bindings = "".join(f" {name} = {value.text}" for name, value in branch.bindings)
        return ", ".join(f"{a} ~ {b}" for a, b in sides) + (f" where{bindings}" if bindings else "")

    def _wire(self) -> str:
        self.wires += 1
        return f"w{self.wires}"

    def _share(self, name: str, count: int) -> None:
        """Names for each use of a port."""
        names = [name] if count else []
        if not count:
            self.connections.append(("Eraser", name))
        while len(names) < count:
            shared = names.pop(self.random.randrange(len(names)))
            copies = [self._wire(), self._wire()]
            self.connections.append((f"Dup({copies[0]}, {copies[1]})", shared))
            names += copies
        self.uses[name] = names

    def _give(self, term: Term, result: str) -> None:
        """The connections that make a term the result."""
        if term.kind == "call":
            ports = [result, *(value.text for value in term.ints), *map(self._term, term.terms)]
            self.connections.append((f"{term.name}({', '.join(ports)})", self._term(term.partner[0])))
        elif term.kind in ("Add", "Sub", "Mul"):
            self.connections.append((f"{term.kind}({result}, {self._term(term.terms[0])})", self._term(term.terms[1])))
        else:
            self.connections.append((result, self._term(term)))

    def _term(self, term: Term) -> str:
        if term.kind in ("call", "Add", "Sub", "Mul"):
            text = self._wire()
            self._give(term, text)
            return text
        if term.kind == "name":
            text = self.uses[term.name].pop()
        elif term.kind == "cons":
            text = f"(({term.ints[0].text}):{self._term(term.terms[0])})"
        else:
            text = term.ints[0].text if term.ints else "[]"
        if self.random.random() < 0.2:
            wire = self._wire()
            self.connections.append((wire, text))
            return wire
        return text


def _names(term: Term) -> Iterator[str]:
    if term.kind == "name":
        yield term.name
    for part in (*term.terms, *term.partner):
        yield from _names(part)


def written(value: Value) -> str:
    """A value as a script has it."""
    if isinstance(value, int):
        return str(value)
    return f"[{','.join(map(str, value))}]"


def shown(value: Value) -> str:
    """A value as it is printed."""
    if isinstance(value, int) or len(value) <= SHOWN:
        return written(value)
    return f"{written(value[:SHOWN])[:-1]},...]"
