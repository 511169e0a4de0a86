"""Rules: a pattern, and what is done with a match. Passes are tables of rules.

FUSE = Rule("ConvRelu", Pattern("Conv -> Relu"), wrapped("ConvRelu"))
SQUARE = Rule.replacing("AbsOfSquare", "%x -> Mul -> Abs; %x -> Mul", "Abs = Mul")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inbundle.errors import CompileError
from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.graph.ops.meta import is_meta
from inbundle.patterns.functions import BUILT_IN, Functions
from inbundle.patterns.matcher import Boundary, Match
from inbundle.patterns.meta_nodes import unfold, wrap
from inbundle.patterns.pattern import Pattern, Text
from inbundle.patterns.replacement import compile_replacement
from inbundle.patterns.rewriter import Rewrite, Rewriter
from inbundle.patterns.solver import choose
from inbundle.patterns.text import PatternText


@dataclass(frozen=True)
class Rule:
    """`rewrite` is called for each chosen match; see `Rewriter.apply`. `place`: where it is written, for messages."""

    name: str
    pattern: Pattern
    rewrite: Rewrite
    place: str = ""

    def located(self, error: CompileError, *inner: str) -> CompileError:
        """The error with the place in front, then the rule's name and what is `inner`."""
        place = error.where or ((self.place,) if self.place else ())
        error.where = (*place, f"pattern {self.name}", *inner)
        return error

    @staticmethod
    def replacing(
        name: str,
        match: Text,
        replace: Text,
        where: Mapping[str, Text] | None = None,
        when: Text = "",
        *,
        exclusive: bool = True,
        functions: Functions = BUILT_IN,
    ) -> Rule:
        """A rule that is all text: `replace` is written in the pattern language."""
        pattern = Pattern(match, where, when, exclusive=exclusive, functions=functions, name=name)
        source = replace if isinstance(replace, PatternText) else PatternText(replace, f"{name}, replace")
        return Rule(name, pattern, compile_replacement(source, pattern))


def apply_rule(graph: Graph, rule: Rule) -> int:
    """Rewrites the chosen ones of all matches; returns how many. New matches that arise are left for the next call.

    Raises:
        CompileError: a rewrite does not fit; names the rule.
    """
    rewriter = Rewriter(graph)
    open_matches = rule.pattern.matches(graph, rewriter.facts)
    count = 0
    while open_matches:
        used: set[Node] = set()
        chosen = choose(open_matches)
        for match in chosen:
            if (not count or _is_apart(rewriter, match)) and _apply(rewriter, rule, match):
                used.update(match.nodes)
                count += 1
        tried = set(map(id, chosen))
        open_matches = [m for m in open_matches if id(m) not in tried and used.isdisjoint(m.nodes)]
    if count:
        _finish(rewriter, rule)
    return count


def _is_apart(rewriter: Rewriter, match: Match) -> bool:
    """Whether earlier rewrites made no path from the match back into it: matches of several results may cross."""
    boundary = Boundary(rewriter.facts, match)
    return len(boundary.results) < 2 or boundary.is_convex(in_order=False)


def _apply(rewriter: Rewriter, rule: Rule, match: Match) -> bool:
    try:
        return rewriter.apply(match, rule.rewrite)
    except CompileError as error:
        raise rule.located(error, f"node '{match.nodes[-1].name}'") from None


def _finish(rewriter: Rewriter, rule: Rule) -> None:
    try:
        rewriter.finish()
    except CompileError as error:
        raise rule.located(error) from None


def apply_rules(graph: Graph, rules: Sequence[Rule]) -> None:
    """Each rule once, in order."""
    for rule in rules:
        apply_rule(graph, rule)


# --- actions ---------------------------------------------------------------------------------------------------------


def wrapped(function: str) -> Rewrite:
    """The match becomes one MetaNode."""
    return lambda rewriter, match: wrap(rewriter, match, function)


def removed(rewriter: Rewriter, match: Match) -> Value:
    """The match goes; its readers read the one tensor that it read, constants apart."""
    read = [value for value in Boundary(rewriter.facts, match).inputs if not isinstance(value, Constant)]
    if len(read) != 1:
        names = ", ".join(f"'{value.name}'" for value in read) or "nothing"
        raise CompileError(f"cannot be removed: it reads {names}, one tensor is needed")
    return read[0]


def expanded(rewriter: Rewriter, match: Match) -> dict[Value, Value] | None:
    """MetaNodes of the match become the nodes of their bodies."""
    replaced: dict[Value, Value] = {}
    for node in filter(is_meta, match.nodes):
        replaced.update(unfold(rewriter, node))
    return replaced or None
