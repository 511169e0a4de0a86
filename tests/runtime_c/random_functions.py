"""Random functions of ints and of lists of ints, and what they give, computed by Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

Scope = dict[str, int]
Value = int | list[int]

MOST_CALLS, LONGEST = 3000, 400


class TooLargeError(Exception):
    """What a program computes takes more calls or longer lists than a test should."""


def wrap(number: int) -> int:
    """A number as 63 bits of two's complement."""
    number &= 2**63 - 1
    return number - 2**63 if number >> 62 else number


@dataclass(frozen=True)
class Int:
    """An expression: as a script has it, and what it is."""

    text: str
    value: Callable[[Scope], int]


@dataclass(frozen=True)
class Condition:
    text: str
    holds: Callable[[Scope], bool]


@dataclass(frozen=True)
class Term:
    """What a result is: `kind` is nil, cons, int, name, call, or one of Add, Sub, Mul."""

    kind: str
    ints: tuple[Int, ...] = ()
    terms: tuple[Term, ...] = ()
    name: str = ""  # of a name, or of the function called
    partner: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Branch:
    guard: Condition | None
    bindings: tuple[tuple[str, Int], ...]
    term: Term


@dataclass
class Function:
    """Takes an int or a list (`takes`) and gives an int or a list (`gives`), both of "int" and "list".

    Attributes:
        attributes: names of its int ports.
        arguments: names and types of its other ports.
        cases: branches by partner: `[]`, `(int x):xs` or `(int n)`.
    """

    name: str
    takes: str
    gives: str
    attributes: list[str]
    arguments: list[tuple[str, str]]
    cases: dict[str, list[Branch]] = field(default_factory=dict)


TYPES = ("int", "list")


