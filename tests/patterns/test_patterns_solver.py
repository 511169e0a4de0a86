"""The solver's choice, compared with all choices that there are."""

from __future__ import annotations

import itertools
import random

import pytest
from pattern_graphs import chain

from inbundle.patterns import Match, Pattern
from inbundle.patterns.solver import EXACT, choose


def _matches(seed: int, count: int, nodes: int = 14) -> list[Match]:
    """Random sets of nodes."""
    rng = random.Random(seed)
    _, known = chain("R" * nodes)
    chosen = [sorted(rng.sample(range(nodes), rng.randint(1, 4))) for _ in range(count)]
    return [Match(tuple(known[i] for i in numbers), {}, {}) for numbers in chosen]


def _covered(matches: tuple[Match, ...] | list[Match]) -> int | None:
    """Covered nodes, None where matches overlap."""
    nodes = [node for match in matches for node in match.nodes]
    return len(nodes) if len(set(nodes)) == len(nodes) else None


@pytest.mark.parametrize("seed", range(30))
def test_small_components_are_solved_exactly(seed: int) -> None:
    matches = _matches(seed, 10)
    subsets = itertools.chain.from_iterable(itertools.combinations(matches, size) for size in range(len(matches) + 1))
    best = max(covered for covered in map(_covered, subsets) if covered is not None)
    assert _covered(choose(matches)) == best


@pytest.mark.parametrize("seed", range(10))
def test_large_components_have_no_overlap_and_no_gap(seed: int) -> None:
    matches = _matches(seed, 5 * EXACT)
    chosen = choose(matches)
    assert _covered(chosen) is not None
    taken = {node for match in chosen for node in match.nodes}
    assert all(match in chosen or not taken.isdisjoint(match.nodes) for match in matches)
    assert choose(matches) == chosen


def test_two_small_matches_may_be_better_than_one_large_one() -> None:
    graph, nodes = chain("RETRET")
    pattern = Pattern("N -> M+", {"N": "getType($) != 'Relu'", "M": "true"})
    chosen = choose(pattern.matches(graph))
    assert sum(len(match.nodes) for match in chosen) == len(nodes) - 1
    _, known = chain("RRRR")
    small, large = (known[0:2], known[2:4]), known[1:4]
    matches = [Match(tuple(part), {}, {}) for part in (large, *small)]
    assert choose(matches) == matches[1:]


def test_of_equal_choices_the_earlier_matches_are_taken() -> None:
    graph, nodes = chain("RRR")
    chosen = choose(Pattern("Relu#1 -> Relu#2").matches(graph))
    assert [match.nodes for match in chosen] == [tuple(nodes[:2])]
