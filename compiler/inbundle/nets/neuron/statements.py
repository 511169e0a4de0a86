"""How the fan-outs of a schedule are cut into statements that every implementation of the language can read.

A fan-out of many ports becomes blocks of 2^k ports, each a statement with the nodes that its ports cause; the blocks
are fed by a fan-out of their own, which is cut likewise if need be. Because blocks are aligned, the whole is still the
balanced tree. The reference holds some 48 names open per statement, so a block has as many ports as fit a budget.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inbundle.nets.builder import positions_in_groups
from inbundle.nets.neuron.schedule import Schedule

NAMES_PER_STATEMENT = 40
LARGEST_BLOCK = 32


@dataclass(frozen=True)
class Level:
    """One level of all fan-outs. The leaves of level 0 are those of the Schedule; the leaves of level n are the blocks
    of level n - 1, where a fan-out has more than one.

    Attributes:
        statement: leaf -> the statement it is a port in.
        position, count: leaf -> which port of how many.
        begins: level 1 and up: leaf -> the statement that begins with it.
    """

    statement: np.ndarray
    position: np.ndarray
    count: np.ndarray
    begins: np.ndarray


class Statements:
    """The numbers of all statements: fan-out by fan-out, the root first.

    Attributes:
        count: how many there are.
        root: fan-out (by ascending id) -> the statement that begins with the value itself.
        levels: level 0 is always there.
    """

    def __init__(self, schedule: Schedule) -> None:
        ids = np.flatnonzero(schedule.fanned)
        leaves = [schedule.ports[ids]]
        size = [_block_sizes(schedule)[ids]]
        blocks = [np.maximum(1, -(-leaves[0] // size[0]))]
        while blocks[-1].max(initial=1) > 1:
            leaves.append(np.where(blocks[-1] > 1, blocks[-1], 0))
            size.append(np.full(len(ids), LARGEST_BLOCK))
            blocks.append(-(-leaves[-1] // LARGEST_BLOCK))
        total: np.ndarray = sum(blocks, np.zeros(len(ids), np.int64))
        self.count = int(total.sum())
        self.root = np.cumsum(total) - total
        first = self.root + total
        self.levels: list[Level] = []
        for level in range(len(blocks)):
            below, first = first, first - blocks[level]
            self.levels.append(_level(leaves[level], size[level], first, below))


def _level(leaves: np.ndarray, size: np.ndarray, first: np.ndarray, below: np.ndarray) -> Level:
    """`first`: the first statement of each fan-out's blocks of this level; `below`: of the level below."""
    member = np.repeat(np.arange(len(leaves)), leaves)
    index = positions_in_groups(leaves)
    width = size[member]
    block = index // width
    return Level(
        statement=first[member] + block,
        position=index % width,
        count=np.minimum(width, leaves[member] - block * width),
        begins=below[member] + index,
    )


def _block_sizes(schedule: Schedule) -> np.ndarray:
    """Per id, the largest power of two such that no block of so many leaves introduces too many names."""
    names = _names_by_leaf(schedule)
    sizes = np.full(len(schedule.fanned), LARGEST_BLOCK)
    size = LARGEST_BLOCK
    while size > 1 and len(names):
        starts = np.flatnonzero(schedule.leaf_position % size == 0)
        too_many = np.add.reduceat(names, starts) > NAMES_PER_STATEMENT
        ids = schedule.leaf_id[starts[too_many]]
        size //= 2
        sizes[ids] = size
    return sizes


def _names_by_leaf(schedule: Schedule) -> np.ndarray:
    """Names that stay open in a leaf's statement: the leaf's own result, one per node it causes, and an earlier
    operand of a node that is a port."""
    nodes = np.flatnonzero(schedule.left >= 0)
    apart = nodes[~schedule.in_fan_out[nodes]]
    ports = nodes[schedule.in_fan_out[nodes] & (schedule.right[nodes] >= 0)]
    leaves = len(schedule.leaf_id)
    names: np.ndarray = 1 + np.bincount(schedule.cause[apart], minlength=leaves)
    return names + np.bincount(schedule.left_leaf[ports], minlength=leaves)