class Maker:
    """Makes the branches of a function, which may call itself with something smaller as partner, and older ones."""

    def __init__(self, source: random.Random, older: list[Function], own: Function) -> None:
        self.random = source
        self.older = list(older)
        self.own = own
        self.bound = 0

    def branches(self, ints: list[str], names: list[tuple[str, str]], smaller: Term | None) -> list[Branch]:
        guards = self.random.choice((0, 0, 1, 2))
        scope = self.own.attributes + ints
        conditions = [*(self.condition(scope, 2) for _ in range(guards)), None]
        return [Branch(condition, *self.body(ints, names, smaller)) for condition in conditions]

    def body(
        self, ints: list[str], names: list[tuple[str, str]], smaller: Term | None
    ) -> tuple[tuple[tuple[str, Int], ...], Term]:
        """The bindings and the term of a branch; `smaller`: the partner of a call of the function itself."""
        scope, bindings = self.own.attributes + ints, []
        while self.random.random() < 0.3:
            self.bound += 1
            bindings.append((f"v{self.bound}", self.expression(scope, 2)))
            scope = [*scope, f"v{self.bound}"]
        return tuple(bindings), self.term(self.own.gives, scope, self.own.arguments + names, smaller, 3)

    def expression(self, scope: list[str], depth: int) -> Int:
        choice = self.random.random()
        if depth == 0 or choice < 0.35:
            if scope and self.random.random() < 0.7:
                name = self.random.choice(scope)
                return Int(name, lambda values: values[name])
            return self._constant(0)
        if choice < 0.45:
            operand = self.expression(scope, depth - 1)
            return Int(f"(-{operand.text})", lambda values: wrap(-operand.value(values)))
        if choice < 0.6:
            condition = self.condition(scope, depth - 1)
            return Int(f"({condition.text})", lambda values: int(condition.holds(values)))
        return self._binary(scope, depth)

    def _constant(self, least: int) -> Int:
        number = self.random.randint(least, 9)
        return Int(str(number), lambda values: number)

    def _binary(self, scope: list[str], depth: int) -> Int:
        operator = self.random.choice("+-*+-/%")
        left = self.expression(scope, depth - 1)
        right = self._constant(1) if operator in "/%" else self.expression(scope, depth - 1)

        def value(values: Scope) -> int:
            a, b = left.value(values), right.value(values)
            quotient = abs(a) // b * (-1 if a < 0 else 1) if operator in "/%" else 0
            results = {"+": a + b, "-": a - b, "*": a * b, "/": quotient, "%": a - quotient * b}
            return wrap(results[operator])

        return Int(f"({left.text} {operator} {right.text})", value)

    def condition(self, scope: list[str], depth: int) -> Condition:
        choice = self.random.random()
        if depth > 0 and choice < 0.25:
            a, b = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            if self.random.random() < 0.5:
                return Condition(f"({a.text}) and ({b.text})", lambda values: a.holds(values) and b.holds(values))
            return Condition(f"({a.text}) or ({b.text})", lambda values: a.holds(values) or b.holds(values))
        if depth > 0 and choice < 0.35:
            denied = self.condition(scope, depth - 1)
            return Condition(f"not ({denied.text})", lambda values: not denied.holds(values))
        left, right, name = self.expression(scope, 1), self.expression(scope, 1), self.random.choice(list(COMPARISONS))
        holds = COMPARISONS[name]
        return Condition(
            f"{left.text} {name} {right.text}", lambda values: holds(left.value(values), right.value(values))
        )

    def term(self, kind: str, ints: list[str], names: list[tuple[str, str]], smaller: Term | None, depth: int) -> Term:
        """A term of this type, of the names in scope."""
        known = [name for name, its_kind in names if its_kind == kind]
        callees = [function for function in self.older if function.gives == kind] if depth > 0 else []
        kinds = ["nil", "cons", "cons", "cons"] if kind == "list" else ["int", "int", "Add", "Sub", "Mul"]
        kinds += ["name"] * 2 * bool(known) + ["call"] * 3 * bool(callees)
        kinds += ["own"] * 4 * (smaller is not None and depth > 0 and self.own.gives == kind)
        chosen = self.random.choice(kinds)
        if depth <= 0 and chosen != "name":
            chosen = "nil" if kind == "list" else "int"
        if chosen == "nil":
            return Term(chosen)
        if chosen == "int":
            return Term(chosen, (self.expression(ints, 2),))
        if chosen == "cons":
            return Term(chosen, (self.expression(ints, 2),), (self.term("list", ints, names, smaller, depth - 1),))
        if chosen == "name":
            return Term(chosen, name=self.random.choice(known))
        if chosen in ("call", "own"):
            return self._call(chosen == "own", callees, ints, names, smaller, depth)
        return Term(chosen, terms=tuple(self.term("int", ints, names, smaller, depth - 1) for _ in range(2)))

    def _call(
        self,
        is_own: bool,
        callees: list[Function],
        ints: list[str],
        names: list[tuple[str, str]],
        smaller: Term | None,
        depth: int,
    ) -> Term:
        called = self.own if is_own else self.random.choice(callees)
        if is_own and smaller is not None:
            partner = smaller
        else:
            partner = self.term(called.takes, ints, names, smaller if self.random.random() < 0.5 else None, depth - 1)
        return Term(
            "call",
            tuple(self.expression(ints, 1) for _ in called.attributes),
            tuple(self.term(kind, ints, names, None, depth - 2) for _, kind in called.arguments),
            called.name,
            (partner,),
        )


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class Evaluation:
    """What functions give, by Python."""

    def __init__(self, functions: list[Function]) -> None:
        self.functions = {function.name: function for function in functions}
        self.calls = 0

    def call(self, name: str, attributes: list[int], arguments: list[Value], partner: Value) -> Value:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise TooLargeError
        function = self.functions[name]
        ints = dict(zip(function.attributes, attributes, strict=True))
        names = dict(zip((name for name, _ in function.arguments), arguments, strict=True))
        case = "[]"
        if isinstance(partner, int):
            case, ints["n"] = "(int n)", partner
        elif partner:
            case, ints["x"], names["xs"] = "(int x):xs", partner[0], partner[1:]
        branch = next(branch for branch in function.cases[case] if branch.guard is None or branch.guard.holds(ints))
        for variable, expression in branch.bindings:
            ints[variable] = expression.value(ints)
        return self._term(branch.term, ints, names)

    def _term(self, term: Term, ints: Scope, names: dict[str, Value]) -> Value:
        if term.kind == "name":
            return names[term.name]
        values = [expression.value(ints) for expression in term.ints]
        terms = [self._term(part, ints, names) for part in term.terms]
        if term.kind == "call":
            return self.call(term.name, values, terms, self._term(term.partner[0], ints, names))
        if term.kind == "int":
            return values[0]
        if term.kind in ("nil", "cons"):
            tail = terms[0] if terms else []
            assert isinstance(tail, list)
            if len(tail) > LONGEST:
                raise TooLargeError
            return [*values, *tail]
        left, right = terms
        assert isinstance(left, int)
        assert isinstance(right, int)
        return wrap({"Add": left + right, "Sub": left - right, "Mul": left * right}[term.kind])
