"""Net builder: assembles the prefix code of a net, piece by piece, for both granularities.

Words are those of `Net.code` (see `program.py`), except for wires: wire w is the negative word `~w` while the net is
built, so that it can be told from agents, literals and calls. Hence literals must not be negative: floats are bit
patterns, ints are counts. `net()` numbers the wires by first occurrence.

The builder knows nothing of the agents' meaning, but it relies on one property of both granularities: statements stand
in an order in which nothing waits, so that between two statements every open wire ends in one settled agent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from inbundle.nets.program import BUILTIN_AGENTS, Agent, NativeFunction, Net

Words = list[int]
"""The prefix code of a term."""

ERASER, DUP = (2 * index + 1 for index in range(len(BUILTIN_AGENTS)))
LITERAL = 0
CELLS_PER_OPEN_WIRE = 2  # the wire, and the value that has arrived at it


def positions_in_groups(counts: np.ndarray) -> np.ndarray:
    """0, 1, ... for each group of `counts`, the groups one after the other."""
    positions: np.ndarray = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return positions


# --- balanced trees ----------------------------------------------------------------------------------------------


def balanced_fan_in(
    leaves: np.ndarray, counts: np.ndarray, join: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Reduces each group of consecutive leaves to one: neighbours are paired, level by level, an odd one passes up.

    Args:
        leaves: the groups, one after the other.
        counts: leaves per group, at least 1.
        join: makes the results of the pairs (left, right) of one level, all groups at once.
    """
    while counts.max(initial=1) > 1:
        position = positions_in_groups(counts)
        even = position % 2 == 0
        paired = even & (position + 1 < np.repeat(counts, counts))
        left = np.flatnonzero(paired)
        next_level = leaves[even]
        next_level[paired[even]] = join(leaves[left], leaves[left + 1])
        leaves, counts = next_level, (counts + 1) // 2
    return leaves


def fan_out_dups(position: np.ndarray, count: np.ndarray) -> np.ndarray:
    """How many Dup agents stand in front of port number `position` of `count` when a balanced fan-out is written as
    prefix code. It has the shape of a fan-in: a Dup stands in front of the first port of the part it feeds."""
    dups = np.zeros(len(position), np.int64)
    leads = np.ones(len(position), bool)
    for _ in range(int(count.max(initial=1) - 1).bit_length()):
        leads &= position % 2 == 0
        dups += leads & (position + 1 < count)
        position, count = position // 2, (count + 1) // 2
    return dups


def balanced_fan_out(ports: Sequence[Words]) -> Words:
    """One term that feeds all ports: `Eraser` for none, the port itself for one, a tree of `Dup` for more."""
    if not ports:
        return [ERASER]
    count = np.full(len(ports), len(ports))
    dups = fan_out_dups(np.arange(len(ports)), count)
    return [word for port, n in zip(ports, dups, strict=True) for word in (*[DUP] * int(n), *port)]


# --- the builder -------------------------------------------------------------------------------------------------


class NetBuilder:
    """Collects the statements of a net over `agents` (which begin with the built-in ones) and `natives`.

    Attributes:
        interactions: the caller adds those of what it builds.
    """

    def __init__(self, agents: Sequence[Agent], natives: Sequence[NativeFunction] = ()) -> None:
        self.interactions = 0
        self._agents = {agent.name: 2 * index + 1 for index, agent in enumerate(agents)}
        self._calls = {native.name: index + 1 for index, native in enumerate(natives)}
        self._parts: list[np.ndarray] = []
        self._starts: list[np.ndarray] = []
        self._length = 0
        self._wire_count = 0
        self._names: dict[int, str] = {}
        self._given: list[int] = []

    def agent(self, name: str) -> int:
        """The word of an agent."""
        return self._agents[name]

    def call(self, native: str) -> int:
        """The word that starts a call of a native function in an attribute port."""
        return self._calls[native]

    def wire(self) -> int:
        """The word of a new wire."""
        return int(self.wires(1)[0])

    def wires(self, count: int) -> np.ndarray:
        """The words of new wires."""
        first = self._wire_count
        self._wire_count += count
        return ~np.arange(first, first + count)

    def name(self, wire: int, name: str, *, given: bool = False) -> None:
        """Puts a wire into the interface. `given`: the host connects a value to it before the net runs."""
        self._names[~wire] = name
        if given:
            self._given.append(~wire)

    def statement(self, *connections: tuple[Words, Words]) -> None:
        """Adds a statement of connections, each a pair of terms."""
        words = [word for left, right in connections for word in (*left, *right)]
        self.append(np.array(words, np.int64), np.zeros(1, np.int64))

    def append(self, words: np.ndarray, starts: np.ndarray) -> None:
        """Adds many statements at once; `starts` are offsets in `words`. The caller gives `words` away."""
        self._parts.append(words)
        self._starts.append(starts + self._length)
        self._length += len(words)

    def net(self) -> Net:
        """The finished net. The builder is used up."""
        code = self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)
        starts = np.concatenate([*self._starts, np.array([len(code)])])
        self._parts.clear()
        at = np.flatnonzero(code < 0)
        wires = ~code[at]
        is_first = self._first_occurrences(wires)
        numbers = np.zeros(self._wire_count, np.int64)
        numbers[wires[is_first]] = np.arange(np.count_nonzero(is_first))
        code[at] = 2 * numbers[wires]
        names = {int(numbers[wire]): name for wire, name in self._names.items()}
        return Net(code, starts, names, self._live(starts, at, wires, is_first), self.interactions)

    def _first_occurrences(self, wires: np.ndarray) -> np.ndarray:
        """Mask of the words that name a wire for the first time."""
        index = np.arange(len(wires))
        first = np.empty(self._wire_count, np.int64)
        first[wires[::-1]] = index[::-1]  # the last assignment stays
        is_first: np.ndarray = first[wires] == index
        return is_first

    def _live(self, starts: np.ndarray, at: np.ndarray, wires: np.ndarray, is_first: np.ndarray) -> np.ndarray:
        """Cells alive after each statement: the first end of a wire opens it, the second one closes it."""
        given = np.zeros(self._wire_count, bool)
        given[self._given] = True
        opens = np.where(is_first & ~given[wires], 1, -1)
        statement = np.searchsorted(starts, at, side="right") - 1
        change = np.bincount(statement, weights=opens, minlength=len(starts) - 1)
        open_wires = len(self._given) + np.cumsum(change).astype(np.int64)
        return CELLS_PER_OPEN_WIRE * open_wires
