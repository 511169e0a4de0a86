"""Type inference of the data-movement kinds, and the operands they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType

F, I64 = ElemKind.FLOAT, ElemKind.INT64
GOOD: list[tuple[str, list[TensorType], dict[str, Any], TensorType]] = [
    ("Reshape", [TensorType(F, (2, 3))], {"shape": (6,)}, TensorType(F, (6,))),
    ("Reshape", [TensorType(F, (1,))], {"shape": ()}, TensorType(F, ())),
    ("Reshape", [TensorType(F, (0, 3))], {"shape": (7, 0)}, TensorType(F, (7, 0))),
    ("Transpose", [TensorType(F, (2, 3, 4))], {"perm": (2, 0, 1)}, TensorType(F, (4, 2, 3))),
    ("Transpose", [TensorType(F, ())], {"perm": ()}, TensorType(F, ())),
    (
        "Concat",
        [TensorType(F, (2, 3)), TensorType(F, (2, 0)), TensorType(F, (2, 1))],
        {"axis": 1},
        TensorType(F, (2, 4)),
    ),
    ("Slice", [TensorType(F, (5,))], {"starts": (4,), "steps": (-2,), "shape": (3,)}, TensorType(F, (3,))),
    ("Slice", [TensorType(F, (5,))], {"starts": (0,), "steps": (1,), "shape": (0,)}, TensorType(F, (0,))),
    ("Pad", [TensorType(F, (2, 3))], {"pads": (1, -1, 0, 2)}, TensorType(F, (3, 4))),
    ("Pad", [TensorType(F, (3,))], {"pads": (2, 2), "mode": "reflect"}, TensorType(F, (7,))),
    ("Pad", [TensorType(F, (1,))], {"pads": (2, 2), "mode": "edge"}, TensorType(F, (5,))),
    ("Gather", [TensorType(F, (2, 3)), TensorType(I64, ())], {"axis": 1}, TensorType(F, (2,))),
    ("Gather", [TensorType(F, (2, 3)), TensorType(I64, (4, 5))], {"axis": 0}, TensorType(F, (4, 5, 3))),
    ("Gather", [TensorType(F, (0, 3)), TensorType(I64, (0,))], {"axis": 0}, TensorType(F, (0, 3))),
    ("Expand", [TensorType(F, (3, 1))], {"shape": (2, 3, 0)}, TensorType(F, (2, 3, 0))),
    ("Cast", [TensorType(F, (2,))], {"to": "BOOL"}, TensorType(ElemKind.BOOL, (2,))),
]
BAD: list[tuple[str, list[TensorType], dict[str, Any], str]] = [
    ("Reshape", [TensorType(F, (2, 3))], {"shape": (4,)}, r"cannot reshape float<2 x 3> \(6 elements\) to \[4\]"),
    ("Reshape", [TensorType(F, (2, 3))], {"shape": (-2, -3)}, "cannot reshape"),
    ("Reshape", [], {"shape": (1,)}, "Reshape takes 1 operand, not 0"),
    ("Reshape", [TensorType(F, (2,))], {}, "Reshape needs the attribute 'shape'"),
    ("Transpose", [TensorType(F, (2, 3))], {"perm": (0,)}, "no permutation"),
    ("Concat", [TensorType(F, ())], {"axis": 0}, "axis 0 is outside the rank"),
    ("Concat", [], {"axis": 0}, "takes 1 operand, not 0"),
    ("Concat", [TensorType(F, (2,)), TensorType(I64, (2,))], {"axis": 0}, "differ in element type"),
    ("Concat", [TensorType(F, (2, 3)), TensorType(F, (1, 3))], {"axis": 1}, "differ in dimension 0"),
    ("Slice", [TensorType(F, (5,))], {"starts": (4,), "steps": (1,), "shape": (2,)}, "leave axis 0"),
    ("Slice", [TensorType(F, (5,))], {"starts": (1,), "steps": (-1,), "shape": (3,)}, "leave axis 0"),
    ("Slice", [TensorType(F, (5,))], {"starts": (0,), "steps": (0,), "shape": (1,)}, "leave axis 0"),
    ("Slice", [TensorType(F, (5,))], {"starts": (0, 0), "steps": (1,), "shape": (1,)}, "starts .* needs 1"),
    ("Pad", [TensorType(F, (2,))], {"pads": (-1, -2)}, "take more than the 2 elements"),
    ("Pad", [TensorType(F, (3,))], {"pads": (3, 0), "mode": "reflect"}, "needs 4 elements, axis 0 has 3"),
    ("Pad", [TensorType(F, (3,))], {"pads": (-1, 2), "mode": "reflect"}, "needs 3 elements, axis 0 has 2"),
    ("Pad", [TensorType(F, (0,))], {"pads": (1, 0), "mode": "edge"}, "needs 1 elements, axis 0 has 0"),
    ("Pad", [TensorType(F, (3,))], {"pads": (1, 0), "mode": "mirror"}, "none of constant, reflect, edge, wrap"),
    ("Gather", [TensorType(F, (2,)), TensorType(F, (1,))], {"axis": 0}, "not int32 or int64"),
    ("Gather", [TensorType(F, (0,)), TensorType(I64, (1,))], {"axis": 0}, "has no element to choose"),
    ("Gather", [TensorType(F, (2,)), TensorType(I64, (1,))], {"axis": 1}, "outside the rank"),
    ("Expand", [TensorType(F, (2, 3))], {"shape": (3,)}, r"cannot expand float<2 x 3> to \[3\]"),
    ("Expand", [TensorType(F, (2,))], {"shape": (4,)}, "cannot expand"),
    ("Cast", [TensorType(F, (2,))], {"to": "DOUBLE"}, "'DOUBLE' is no element kind"),
]


def add(kind: str, types: list[TensorType], attributes: dict[str, Any]) -> TensorType:
    graph = Graph("g")
    return graph.add(kind, [graph.add_input("x", type) for type in types], attributes).output.type


@pytest.mark.parametrize(("kind", "types", "attributes", "wanted"), GOOD)
def test_the_result_follows_from_the_operands(
    kind: str, types: list[TensorType], attributes: dict[str, Any], wanted: TensorType
) -> None:
    assert add(kind, types, attributes) == wanted


@pytest.mark.parametrize(("kind", "types", "attributes", "message"), BAD)
def test_operands_that_do_not_fit_are_refused(
    kind: str, types: list[TensorType], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError, match=message):
        add(kind, types, attributes)


@pytest.mark.parametrize(("index", "fits"), [(-3, True), (2, True), (3, False), (-4, False)])
def test_constant_indices_must_lie_inside(index: int, fits: bool) -> None:
    graph = Graph("g")
    operands = [graph.add_input("x", TensorType(F, (2, 3))), graph.add_constant("i", np.asarray([0, index]))]
    if fits:
        assert graph.add("Gather", operands, {"axis": 1}).output.type.shape == (2, 2)
    else:
        with pytest.raises(CompileError, match=r"an index of 'i' is outside \[-3, 2\], axis 1 of float<2 x 3>"):
            graph.add("Gather", operands, {"axis": 1})
