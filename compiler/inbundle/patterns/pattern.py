"""A pattern: what sub-graph is looked for, and which nodes and values its keys stand for.

    Pattern("Conv -> Relu?  -> MaxPool#pool", where={"pool": "$.ceil_mode == false"})

`docs/patterns.md` describes the language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops import OPS
from inbundle.patterns.automaton import compile_program
from inbundle.patterns.expressions import Scope, compile_condition
from inbundle.patterns.facts import Facts
from inbundle.patterns.functions import BUILT_IN, Functions
from inbundle.patterns.matcher import Boundary, Machine, Match, NodeTest, ValueTest
from inbundle.patterns.syntax import SELF, Branch, NodeItem, Step, parse_condition, parse_pattern
from inbundle.patterns.text import PatternText

Text = str | PatternText


class Pattern:
    """A compiled pattern.

    Args:
        match: the graph pattern.
        where: key -> condition on `$`, what the key stands for. A key may be given with or without its `#`. A key that
            is called as a kind stands for nodes of that kind; the condition is required in addition.
        when: a condition on the keys together.
        exclusive: results that the match itself reads must not be read by others as well.

    Attributes:
        node_keys: the keys that stand for one node, or none where it may be absent.
        value_keys: the keys of values, with their `%`.
    """

    def __init__(
        self,
        match: Text,
        where: Mapping[str, Text] | None = None,
        when: Text = "",
        *,
        exclusive: bool = True,
        functions: Functions = BUILT_IN,
        name: str = "pattern",
    ) -> None:
        self.exclusive = exclusive
        self.functions = functions
        self.name = name
        self.source = self._text(match, "match")
        branches = parse_pattern(self.source)
        occurrences = list(_occurrences(branches))
        _check_repetitions(self.source, occurrences)
        counts = Counter(item.key for item, _ in occurrences)
        self._kinds = frozenset(kind for branch in branches for kind in _needed_kinds(branch.steps))
        self.node_keys = frozenset(
            item.key for item, repeated in occurrences if item.shared or (counts[item.key] == 1 and not repeated)
        )
        self.value_keys = frozenset(branch.value for branch in branches if branch.value)
        conditions = {key: self._condition(key, text) for key, text in (where or {}).items()}
        nodes = {item.key: self._node_test(item, conditions) for item, _ in occurrences}
        values = {key: _value_test(conditions.get(key)) for key in self.value_keys}
        self._check_conditions(where or {}, [*counts, *self.value_keys])
        self._when = self._together(when) if when else None
        self._machine = Machine(compile_program(self.source, branches), nodes, values, self._accepts)

    def _text(self, text: Text, part: str) -> PatternText:
        return text if isinstance(text, PatternText) else PatternText(text, f"{self.name}, {part}")

    # --- conditions --------------------------------------------------------------------------------------------------

    def _condition(self, key: str, text: Text) -> Callable[[Scope], bool]:
        source = self._text(text, f"condition of {key}")
        return compile_condition(source, parse_condition(source), {SELF}, self.functions)

    def _together(self, text: Text) -> Callable[[Scope], bool]:
        source = self._text(text, "when")
        return compile_condition(source, parse_condition(source), self.subject_keys, self.functions)

    @property
    def subject_keys(self) -> frozenset[str]:
        """The keys that expressions can use."""
        return self.node_keys | self.value_keys

    def _check_conditions(self, where: Mapping[str, Text], keys: Sequence[str]) -> None:
        for key, text in where.items():
            if key not in keys and not any(_base(known) == key for known in keys):
                source = self._text(text, f"condition of {key}")
                raise source.error(0, f"there is no `{key}' in the pattern", f"its keys are {', '.join(keys)}")

    def _node_test(self, item: NodeItem, conditions: Mapping[str, Callable[[Scope], bool]]) -> NodeTest:
        base = _base(item.key)
        condition = conditions.get(item.key, conditions.get(base))
        if base not in OPS and condition is None:
            raise self.source.error(
                item.at, f"`{base}' is no kind of node", f"write a condition that says what {base} stands for"
            )
        return _node_test(base if base in OPS else None, condition)

    # --- matches -----------------------------------------------------------------------------------------------------

    def matches(self, graph: Graph, facts: Facts | None = None) -> list[Match]:
        """All matches, overlapping ones too, in the order of their start nodes."""
        if not self._kinds <= {node.kind for node in graph.nodes}:
            return []
        facts = facts or Facts(graph)
        return list(self._matches(facts, graph.nodes))

    def _matches(self, facts: Facts, starts: Sequence[Node]) -> Iterator[Match]:
        seen: set[tuple[object, ...]] = set()
        for start in starts:
            for match in self._machine.matches(facts, start):
                if match.signature() not in seen:
                    seen.add(match.signature())
                    yield match

    def _accepts(self, facts: Facts, match: Match) -> bool:
        boundary = Boundary(facts, match)
        if self.exclusive and boundary.interior:
            return False
        if self._when is not None and not self._when(self.scope(facts, match)):
            return False
        return boundary.is_convex()

    def scope(self, facts: Facts, match: Match) -> Scope:
        """What expressions about a match are evaluated in."""
        subjects: dict[str, Node | Value | None] = {key: match.optional(key) for key in self.node_keys}
        return Scope(facts, {**subjects, **match.values})


def conditions_for(match: str, table: Mapping[str, str]) -> dict[str, str]:
    """The conditions of a table of them whose keys a pattern has."""
    return {key: condition for key, condition in table.items() if re.search(rf"(?<![\w%]){key}\b", match)}


def _base(key: str) -> str:
    return key.partition("#")[0]


def _occurrences(branches: Sequence[Branch]) -> Iterator[tuple[NodeItem, bool]]:
    """Each node of the pattern, and whether it may stand for several, in the order of the text."""
    for branch in branches:
        yield from _of_steps(branch.steps, repeated=False)


def _of_steps(steps: Sequence[Step], *, repeated: bool) -> Iterator[tuple[NodeItem, bool]]:
    for step in steps:
        several = repeated or step.repeat in ("+", "*")
        if isinstance(step.item, NodeItem):
            yield step.item, several
        else:
            yield from _of_steps(step.item.steps, repeated=several)


def _needed_kinds(steps: Sequence[Step]) -> Iterator[str]:
    """The kinds without which a sequence matches nowhere."""
    for step in steps:
        if step.may_be_absent:
            continue
        if isinstance(step.item, NodeItem):
            yield from {_base(step.item.key)} & OPS.keys()
        else:
            yield from _needed_kinds(step.item.steps)


def _check_repetitions(source: PatternText, occurrences: Sequence[tuple[NodeItem, bool]]) -> None:
    for item, repeated in occurrences:
        if item.shared and repeated:
            raise source.error(item.at, f"`{item.key}' is one node, it cannot be repeated", "leave out the `#'")


def _node_test(kind: str | None, condition: Callable[[Scope], bool] | None) -> NodeTest:
    def test(facts: Facts, node: Node) -> bool:
        if kind is not None and node.kind != kind:
            return False
        return condition is None or condition(Scope(facts, {SELF: node}))

    return test


def _value_test(condition: Callable[[Scope], bool] | None) -> ValueTest:
    def test(facts: Facts, value: Value) -> bool:
        return condition is None or condition(Scope(facts, {SELF: value}))

    return test
