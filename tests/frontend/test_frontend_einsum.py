"""Einsum: the graph computes what NumPy computes."""

from __future__ import annotations

import numpy as np
import pytest
from one_node_model import Operand, import_node

from inbundle.errors import CompileError
from inbundle.graph.onnx import evaluate

CASES: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("bij,bjk", [(2, 3, 4), (2, 4, 5)]),
    ("ij->ji", [(2, 3)]),
    ("ij", [(2, 3)]),
    ("ji", [(2, 3)]),
    ("ijk->j", [(2, 3, 4)]),
    ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]),
    ("iji->j", [(3, 2, 3)]),
    ("i,i", [(4,), (4,)]),
    ("i,j->ij", [(2,), (3,)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
    ("...,ij->ij...", [(2,), (3, 4)]),
    ("b...i,i->b...", [(2, 3, 4, 5), (5,)]),
    ("ij, jk, kl -> il", [(2, 3), (3, 4), (4, 5)]),
    ("ab,bc,ac->abc", [(2, 3), (3, 4), (2, 4)]),
    ("nctw,vw,cd->nctvd", [(1, 2, 3, 4), (5, 4), (2, 3)]),
    (",ij->ij", [(), (2, 3)]),
]


@pytest.mark.parametrize(("equation", "shapes"), CASES)
def test_result(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands: dict[str, Operand] = {f"x{at}": shape for at, shape in enumerate(shapes)}
    graph = import_node("Einsum", operands, {"equation": equation}, opset=12)
    random = np.random.default_rng(1)
    given = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    feeds = {f"x{at}": np.asarray(data) for at, data in enumerate(given)}
    wanted = np.einsum(equation, *given)
    np.testing.assert_allclose(evaluate(graph, feeds)["y"], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij->i", "has 1 operands, the node has 2"),
        ("ijk,jk->i", "the term 'ijk' .* does not fit an operand of rank 2"),
        ("ij,jk->iz", "has a label in its result twice, or one that no operand has"),
        ("ij,jk->ii", "has a label in its result twice"),
        ("ij,ij->ij", "dimensions of 2 and 3 have one label"),
        ("i1,jk->i", "the term 'i1'"),
    ],
)
def test_errors(equation: str, message: str) -> None:
    with pytest.raises(CompileError, match=f"Einsum: .*{message}"):
        import_node("Einsum", {"a": (2, 3), "b": (3, 4)}, {"equation": equation}, opset=12)
