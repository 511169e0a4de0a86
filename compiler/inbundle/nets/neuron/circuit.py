"""Circuit: a model as scalar operations, before it becomes a net.

Every tensor element is an *id*. An id >= 0 is a value that the net computes: given by the host (a *source*) or the
result of one node. An id < 0 is the constant number `~id`. Ids travel in NumPy arrays of the tensor's shape, so moving
data is indexing and makes nothing. Nodes are made in batches, all of one operation; a batch reads only earlier ids.

Operations on constants alone are computed here, in float32. This module knows no instruction of the IR.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

import numpy as np

from inbundle.nets.builder import balanced_fan_in
from inbundle.nets.neuron.operation import Operation, second_half

NO_WEIGHT = -1


@dataclass(eq=False)
class Batch:
    """Nodes `first` to `first + len(left) - 1`: each computes the id that is its number.

    Attributes:
        left: ids of the operand that the agent meets first.
        right: ids of the other operand when it is a value, else None.
        constant: constant numbers of the other operand, or of the attribute of a second half, else None.
        attributes: float attributes, the same for all nodes.
        indices: an int attribute per node, or None.
    """

    operation: Operation
    first: int
    left: np.ndarray
    right: np.ndarray | None = None
    constant: np.ndarray | None = None
    attributes: tuple[float, ...] = ()
    indices: np.ndarray | None = None

    @property
    def numbers(self) -> slice:
        return slice(self.first, self.first + len(self.left))


@dataclass(frozen=True)
class Sources:
    """Ids `first` to `first + count - 1` come from outside.

    Attributes:
        constants: constant numbers, when they are constants that an output shows as they are.
        indices: numbers for the native function `input`, when the host offers them so.
        names: interface names, when the host connects them.
    """

    first: int
    count: int
    constants: np.ndarray | None = None
    indices: np.ndarray | None = None
    names: tuple[str, ...] = ()


class Constants:
    """float32 constants, each a literal or a float of the region constantWeight.

    Attributes:
        origin: the place in the model that adds constants now, as errors show it.
    """

    def __init__(self) -> None:
        self.origin: tuple[str, ...] = ()
        self._origins: list[tuple[int, tuple[str, ...], str]] = []
        self._values: list[np.ndarray] = []
        self._weights: list[np.ndarray] = []
        self._count = 0

    def add(self, values: np.ndarray, weights: np.ndarray | None = None, name: str = "") -> np.ndarray:
        """Ids, in the shape of `values`.

        Args:
            weights: numbers for the native function `weight`.
            name: the tensor's, if they are the elements of one.
        """
        first = self._count
        self._origins.append((first, self.origin, name))
        self._count += values.size
        self._values.append(values.astype(np.float32).ravel())
        self._weights.append(np.full(values.size, NO_WEIGHT) if weights is None else weights.ravel())
        return ~np.arange(first, self._count).reshape(values.shape)

    def values(self, ids: np.ndarray) -> np.ndarray:
        result: np.ndarray = self._gathered(self._values, np.float32)[~ids]
        return result

    def weights(self, ids: np.ndarray) -> np.ndarray:
        """Numbers for `weight`, NO_WEIGHT where a constant is a literal."""
        result: np.ndarray = self._gathered(self._weights, np.int64)[~ids]
        return result

    def origin_of(self, number: int) -> tuple[tuple[str, ...], str]:
        """The `origin` under which constant `number` was added, and the name of its tensor."""
        index = bisect.bisect_right(self._origins, number, key=lambda entry: entry[0]) - 1
        return self._origins[index][1:]

    @staticmethod
    def _gathered(parts: list[np.ndarray], dtype: type) -> np.ndarray:
        parts[:] = [np.concatenate([np.zeros(0, dtype), *parts])]
        return parts[0]


class Circuit:
    """The nodes of a model. All arrays of ids may have any shape; operands of one operation have equal shapes.

    Attributes:
        count: ids of values so far.
        names: id -> interface name, for values that the host reads.
    """

    def __init__(self) -> None:
        self.constants = Constants()
        self.batches: list[Batch] = []
        self.sources: list[Sources] = []
        self.names: dict[int, str] = {}
        self.count = 0

    # --- sources -------------------------------------------------------------------------------------------------

    def inputs(
        self, shape: tuple[int, ...], *, indices: np.ndarray | None = None, names: tuple[str, ...] = ()
    ) -> np.ndarray:
        """Ids of the values of a placeholder: by number or by interface name."""
        ids = self._new(int(np.prod(shape)))
        if ids.size:
            self.sources.append(Sources(self.count - ids.size, ids.size, indices=indices, names=names))
        return ids.reshape(shape)

    def as_values(self, ids: np.ndarray) -> np.ndarray:
        """The ids with every constant replaced by a value that the net holds."""
        ids = ids.copy()
        is_constant = ids < 0
        if is_constant.any():
            new = self._new(int(np.count_nonzero(is_constant)))
            self.sources.append(Sources(self.count - new.size, new.size, constants=~ids[is_constant]))
            ids[is_constant] = new
        return ids

    def _new(self, count: int) -> np.ndarray:
        first = self.count
        self.count += count
        return np.arange(first, self.count)

    # --- constants -----------------------------------------------------------------------------------------------

    def literal(self, value: float) -> int:
        """The id of a constant."""
        return int(self.constants.add(np.array(value)))

    def literals(self, values: np.ndarray) -> np.ndarray:
        return self.constants.add(values)

    def constants_read(self) -> list[np.ndarray]:
        """Numbers of the constants that stand in the net."""
        read = [batch.constant for batch in self.batches if batch.constant is not None]
        return read + [sources.constants for sources in self.sources if sources.constants is not None]

    # --- operations ----------------------------------------------------------------------------------------------

    def unary(
        self,
        operation: Operation,
        operand: np.ndarray,
        attributes: tuple[float, ...] = (),
        indices: np.ndarray | None = None,
    ) -> np.ndarray:
        """One node per element. `indices`, an int attribute per element, are for values only."""
        flat = operand.ravel()
        result = np.empty_like(flat)
        is_value = flat >= 0
        if not is_value.all():
            result[~is_value] = self._evaluated(operation, (flat[~is_value],), attributes)
        if is_value.any():
            result[is_value] = self._batch(operation, flat[is_value], attributes=attributes, indices=indices)
        return result.reshape(operand.shape)

    def binary(self, operation: Operation, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """One node per pair of elements."""
        shape, left, right = left.shape, left.ravel(), right.ravel()
        if operation.commutative:  # a constant comes first
            swap = (left >= 0) & (right < 0)
            left, right = np.where(swap, right, left), np.where(swap, left, right)
        result = np.empty_like(left)
        left_is_value, right_is_value = left >= 0, right >= 0
        for chosen, make in (
            (~left_is_value & ~right_is_value, self._of_constants),
            (left_is_value & ~right_is_value, self._with_constant),
            (~left_is_value & right_is_value, self._after_constant),
            (left_is_value & right_is_value, self._of_values),
        ):
            if chosen.all():
                return make(operation, left, right).reshape(shape)
            if chosen.any():
                result[chosen] = make(operation, left[chosen], right[chosen])
        return result.reshape(shape)

    def fan_in(self, operation: Operation, leaves: np.ndarray, counts: np.ndarray, empty: float) -> np.ndarray:
        """Balanced fan-in of consecutive groups of leaves; a group without leaves gives the constant `empty`."""
        if counts.size and counts.min() == 0:
            missing = np.flatnonzero(counts == 0)
            leaves = np.insert(leaves, np.cumsum(counts)[missing], self.literal(empty))
            counts = np.maximum(counts, 1)
        return balanced_fan_in(leaves, counts, lambda left, right: self.binary(operation, left, right))

    def fold(self, operation: Operation, leaves: np.ndarray, empty: float) -> np.ndarray:
        """Balanced fan-in along the last axis."""
        shape = leaves.shape[:-1]
        counts = np.full(int(np.prod(shape)), leaves.shape[-1])
        return self.fan_in(operation, leaves.ravel(), counts, empty).reshape(shape)

    def _of_constants(self, operation: Operation, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._evaluated(operation, (left, right), ())

    def _with_constant(self, operation: Operation, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._batch(operation, left, constant=~right)

    def _after_constant(self, operation: Operation, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The constant and the agent would meet at once, so what they leave behind is written instead."""
        return self._batch(second_half(operation), right, constant=~left)

    def _of_values(self, operation: Operation, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return self._batch(operation, left, right=right)

    def _evaluated(
        self, operation: Operation, operands: tuple[np.ndarray, ...], attributes: tuple[float, ...]
    ) -> np.ndarray:
        values = [self.constants.values(ids) for ids in operands]
        with np.errstate(all="ignore"):
            return self.constants.add(operation.evaluate(*values, *map(np.float32, attributes)))

    def _batch(
        self,
        operation: Operation,
        left: np.ndarray,
        *,
        right: np.ndarray | None = None,
        constant: np.ndarray | None = None,
        attributes: tuple[float, ...] = (),
        indices: np.ndarray | None = None,
    ) -> np.ndarray:
        result = self._new(left.size)
        self.batches.append(Batch(operation, self.count - left.size, left, right, constant, attributes, indices))
        return result
