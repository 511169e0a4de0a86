"""From a scheduled circuit to the statements of a net, all of them at once.

The net is a row of *pieces*: the value that a fan-out begins with, a port of a fan-out together with the `Dup` agents
in front of it, or a node that stands apart as a connection. First the pieces are put in order and their lengths added
up, then every kind of piece is written to its places in the code.

Wires: that of id i has number i; behind them come one per leaf that is a plain wire, and one per block of a fan-out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inbundle.nets.builder import DUP, ERASER, LITERAL, NetBuilder, fan_out_dups
from inbundle.nets.natives import INPUT, WEIGHT
from inbundle.nets.neuron.circuit import NO_WEIGHT, Batch, Circuit, Sources
from inbundle.nets.neuron.operation import CONCRETE
from inbundle.nets.neuron.schedule import Schedule
from inbundle.nets.neuron.statements import NAMES_PER_STATEMENT, Level, Statements

Write = Callable[[np.ndarray], None]
_CONCRETE_WORDS = 3  # the agent, a literal's 0 or a call, the literal


def emit(circuit: Circuit, builder: NetBuilder) -> None:
    """Adds the whole circuit to a new builder."""
    _Emission(circuit, builder).run()


class _Emission:
    def __init__(self, circuit: Circuit, builder: NetBuilder) -> None:
        self.circuit = circuit
        self.builder = builder
        self.schedule = Schedule(circuit)
        self.statements = Statements(self.schedule)
        self._first_leaf_wire = circuit.count
        self._first_block_wire = self._first_leaf_wire + len(self.schedule.leaf_id)
        self._term_length = np.zeros(circuit.count, np.int8)
        self._term_at = np.zeros(circuit.count, np.int64)
        self._code = np.zeros(0, np.int64)
        self._statement: list[np.ndarray] = []
        self._length: list[np.ndarray] = []
        self._write: list[Write] = []

    def run(self) -> None:
        for batch in self.circuit.batches:
            self._term_length[batch.numbers] = _term_length(batch)
        self._add_heads()
        for level in self.statements.levels[1:]:
            self._add_blocks(level)
        self._add_leaves(self.statements.levels[0])
        self._add_erasers()
        self._add_nodes_apart()
        self._lay_out()
        for batch in self.circuit.batches:
            self._write_terms(batch)
        self._count_interactions()
        self._name_wires()
        self.builder.append(self._code, self._starts)

    # --- pieces --------------------------------------------------------------------------------------------------

    def _add(self, statement: np.ndarray, length: np.ndarray | int, write: Write) -> None:
        """Pieces; those of one statement stand in the order in which they are added."""
        self._statement.append(statement)
        self._length.append(np.broadcast_to(length, statement.shape))
        self._write.append(write)

    def _add_heads(self) -> None:
        ids = np.flatnonzero(self.schedule.fanned)
        is_source = np.zeros(len(ids), bool)
        for sources in self.circuit.sources:
            members = slice(*np.searchsorted(ids, [sources.first, sources.first + sources.count]))
            is_source[members] = True
            self._add_sources(sources, self.statements.root[members])
        ids, roots = ids[~is_source], self.statements.root[~is_source]
        self._add(roots, 1, lambda at: self._put(at, ~ids))

    def _add_sources(self, sources: Sources, roots: np.ndarray) -> None:
        if sources.names:
            wires = ~np.arange(sources.first, sources.first + sources.count)
            self._add(roots, 1, lambda at: self._put(at, wires))
        elif sources.constants is not None:
            constants = sources.constants
            self._add(roots, _CONCRETE_WORDS, lambda at: self._put_concrete(at, *self._constant_words(constants)))
        else:
            assert sources.indices is not None
            words = np.full(sources.count, self.builder.call(INPUT.name)), sources.indices
            self._add(roots, _CONCRETE_WORDS, lambda at: self._put_concrete(at, *words))

    def _add_blocks(self, level: Level) -> None:
        """The wires that connect blocks: each begins one statement and is a port in another."""
        wires = ~np.arange(self._first_block_wire, self._first_block_wire + len(level.begins))
        self._first_block_wire += len(wires)
        dups = fan_out_dups(level.position, level.count)
        self._add(level.begins, 1, lambda at: self._put(at, wires))
        self._add(level.statement, dups + 1, lambda at: self._put(at + dups, wires))

    def _add_leaves(self, level: Level) -> None:
        dups = fan_out_dups(level.position, level.count)
        nodes = np.flatnonzero(self.schedule.in_fan_out)
        leaves_of_nodes = self.schedule.left_leaf[nodes]
        length = np.ones(len(dups), np.int64)
        length[leaves_of_nodes] = self._term_length[nodes]
        is_wire = np.ones(len(dups), bool)
        is_wire[leaves_of_nodes] = False
        wires = np.flatnonzero(is_wire)

        def write(at: np.ndarray) -> None:
            at = at + dups
            self._term_at[nodes] = at[leaves_of_nodes]
            self._put(at[wires], ~(self._first_leaf_wire + wires))

        self._add(level.statement, dups + length, write)

    def _add_erasers(self) -> None:
        unused = self.schedule.ports[self.schedule.fanned] == 0
        self._add(self.statements.root[unused], 1, lambda at: self._put(at, ERASER))

    def _add_nodes_apart(self) -> None:
        schedule = self.schedule
        nodes = np.flatnonzero((schedule.left >= 0) & ~schedule.in_fan_out)

        def write(at: np.ndarray) -> None:
            self._put(at, self._operand_wires(schedule.left[nodes], schedule.left_leaf[nodes]))
            self._term_at[nodes] = at + 1

        statement = self.statements.levels[0].statement[schedule.cause[nodes]]
        self._add(statement, self._term_length[nodes] + np.int64(1), write)

    # --- the code ------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Orders the pieces, finds their places and where statements start, and writes them."""
        statement, length = np.concatenate(self._statement), np.concatenate(self._length)
        order = np.argsort(statement, kind="stable")
        ends = np.cumsum(length[order])
        places = np.empty(len(order), np.int64)
        places[order] = ends - length[order]
        is_apart = order >= len(order) - len(self._statement[-1])
        self._starts = places[order][_statement_starts(statement[order], is_apart)]
        self._code = np.full(int(ends[-1]) if len(ends) else 0, DUP)
        first = 0
        for part, write in zip(self._statement, self._write, strict=True):
            write(places[first : first + len(part)])
            first += len(part)
        self._statement.clear()
        self._length.clear()
        self._write.clear()

    def _put(self, at: np.ndarray, words: np.ndarray | int) -> None:
        self._code[at] = words

    def _put_concrete(self, at: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
        self._put(at, self.builder.agent(CONCRETE.name))
        self._put_attribute(at + 1, first, second)

    def _put_attribute(self, at: np.ndarray, first: np.ndarray | int, second: np.ndarray | int) -> None:
        self._put(at, first)
        self._put(at + 1, second)

    def _constant_words(self, constants: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two words of an attribute that is a literal or a call of `weight`."""
        weights = self.circuit.constants.weights(~constants)
        bits = self.circuit.constants.values(~constants).view(np.uint32).astype(np.int64)
        is_literal = weights == NO_WEIGHT
        call = LITERAL if is_literal.all() else self.builder.call(WEIGHT.name)
        return np.where(is_literal, LITERAL, call), np.where(is_literal, bits, weights)

    def _operand_wires(self, ids: np.ndarray, leaves: np.ndarray) -> np.ndarray:
        """The words of the wires that bring operands: the producer's own, or that of a leaf."""
        return ~np.where(leaves >= 0, self._first_leaf_wire + leaves, ids)

    def _write_terms(self, batch: Batch) -> None:
        """`Agent(result, other operand, attributes)` for every node of a batch."""
        at = self._term_at[batch.numbers]
        self._put(at, self.builder.agent(batch.operation.agent.name))
        self._put(at + 1, ~np.arange(batch.first, batch.first + len(at)))
        at = at + 2
        if batch.right is not None:
            right, leaves = self.schedule.right[batch.numbers], self.schedule.right_leaf[batch.numbers]
            self._put(at, self._operand_wires(right, leaves))
        if batch.constant is not None:
            put = self._put_concrete if batch.operation.check else self._put_attribute
            put(at, *self._constant_words(batch.constant))
        for index, value in enumerate(batch.attributes):
            self._put_attribute(at + 2 * index, LITERAL, int(np.float32(value).view(np.uint32)))
        if batch.indices is not None:
            self._put_attribute(at, LITERAL, batch.indices)

    # --- facts ---------------------------------------------------------------------------------------------------

    def _count_interactions(self) -> None:
        """A node costs what its operation costs; a fan-out of n ports has n - 1 Dup agents, or one Eraser, which
        meets the agent and the number in it."""
        nodes = sum(batch.operation.interactions * len(batch.left) for batch in self.circuit.batches)
        ports = self.schedule.ports[self.schedule.fanned]
        self.builder.interactions += nodes + int(np.where(ports == 0, 2, ports - 1).sum())

    def _name_wires(self) -> None:
        wires = self.builder.wires(self._first_block_wire)
        for sources in self.circuit.sources:
            for offset, name in enumerate(sources.names):
                self.builder.name(int(wires[sources.first + offset]), name, given=True)
        for number, name in self.circuit.names.items():
            self.builder.name(int(wires[number]), name)


def _term_length(batch: Batch) -> int:
    length = 2 + (batch.right is not None) + 2 * len(batch.attributes) + 2 * (batch.indices is not None)
    if batch.constant is not None:
        length += _CONCRETE_WORDS if batch.operation.check else _CONCRETE_WORDS - 1
    return length


def _statement_starts(statement: np.ndarray, is_apart: np.ndarray) -> np.ndarray:
    """Which pieces start a statement: the first of each number, and a node apart behind many others of them."""
    starts = np.ones(len(statement), bool)
    starts[1:] = statement[1:] != statement[:-1]
    nodes = np.cumsum(is_apart)
    before = (nodes - is_apart)[starts]
    number = nodes - before[np.cumsum(starts) - 1] - 1
    starts |= is_apart & (number > 0) & (number % NAMES_PER_STATEMENT == 0)
    result: np.ndarray = starts
    return result
