"""Type inference of the reductions, and the operands they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.ops.reduction import reduced_shape
from inbundle.graph.types import ElemKind, TensorType

REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin")


def add(kind: str, type: TensorType, **attributes: Any) -> TensorType:
    graph = Graph("g")
    return graph.add(kind, [graph.add_input("x", type)], attributes).output.type


def x(*shape: int, elem: ElemKind = ElemKind.FLOAT) -> TensorType:
    return TensorType(elem, shape)


def test_reduced_axes_stay_or_go() -> None:
    assert reduced_shape((2, 3, 4), (0, 2), True) == (1, 3, 1)
    assert reduced_shape((2, 3, 4), (0, 2), False) == (3,)
    assert reduced_shape((2, 3), (), False) == (2, 3)


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_a_reduction_keeps_the_element_kind(kind: str) -> None:
    for elem in set(ElemKind) - {ElemKind.BOOL}:
        assert add(kind, x(2, 3, elem=elem), axes=(1,), keepdims=False) == x(2, elem=elem)


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
def test_an_index_is_int64(kind: str) -> None:
    assert add(kind, x(2, 3), axis=1) == x(2, 1, elem=ElemKind.INT64)
    assert add(kind, x(2, 3), axis=0, keepdims=False) == x(3, elem=ElemKind.INT64)


def test_extremes_and_sums_of_nothing_exist_but_no_mean_and_no_index() -> None:
    for kind in ("ReduceSum", "ReduceMax", "ReduceMin"):
        assert add(kind, x(2, 0), axes=(1,)) == x(2, 1)
    with pytest.raises(CompileError, match="there is no element"):
        add("ReduceMean", x(2, 0), axes=(1,))
    with pytest.raises(CompileError, match="there is no element"):
        add("ArgMax", x(2, 0), axis=1)
    assert add("ArgMax", x(2, 0), axis=0) == x(1, 0, elem=ElemKind.INT64)


def test_booleans_have_extremes_only() -> None:
    flags = x(2, elem=ElemKind.BOOL)
    assert add("ReduceMax", flags, axes=(0,)) == x(1, elem=ElemKind.BOOL)
    for kind in ("ReduceSum", "ReduceMean"):
        with pytest.raises(CompileError, match="must be a number"):
            add(kind, flags, axes=(0,))
    with pytest.raises(CompileError, match="must be a number"):
        add("ArgMin", flags, axis=0)


@pytest.mark.parametrize("axes", [(2,), (-1,), (1, 0), (0, 0)])
def test_axes_ascend_within_the_rank(axes: tuple[int, ...]) -> None:
    with pytest.raises(CompileError, match="must ascend within its rank"):
        add("ReduceSum", x(2, 3), axes=axes)
