"""The net builder: the shape of balanced trees, numbering, what it says about live cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbundle.nets.builder import (
    DUP,
    ERASER,
    LITERAL,
    NetBuilder,
    balanced_fan_in,
    balanced_fan_out,
    fan_out_dups,
)
from inbundle.nets.program import BUILTIN_AGENTS, Agent, PortKind

Tree = object  # a leaf, or a pair of trees


def paired_level_by_level(leaves: list[Tree]) -> Tree:
    """The definition: neighbours are paired, an odd one passes up unchanged."""
    while len(leaves) > 1:
        pairs = list(zip(leaves[::2], leaves[1::2], strict=False))
        leaves = pairs + ([leaves[-1]] if len(leaves) % 2 else [])
    return leaves[0]


def tree_of_words(words: list[int]) -> Tree:
    word = words.pop(0)
    return (tree_of_words(words), tree_of_words(words)) if word == DUP else word


@pytest.mark.parametrize("count", range(1, 70))
def test_fan_out_is_the_balanced_tree(count: int) -> None:
    ports = [[2 * port] for port in range(count)]
    assert tree_of_words(balanced_fan_out(ports)) == paired_level_by_level([2 * port for port in range(count)])


def test_fan_out_to_nobody_erases() -> None:
    assert balanced_fan_out([]) == [ERASER]


def test_fan_out_keeps_long_ports_whole() -> None:
    assert balanced_fan_out([[9, 2, 4], [6], [8, 8]]) == [DUP, DUP, 9, 2, 4, 6, 8, 8]


@given(st.lists(st.integers(1, 40), max_size=8))
def test_fan_in_of_many_groups_is_the_balanced_tree_of_each(counts: list[int]) -> None:
    trees: list[Tree] = list(range(sum(counts)))

    def join(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        first = len(trees)
        trees.extend((trees[a], trees[b]) for a, b in zip(left, right, strict=True))
        return np.arange(first, len(trees))

    roots = balanced_fan_in(np.arange(sum(counts)), np.array(counts, np.int64), join)
    ends = np.cumsum(counts).tolist()
    groups = [list(range(end - count, end)) for end, count in zip(ends, counts, strict=True)]
    assert [trees[root] for root in roots] == [paired_level_by_level(list(group)) for group in groups]


@given(st.integers(1, 400), st.sampled_from((1, 2, 4, 8, 16)))
def test_blocks_of_a_fan_out_are_fan_outs(count: int, block: int) -> None:
    """A large fan-out is cut into statements: aligned blocks of 2^k ports are subtrees, with a tree above them."""
    whole = fan_out_dups(np.arange(count), np.full(count, count))
    blocks = -(-count // block)
    upper = fan_out_dups(np.arange(blocks), np.full(blocks, blocks))
    for index in range(blocks):
        size = min(block, count - index * block)
        part = fan_out_dups(np.arange(size), np.full(size, size))
        part[0] += upper[index]
        assert whole[index * block : index * block + size].tolist() == part.tolist()


def test_wires_are_numbered_by_first_occurrence() -> None:
    builder = NetBuilder([*BUILTIN_AGENTS, Agent("A", (PortKind.WIRE, PortKind.INT))])
    x, y, z = (builder.wire() for _ in range(3))
    a = builder.agent("A")
    builder.statement(([z], [a, y, LITERAL, 7]))
    builder.append(np.array([y, a, x, LITERAL, 8, x, z]), np.array([0, 5]))
    builder.interactions = 3
    net = builder.net()
    assert net.code.tolist() == [0, a, 2, 0, 7, 2, a, 4, 0, 8, 4, 0]
    assert net.starts.tolist() == [0, 5, 10, 12]
    assert net.interactions == 3


def test_live_cells_count_open_wires_and_inputs_not_yet_used() -> None:
    builder = NetBuilder(BUILTIN_AGENTS)
    given_wire, left, right, result = (builder.wire() for _ in range(4))
    builder.name(given_wire, "x", given=True)
    builder.name(result, "y")
    builder.statement(([left], [ERASER]))
    builder.statement(([given_wire], [DUP, right, result]))
    builder.statement(([left], [right]))
    net = builder.net()
    assert net.live is not None
    assert net.live.tolist() == [4, 6, 2]
    assert net.names == {1: "x", 3: "y"}
