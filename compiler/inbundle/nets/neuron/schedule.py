"""When each node of a circuit stands in the net.

The uses of every value are known by now. A value with one use is a wire from its producer to its consumer. Any other
value, and every source, is *fanned*: it has a fan-out of its own, and these stand in the order of ids. A node stands
with the fan-out that brings its last operand:

- as a port of that fan-out, if that brings its left operand: `x ~ Dup(Mul(p, ..), ReLU(q))`;
- else as a connection of its own behind the fan-out: `p ~ Add(s, q)`.

So nothing ever waits: after each fan-out and what follows from it, the net is settled, partial sums are all that is
kept, and the operand that came first is the one that a connection names on its side.
"""

from __future__ import annotations

import numpy as np

from inbundle.nets.neuron.circuit import Batch, Circuit

NONE = -1


class Schedule:
    """Arrays over ids (a node has the number of its result) and over the ports of all fan-outs ("leaves").

    Attributes:
        left, right: operands of each node, NONE where there is none.
        fanned: mask of the ids that have a fan-out.
        ports: ports of each id's fan-out, 0 for one that is erased.
        first_leaf: number of each fanned id's first leaf.
        leaf_id: leaf -> id whose fan-out it belongs to.
        leaf_position: leaf -> which port of the fan-out it is.
        left_leaf, right_leaf: node -> leaf that brings the operand, NONE where the operand is not fanned.
        in_fan_out: mask of the nodes that stand as a port of a fan-out; it is their `left_leaf`.
        cause: node -> leaf behind which it stands.
    """

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._count_uses()
        self._order_operands()
        self._number_leaves()
        self._place_nodes()

    def _count_uses(self) -> None:
        circuit = self._circuit
        uses = np.zeros(circuit.count, np.int64)
        for batch in circuit.batches:
            for operand in _operands(batch):
                uses += np.bincount(operand, minlength=circuit.count)
        named = np.array(list(circuit.names), np.int64)
        uses[named] += 1
        self.fanned = uses != 1
        for sources in circuit.sources:
            self.fanned[sources.first : sources.first + sources.count] = True
        self.ports = np.where(self.fanned, uses, 0)

    def _order_operands(self) -> None:
        """Finds the fan-out that each node stands behind, and lets an operation meet the earlier operand first."""
        self._available = np.arange(self._circuit.count, dtype=np.int32)
        self._stands = np.full(self._circuit.count, NONE, np.int32)
        self.left, self.right = self._stands.copy(), self._stands.copy()
        for batch in self._circuit.batches:
            self._order_batch(batch)

    def _order_batch(self, batch: Batch) -> None:
        left, right = batch.left, batch.right
        stands = self._available[left]
        if right is not None:
            other = self._available[right]
            if batch.operation.commutative:
                swap = stands > other
                left, right = np.where(swap, right, left), np.where(swap, left, right)
            stands = np.maximum(stands, other)
            self.right[batch.numbers] = right
        self.left[batch.numbers] = left
        self._stands[batch.numbers] = stands
        passed_on = ~self.fanned[batch.numbers]
        self._available[batch.numbers][passed_on] = stands[passed_on]

    def _number_leaves(self) -> None:
        """Leaves are numbered by id, then by node, the left operand of a node before the right one."""
        operands = np.stack([self.left, self.right], axis=1).ravel()
        is_leaf = np.flatnonzero((operands >= 0) & self.fanned[operands])
        order = np.argsort(operands[is_leaf], kind="stable")
        leaves = np.full(len(operands), NONE, np.int32)
        leaves[is_leaf[order]] = np.arange(len(order))
        self.left_leaf, self.right_leaf = leaves[0::2], leaves[1::2]
        self.leaf_id = operands[is_leaf[order]]
        self.first_leaf = np.cumsum(self.ports) - self.ports
        self.leaf_position = np.arange(len(order)) - self.first_leaf[self.leaf_id]

    def _place_nodes(self) -> None:
        at_left = self._available[self.left] == self._stands
        self.in_fan_out = (self.left_leaf >= 0) & at_left
        self.cause = np.full(self._circuit.count, NONE, np.int32)
        for batch in self._circuit.batches:
            numbers = batch.numbers
            self.cause[numbers] = np.maximum(
                self._cause_by(self.left[numbers], self.left_leaf[numbers], self._stands[numbers]),
                self._cause_by(self.right[numbers], self.right_leaf[numbers], self._stands[numbers]),
            )

    def _cause_by(self, operand: np.ndarray, leaf: np.ndarray, stands: np.ndarray) -> np.ndarray:
        """The leaf through which an operand arrives with the fan-out `stands`, NONE if it arrived earlier."""
        arrives = (operand >= 0) & (self._available[operand] == stands)
        return np.where(arrives, np.where(leaf >= 0, leaf, self.cause[operand]), NONE)


def _operands(batch: Batch) -> list[np.ndarray]:
    return [batch.left] if batch.right is None else [batch.left, batch.right]
