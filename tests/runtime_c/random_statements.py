"""Random nets as connections: every wire between two of them has a name, or a chain of names."""

from __future__ import annotations

import random

RULES = """\
add(r,x)><Z => r~x; add(r,x)><S(y) => add(r,S(x))~y;
len(r)><[] => r~Z; len(r)><x:xs => Eraser~x, r~S(c), len(c)~xs;
id(r)><Z => r~Z; id(r)><S(x) => r~S(c), id(c)~x;
open(a,b)><P(x,y) => a~x, b~y;
swap(r)><P(x,y) => r~P(u,v), u~y, v~x;
"""

# Agents by what they take and what they give: n a unary number, l a list, p a pair. `{}` stand for names in this order:
# those given, then those taken; the last one is the partner.
TERMS = {
    ("", "n"): ["{} ~ Z", "{} ~ S(S(Z))"],
    ("", "l"): ["{} ~ []", "[S(Z),Z] ~ {}"],
    ("nn", "n"): ["add({},{}) ~ {}"],
    ("n", "n"): ["id({}) ~ {}", "{} ~ S({})"],
    ("nl", "l"): ["{} ~ {}:{}"],
    ("ll", "l"): ["Append({},{}) ~ {}"],
    ("l", "n"): ["len({}) ~ {}"],
    ("nn", "p"): ["{} ~ P({},{})"],
    ("p", "nn"): ["open({},{}) ~ {}"],
    ("p", "p"): ["{1} ~ swap({0})"],
    ("n", ""): ["Eraser ~ {}"],
    ("n", "nn"): ["Dup({},{}) ~ {}"],
    ("l", "ll"): ["{2} ~ Dup({0},{1})"],
    ("p", "pp"): ["Dup({},{}) ~ {}"],
}


class RandomNet:
    """Connections that reduce to the terms of `results`, whatever statements they stand in."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.connections: list[str] = []
        self._open: list[tuple[str, str]] = []  # kind, name
        self._count = 0
        for _ in range(self.random.randrange(4, 60)):
            self._grow()
        self.results = [name for _, name in self._open]

    def _name(self) -> str:
        self._count += 1
        return f"w{self._count}"

    def _give(self, kind: str) -> str:
        """A name for a new term, whose other end is open; often over other names."""
        name = end = self._name()
        while self.random.random() < 0.25:
            other = self._name()
            self.connections.append(f"{end} ~ {other}" if self.random.random() < 0.5 else f"{other} ~ {end}")
            end = other
        self._open.append((kind, end))
        return name

    def _grow(self) -> None:
        taken, given = self.random.choice(list(TERMS))
        term = self.random.choice(TERMS[taken, given])
        if any(sum(kind == open_kind for open_kind, _ in self._open) < taken.count(kind) for kind in taken):
            return
        names = []
        for kind in taken:
            choice = self.random.choice([entry for entry in self._open if entry[0] == kind])
            self._open.remove(choice)
            names.append(choice[1])
        self.connections.append(term.format(*(self._give(kind) for kind in given), *names))

    def statements(self) -> str:
        """The connections in random order and random statements."""
        left = self.random.sample(self.connections, len(self.connections))
        text = ""
        while left:
            size = self.random.choice([1, 1, 2, len(left)])
            text += ", ".join(left[:size]) + ";\n"
            left = left[size:]
        return text + " ".join(self.results) + ";\n"

    def statement(self) -> str:
        """All in one statement."""
        return ", ".join(self.connections) + ";\n" + " ".join(self.results) + ";\n"
