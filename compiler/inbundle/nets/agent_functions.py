"""Which agents of a script become C functions that reduce their pairs without a pair ever being made.

Such an *agent function* has the rules of one agent with all its partners: `add` with `Zero` and with `S(x)`, `fib` with
an int. Where a rule connects the agent to something, that is a call; where the rule's own agent goes on, it is a loop.
The agent's first port is its result, as is the custom: what is connected there is what the call returns.

A script may define and replace rules between its nets. An agent has a function only if all its rules are defined
between the same two nets, once each, so that they are there together or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inbundle.nets.program import CONS, FLOAT_NUMBER, INT_NUMBER, NIL, TUPLE, WILDCARD, Head, PortKind, Rule
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
        kinds: per port, INT or FLOAT where every rule declares it so.
        has_result: whether port 0 is what a call returns.
        epoch: nets that are reduced before the rules are defined.
    """

    agent: str
    ports: int
    rules: tuple[int, ...]
    partners: frozenset[Key]
    kinds: tuple[PortKind, ...]
    has_result: bool
    epoch: int

    def parameters(self) -> tuple[PortKind, ...]:
        """Kinds of the ports but for the result."""
        return self.kinds[1:] if self.has_result else self.kinds

    def takes_number(self, kind: PortKind) -> bool:
        """Whether it has a rule for a number of this kind; a rule for floats takes ints as well."""
        return (FLOAT_NUMBER, 1) in self.partners or (kind is PortKind.INT and (INT_NUMBER, 1) in self.partners)


ARITHMETIC = {
    (name, 2): AgentFunction(
        agent=name,
        ports=2,
        rules=(),
        partners=frozenset(((INT_NUMBER, 1), (FLOAT_NUMBER, 1))),
        kinds=(PortKind.WIRE, PortKind.WIRE),
        has_result=True,
        epoch=0,
    )
    for name in ("Add", "Sub", "Mul", "Div", "Mod")
}
"""The built-in agents that have functions."""


def key_of(head: Head) -> Key:
    return head.agent, len(head.ports)


def agent_functions(script: Script) -> dict[Key, AgentFunction]:
    """The agent functions of a script, by agent."""
    rules = script.program.rules
    cases: dict[Key, list[int]] = defaultdict(list)
    chooser = _Chooser(rules)
    for index, rule in enumerate(rules):
        if WILDCARD not in (rule.left.agent, rule.right.agent):
            cases[key_of(chooser.agent_of(rule))].append(index)
    replaced = _replaced_pairs(script)
    found = {}
    for key, indices in cases.items():
        epochs = {script.epochs[index] for index in indices}
        pairs = {_pair(rules[index]) for index in indices}
        if key[0] not in _DATA and len(epochs) == 1 and not pairs & replaced:
            found[key] = _function(key, indices, rules, epochs.pop())
    return found


def cases_of(function: AgentFunction, rules: Sequence[Rule]) -> Iterator[tuple[int, Rule, Head, Head]]:
    """Index, rule, own head and partner of each case; numbers come first."""
    key = function.agent, function.ports
    cases = [(index, rules[index], *_sides(rules[index], key)) for index in function.rules]
    yield from sorted(cases, key=lambda case: case[3].agent not in _NUMBERS)


def _sides(rule: Rule, key: Key) -> tuple[Head, Head]:
    return (rule.left, rule.right) if key_of(rule.left) == key else (rule.right, rule.left)


def _function(key: Key, indices: Sequence[int], rules: Sequence[Rule], epoch: int) -> AgentFunction:
    heads = [_sides(rules[index], key) for index in indices]
    kinds = tuple(_joint_kind([own.kinds[port] for own, _ in heads]) for port in range(key[1]))
    return AgentFunction(
        agent=key[0],
        ports=key[1],
        rules=tuple(indices),
        partners=frozenset(key_of(partner) for _, partner in heads),
        kinds=kinds,
        has_result=bool(heads) and key[1] > 0 and all(own.kinds[0] is PortKind.WIRE for own, _ in heads),
        epoch=epoch,
    )


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

    Whoever has rules for numbers, lists or tuples does; else whoever has rules with more partners, and of two equals
    the one that is written like a function.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._partners: dict[Key, set[Key]] = defaultdict(set)
        for rule in rules:
            self._partners[key_of(rule.left)].add(key_of(rule.right))
            self._partners[key_of(rule.right)].add(key_of(rule.left))

    def agent_of(self, rule: Rule) -> Head:
        return max((rule.left, rule.right), key=self._rank)

    def _rank(self, head: Head) -> tuple[bool, bool, int, bool]:
        is_data = head.agent in (*_DATA, *_NUMBERS)
        partners = self._partners[key_of(head)]
        takes_data = any(agent in (*_DATA, *_NUMBERS) for agent, _ in partners)
        return not is_data, takes_data, len(partners), head.agent[0].islower()
