"""Which agents of a script become C functions that reduce their pairs without a pair ever being made.

Such an *agent function* has the rules of one agent with all its partners: `add` with `Zero` and with `S(x)`, `fib` with
an int. Where a rule connects the agent to something, that is a call; where the rule's own agent goes on, it is a loop.
Some ports of the agent are *results*: what a rule connects there is what the call returns. The first port is one, as is
the custom, and so is a port that rules only ever give something to, such as both lists of `split(a, b)`.

A script may define and replace rules between its nets. An agent has a function only if all its rules are defined
between the same two nets, once each, so that they are there together or not at all; and if they are no more than a C
compiler can take at once (rule_size.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inbundle.nets.program import (
    CONS,
    FLOAT_NUMBER,
    INT_NUMBER,
    NIL,
    TUPLE,
    WILDCARD,
    AgentTerm,
    Argument,
    Body,
    Head,
    PortKind,
    Rule,
    Wire,
)
from inbundle.nets.result_ports import result_ports
from inbundle.nets.routes import wires_of
from inbundle.nets.rule_size import MOST_NODES, rule_size
from inbundle.nets.script import Script

Key = tuple[str, int]
"""An agent and its port count."""

_DATA = (CONS, NIL, TUPLE)
_NUMBERS = (INT_NUMBER, FLOAT_NUMBER)


@dataclass(frozen=True)
class AgentFunction:
    """An agent and its rules.

    Attributes:
        rules: indices into `program.rules`, which become cases of the function; none for a built-in agent.
        partners: what it has rules for.
        kinds: per port, INT or FLOAT where every rule declares it so.
        results: the ports that are results.
        keeps: the ports whose contents a rule puts into a port of something.
        epoch: nets that are reduced before the rules are defined.
    """

    agent: str
    ports: int
    rules: tuple[int, ...]
    partners: frozenset[Key]
    kinds: tuple[PortKind, ...]
    results: tuple[int, ...]
    keeps: frozenset[int] = frozenset()
    epoch: int = 0

    @property
    def key(self) -> Key:
        return self.agent, self.ports

    def parameters(self) -> list[tuple[int, PortKind]]:
        """The other ports, with their kinds."""
        return [(port, kind) for port, kind in enumerate(self.kinds) if port not in self.results]

    def takes_number(self, kind: PortKind) -> bool:
        """Whether it has a rule for a number of this kind; a rule for floats takes ints as well."""
        return (FLOAT_NUMBER, 1) in self.partners or (kind is PortKind.INT and (INT_NUMBER, 1) in self.partners)


DUP: Key = ("Dup", 2)


def _builtin(agent: str, partners: Iterable[Key], results: tuple[int, ...] = (0,)) -> AgentFunction:
    return AgentFunction(agent, 2, (), frozenset(partners), (PortKind.WIRE, PortKind.WIRE), results)


_ANY_NUMBER = ((INT_NUMBER, 1), (FLOAT_NUMBER, 1))

BUILTIN = {
    function.key: function
    for function in (
        *(_builtin(name, _ANY_NUMBER) for name in ("Add", "Sub", "Mul", "Div", "Mod")),
        _builtin("Append", ((CONS, 2), (NIL, 0))),
        _builtin("Dup", _ANY_NUMBER, results=(0, 1)),
    )
}
"""The built-in agents that have functions. Dup has rules for any agent."""


def key_of(head: Head) -> Key:
    return head.agent, len(head.ports)


def agent_functions(script: Script) -> dict[Key, AgentFunction]:
    """The agent functions of a script, by agent."""
    rules = script.program.rules
    cases = _cases(rules)
    replaced = _replaced_pairs(script)
    found = {}
    for key, indices in cases.items():
        epochs = {script.epochs[index] for index in indices}
        pairs = {_pair(rules[index]) for index in indices}
        is_small = sum(rule_size(rules[index]) for index in indices) <= MOST_NODES
        if key[0] not in _DATA and len(epochs) == 1 and not pairs & replaced and is_small:
            found[key] = _function(key, indices, rules, cases, epochs.pop())
    return found


def cases_of(function: AgentFunction, rules: Sequence[Rule]) -> Iterator[tuple[int, Rule, Head, Head]]:
    """Index, rule, own head and partner of each case; numbers come first."""
    cases = [(index, rules[index], *_sides(rules[index], function.key)) for index in function.rules]
    yield from sorted(cases, key=lambda case: case[3].agent not in _NUMBERS)


def _cases(rules: Sequence[Rule]) -> dict[Key, list[int]]:
    """The rules by the agent that takes the other one apart. Wildcards have no cases."""
    chooser = _Chooser(rules)
    cases: dict[Key, list[int]] = defaultdict(list)
    for index, rule in enumerate(rules):
        if WILDCARD not in (rule.left.agent, rule.right.agent):
            cases[key_of(chooser.agent_of(rule))].append(index)
    return cases


def _sides(rule: Rule, key: Key) -> tuple[Head, Head]:
    return (rule.left, rule.right) if key_of(rule.left) == key else (rule.right, rule.left)


def _function(
    key: Key, indices: Sequence[int], rules: Sequence[Rule], cases: Mapping[Key, object], epoch: int
) -> AgentFunction:
    sides = [_sides(rules[index], key) for index in indices]
    own = [(own, rules[index]) for (own, _), index in zip(sides, indices, strict=True)]
    return AgentFunction(
        agent=key[0],
        ports=key[1],
        rules=tuple(indices),
        partners=frozenset(key_of(partner) for _, partner in sides),
        kinds=tuple(_joint_kind([head.kinds[port] for head, _ in own]) for port in range(key[1])),
        results=result_ports(own, cases.keys()),
        keeps=frozenset(port for port in range(key[1]) if any(_keeps(rule, head.ports[port]) for head, rule in own)),
        epoch=epoch,
    )


def _keeps(rule: Rule, name: str) -> bool:
    sides = [side for branch in rule.branches for sides in branch.body.connections for side in sides]
    return any(name in wires_of(side) for side in sides if isinstance(side, AgentTerm))


def _joint_kind(kinds: Sequence[PortKind]) -> PortKind:
    return kinds[0] if len(set(kinds)) == 1 else PortKind.WIRE


def _pair(rule: Rule) -> frozenset[Key]:
    return frozenset((key_of(rule.left), key_of(rule.right)))


def _replaced_pairs(script: Script) -> set[frozenset[Key]]:
    """The pairs that the script has several rules for, those that cannot be compiled included."""
    seen: set[frozenset[Key]] = set()
    replaced = set()
    for pair in [*map(_pair, script.program.rules), *script.other_pairs]:
        if pair in seen:
            replaced.add(pair)
        seen.add(pair)
    return replaced


class _Chooser:
    """Which of a rule's two agents takes the other one apart.

    Whoever has rules for numbers, lists or tuples does; else the one that is written like a function; of two equals the
    one that bodies connect to things rather than put into ports, or give as a result.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._takes_data: set[Key] = set()
        self._connected: Counter[Key] = Counter()
        for rule in rules:
            for head, partner in ((rule.left, rule.right), (rule.right, rule.left)):
                if partner.agent in (*_DATA, *_NUMBERS):
                    self._takes_data.add(key_of(head))
            first_ports = {head.ports[0] for head in (rule.left, rule.right) if head.ports}
            for branch in rule.branches:
                self._look_at(branch.body, first_ports)

    def agent_of(self, rule: Rule) -> Head:
        return max((rule.left, rule.right), key=self._rank)

    def _look_at(self, body: Body, first_ports: set[str]) -> None:
        for a, b in body.connections:
            for side, other in ((a, b), (b, a)):
                is_result = isinstance(other, Wire) and other.name in first_ports
                self._count(side, -1 if is_result else 1)

    def _count(self, term: Argument, weight: int) -> None:
        if isinstance(term, AgentTerm):
            self._connected[term.agent, len(term.arguments)] += weight
            for argument in term.arguments:
                self._count(argument, -1)

    def _rank(self, head: Head) -> tuple[bool, bool, bool, int]:
        key = key_of(head)
        is_data = head.agent in (*_DATA, *_NUMBERS)
        return not is_data, key in self._takes_data, head.agent[0].islower(), self._connected[key]
