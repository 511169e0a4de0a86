"""A graph that grows by random nodes: what the makers of nodes and of chains of nodes work with.

Values keep a magnitude of a few hundred and stay where functions are smooth, so that a change of rounding stays a
change of rounding: arguments of logarithms and roots, and divisors, are kept away from 0.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from inbundle.errors import CompileError
from inbundle.graph.graph import Attribute, Graph, Node, Value
from inbundle.graph.types import ElemKind, TensorType

MOST_ELEMENTS = 600
MOST_MAGNITUDE = 300.0


Maker = Callable[["Growth"], Value]


class Unfit(Exception):
    """The values at hand are none that the maker can use; another one is tried."""


class Growth:
    """A graph under construction. `magnitude` bounds the elements of each float value, roughly."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.graph = Graph("generated")
        self.values: list[Value] = []
        self.magnitude: dict[Value, float] = {}

    # --- values ------------------------------------------------------------------------------------------------------

    def input(self, shape: Sequence[int], elem: ElemKind = ElemKind.FLOAT) -> Value:
        value = self.graph.add_input(f"x{len(self.graph.inputs)}", TensorType(elem, tuple(shape)))
        return self.keep(value, 1.0)

    def constant(self, shape: Sequence[int], low: float = -1.0, high: float = 1.0) -> Value:
        """Float numbers from `low` to `high`."""
        data = np.random.default_rng(self.rng.getrandbits(16)).uniform(low, high, tuple(shape)).astype(np.float32)
        value = self.graph.add_constant("c", data)
        self.magnitude[value] = max(abs(low), abs(high))
        return value

    def keep(self, value: Value, magnitude: float) -> Value:
        """A new value that later nodes may read."""
        self.magnitude[value] = magnitude
        self.values.append(value)
        return value

    def any(self, wanted: Callable[[TensorType], bool] = lambda _: True) -> Value:
        """A value of a wanted type that has elements; recent ones are preferred, so that chains form."""
        fitting = [value for value in self.values if value.type.elements and wanted(value.type)]
        if not fitting:
            raise Unfit
        return self.rng.choice(fitting[-3:] if self.rng.random() < 0.6 else fitting)

    def floats(self, rank: int | None = None) -> Value:
        return self.any(lambda type: type.elem is ElemKind.FLOAT and (rank is None or type.rank == rank))

    def of_input(self) -> Value:
        """A float input of the graph, whose elements no pass rounds otherwise: something may depend on their order."""
        return self.rng.choice([value for value in self.graph.inputs if value.type.elem is ElemKind.FLOAT])

    def image(self) -> Value:
        """N x C x 1 to 3 spatial dimensions."""
        return self.any(lambda type: type.elem is ElemKind.FLOAT and 3 <= type.rank <= 5)

    def axis(self, value: Value) -> int:
        if not value.type.rank:
            raise Unfit
        return self.rng.randrange(value.type.rank)

    def partner(self, value: Value) -> Value:
        """A second operand that broadcasts with `value`: another value, or a constant."""
        if self.rng.random() < 0.4:
            return self.any(lambda type: type == value.type)
        shape = [self.rng.choice((1, size)) for size in value.type.shape]
        return self.constant(shape[self.rng.randint(0, len(shape)) :])

    def partner_along(self, value: Value, axis: int) -> Value:
        """An operand that can be concatenated with `value` along `axis`."""
        shape = list(value.type.shape)
        shape[axis] = self.rng.randint(1, 2)
        return self.constant(shape) if self.rng.random() < 0.4 else self.any(lambda type: type == value.type)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        attributes: dict[str, Attribute] | None = None,
        *,
        magnitude: float | None = None,
        results: int = 1,
    ) -> Value:
        """A node; its results have at most the magnitude of its operands unless `magnitude` says more."""
        known = [self.magnitude.get(value, 1.0) for value in inputs if value is not None]
        bound = max(known, default=1.0) if magnitude is None else magnitude
        if bound > MOST_MAGNITUDE:
            raise Unfit
        names = [f"v{len(self.graph.nodes)}_{index}" for index in range(results)]
        node = self._added(kind, inputs, attributes or {}, names)
        for output in node.outputs:
            self.keep(output, bound if output.type.elem.is_float else 1.0)
        return node.output

    def _added(
        self, kind: str, inputs: Sequence[Value | None], attributes: dict[str, Attribute], names: list[str]
    ) -> Node:
        try:
            node = self.graph.add(kind, inputs, attributes, outputs=names)
        except CompileError:
            raise Unfit from None
        if node.output.type.elements > MOST_ELEMENTS:
            self.graph.nodes.pop()
            raise Unfit
        return node

    def positive(self, value: Value) -> Value:
        """|value| + 1 / 2."""
        return self.add("Add", [self.add("Abs", [value]), self.constant((), 0.5, 0.5)], magnitude=self.of(value) + 0.5)

    def bounded(self, value: Value, bound: float) -> Value:
        return self.add("Clip", [value], {"min": -bound, "max": bound}, magnitude=bound)

    def of(self, value: Value) -> float:
        return self.magnitude[value]
