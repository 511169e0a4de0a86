"""Chooses among matches that overlap: a set without overlap that covers the most nodes.

Matches that overlap, directly or over others, form a component. A small component is solved exactly, a larger one
greedily. Equal sets of matches always give the same choice, and of two equally good ones that with the earlier matches.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.patterns.matcher import Match

EXACT = 20
"""Matches of a component up to which the best choice is searched for."""


def choose(matches: Sequence[Match]) -> list[Match]:
    """The chosen matches, in the given order."""
    overlaps = _overlaps(matches)
    chosen: set[int] = set()
    for component in _components(overlaps):
        chosen.update(_best(component, matches, overlaps))
    return [match for index, match in enumerate(matches) if index in chosen]


def _overlaps(matches: Sequence[Match]) -> list[set[int]]:
    """Per match the others that share a node with it."""
    by_node: dict[object, list[int]] = {}
    for index, match in enumerate(matches):
        for node in match.nodes:
            by_node.setdefault(node, []).append(index)
    overlaps: list[set[int]] = [set() for _ in matches]
    for indices in by_node.values():
        for index in indices:
            overlaps[index].update(indices)
    for index, others in enumerate(overlaps):
        others.discard(index)
    return overlaps


def _components(overlaps: Sequence[set[int]]) -> list[list[int]]:
    """Ascending lists of matches that hang together."""
    seen: set[int] = set()
    components = []
    for start in range(len(overlaps)):
        if start not in seen:
            component = _reachable(start, overlaps)
            seen |= component
            components.append(sorted(component))
    return components


def _reachable(start: int, overlaps: Sequence[set[int]]) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        new = overlaps[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def _best(component: Sequence[int], matches: Sequence[Match], overlaps: Sequence[set[int]]) -> tuple[int, ...]:
    weights = {index: len(matches[index].nodes) for index in component}
    if len(component) <= EXACT:
        return _exact(tuple(component), weights, overlaps)[1]
    return _greedy(component, weights, overlaps)


def _exact(
    candidates: tuple[int, ...], weights: dict[int, int], overlaps: Sequence[set[int]]
) -> tuple[int, tuple[int, ...]]:
    """Covered nodes and choice: the better of taking the first candidate and leaving it."""
    if not candidates:
        return 0, ()
    first, rest = candidates[0], candidates[1:]
    free = tuple(index for index in rest if index not in overlaps[first])
    covered, choice = _exact(free, weights, overlaps)
    covered, choice = covered + weights[first], (first, *choice)
    if len(free) == len(rest):
        return covered, choice
    without = _exact(rest, weights, overlaps)
    return without if without[0] > covered else (covered, choice)


def _greedy(component: Sequence[int], weights: dict[int, int], overlaps: Sequence[set[int]]) -> tuple[int, ...]:
    """The largest first; of equally large ones the earliest."""
    taken: list[int] = []
    blocked: set[int] = set()
    for index in sorted(component, key=lambda index: (-weights[index], index)):
        if index not in blocked:
            taken.append(index)
            blocked |= overlaps[index]
    return tuple(taken)
