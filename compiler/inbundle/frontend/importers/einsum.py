"""Importer of Einsum: operand by operand, a product of two is a MatMul of matrices with batch dimensions."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from inbundle.frontend.equation import Labels, parsed
from inbundle.frontend.importers.registry import importer
from inbundle.frontend.node_context import NodeContext
from inbundle.frontend.reshaping import reshaped
from inbundle.graph.graph import Value


@dataclass(frozen=True)
class _Term:
    """A value with a label for each dimension. `part` begins the names of what is made of it."""

    value: Value
    labels: Labels
    part: str

    def size(self, label: str) -> int:
        return self.value.type.shape[self.labels.index(label)]


@importer("Einsum", since=12)
def einsum(ctx: NodeContext) -> Value:
    values = [ctx.input(index) for index in range(len(ctx.inputs))]
    operands, result = parsed(ctx.attr_string("equation"), [value.type.rank for value in values])
    pairs = enumerate(zip(values, operands, strict=True))
    terms = [_without_repeats(ctx, _Term(value, labels, f"term{at}")) for at, (value, labels) in pairs]
    first, *others = terms
    for at, other in enumerate(others):
        later = {label for term in others[at + 1 :] for label in term.labels}
        first = _product(ctx, first, other, later | set(result))
    return _ordered(ctx, _summed(ctx, first, result), result).value


def _without_repeats(ctx: NodeContext, term: _Term) -> _Term:
    """The diagonal of dimensions that have one label."""
    for label in dict.fromkeys(term.labels):
        while term.labels.count(label) > 1:
            one = term.labels.index(label)
            two = term.labels.index(label, one + 1)
            term = _diagonal(ctx, term, one, two)
    return term


def _diagonal(ctx: NodeContext, term: _Term, one: int, two: int) -> _Term:
    shape, label, part = term.value.type.shape, term.labels[one], f"{term.part}_{one}{two}"
    if shape[one] != shape[two]:
        raise ctx.error(f"dimensions of {shape[one]} and {shape[two]} have the label {label}", attribute="equation")
    rest = [axis for axis in range(len(shape)) if axis not in (one, two)]
    turned = ctx.add("Transpose", [term.value], {"perm": (one, two, *rest)}, part=f"{part}_turned")
    sizes = tuple(shape[axis] for axis in rest)
    rows = reshaped(ctx, turned, (shape[one] ** 2, *sizes), f"{part}_rows")
    places = ctx.new_constant(np.arange(shape[one]) * (shape[one] + 1), f"{part}_places")
    value = ctx.add("Gather", [rows, places], {"axis": 0}, part=part)
    return _Term(value, (label, *(term.labels[axis] for axis in rest)), part)


def _summed(ctx: NodeContext, term: _Term, needed: Collection[str]) -> _Term:
    """Without the labels that nobody needs."""
    axes = tuple(axis for axis, label in enumerate(term.labels) if label not in needed)
    if not axes:
        return term
    value = ctx.add("ReduceSum", [term.value], {"axes": axes, "keepdims": False}, part=f"{term.part}_sum")
    return _Term(value, tuple(label for label in term.labels if label in needed), f"{term.part}_sum")


def _ordered(ctx: NodeContext, term: _Term, labels: Labels) -> _Term:
    if term.labels == labels:
        return term
    perm = tuple(term.labels.index(label) for label in labels)
    return _Term(ctx.add("Transpose", [term.value], {"perm": perm}, part=f"{term.part}_order"), labels, term.part)


def _product(ctx: NodeContext, left: _Term, right: _Term, needed: Collection[str]) -> _Term:
    """(batch, left's own, common) times (batch, common, right's own); a common dimension of 1 is repeated."""
    left = _summed(ctx, left, {*needed, *right.labels})
    right = _summed(ctx, right, {*needed, *left.labels})
    shared = [label for label in left.labels if label in right.labels]
    left, right = _expanded(ctx, left, right, shared), _expanded(ctx, right, left, shared)
    batch = tuple(label for label in shared if label in needed)
    common = tuple(label for label in shared if label not in needed)
    rows, columns = (tuple(label for label in term.labels if label not in shared) for term in (left, right))
    sizes = {label: term.size(label) for term in (left, right) for label in term.labels}
    counts = [math.prod(sizes[label] for label in group) for group in (batch, rows, common, columns)]
    a = _ordered(ctx, left, (*batch, *rows, *common)).value
    b = _ordered(ctx, right, (*batch, *common, *columns)).value
    part = f"{left.part}_{right.part}"
    a = reshaped(ctx, a, (counts[0], counts[1], counts[2]), f"{part}_left")
    b = reshaped(ctx, b, (counts[0], counts[2], counts[3]), f"{part}_right")
    product = ctx.add("MatMul", [a, b], part=f"{part}_product")
    labels = (*batch, *rows, *columns)
    return _Term(reshaped(ctx, product, tuple(sizes[label] for label in labels), part), labels, part)


def _expanded(ctx: NodeContext, term: _Term, other: _Term, shared: Collection[str]) -> _Term:
    shape = list(term.value.type.shape)
    for axis, label in enumerate(term.labels):
        if label in shared and shape[axis] == 1:
            shape[axis] = other.size(label)
        if label in shared and other.size(label) not in (1, shape[axis]):
            raise ctx.error(f"dimensions of {shape[axis]} and {other.size(label)} have one label", attribute="equation")
    if tuple(shape) == term.value.type.shape:
        return term
    return _Term(
        ctx.add("Expand", [term.value], {"shape": tuple(shape)}, part=f"{term.part}_wide"), term.labels, term.part
    )
