"""OptimizeInserts: parts of a Concat are computed in place."""

from __future__ import annotations

import numpy as np
import pytest
from ir_programs import Program

from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, View
from inbundle.ir.parts import inserted_at
from inbundle.ir.passes import PIPELINE, hoist_dealloc
from inbundle.ir.passes.inserts import optimize_inserts
from inbundle.ir.planner import plan
from inbundle.ir.tasks import schedule
from inbundle.ir.verifier import IRError, verify
from inbundle.lowering import lower
from ir_interpreter import run

TYPES = {name: TensorType(ElemKind.FLOAT, (size,)) for name, size in (("c", 8), ("d", 12), ("y", 8), ("z", 12))}


def inserted(*lines: str, types: dict[str, TensorType] | None = None) -> Program:
    program = Program(*lines, types={**TYPES, **(types or {})})
    hoist_dealloc(program.function)
    optimize_inserts(program.function)
    return program


def views(function: Function) -> list[tuple[str, str, int]]:
    return [(step.view.name, step.view.base.name, step.view.offset) for step in function.code if isinstance(step, View)]


@pytest.mark.parametrize(
    ("whole", "part", "offsets", "expected"),
    [
        ((1, 5, 2, 2), (1, 3, 2, 2), (0, 2, 0, 0), 8),
        ((4, 6), (1, 3), (2, 1), 13),
        ((6,), (2,), (4,), 4),
        ((2, 5, 2), (2, 3, 2), (0, 2, 0), None),
        ((4, 6), (2, 3), (0, 0), None),
        ((4, 6), (0, 6), (0, 0), None),
    ],
)
def test_only_parts_of_neighbouring_elements_have_a_start(
    whole: tuple[int, ...], part: tuple[int, ...], offsets: tuple[int, ...], expected: int | None
) -> None:
    function = Function("f")
    dest, src = (function.alloc(name, TensorType(ElemKind.FLOAT, shape)) for name, shape in (("d", whole), ("s", part)))
    insert = function.emit("inserttensor", "insert", [dest, src], {"Offsets": offsets})
    assert inserted_at(insert) == expected


def test_producers_write_the_result_and_other_readers_read_the_part() -> None:
    lines = ("relu a x", "tanh b a", "inserttensor c a 0", "inserttensor c b 4", "copy y c")
    program = inserted(*lines)
    assert program.text() == ["relu a x", "tanh b a", "copy y c"]
    assert views(program.function) == [("a", "c", 0), ("b", "c", 4)]


def test_an_input_a_value_inserted_twice_and_a_part_of_a_buffer_stay_copies() -> None:
    lines = ("relu a x", "view v a 1", "inserttensor d x 0", "inserttensor d a 4", "inserttensor d a 8", "copy z d")
    program = inserted(*lines)
    assert program.text() == ["relu a x", "inserttensor d x", "inserttensor d a", "copy z d"]
    part = TensorType(ElemKind.FLOAT, (2,))
    program = inserted("relu a x", "view v a 1", "inserttensor c v 0", types={"v": part})
    assert program.text() == ["relu a x", "inserttensor c v"]


def test_what_is_inserted_in_another_shape_is_computed_in_place() -> None:
    square = TensorType(ElemKind.FLOAT, (2, 2))
    program = inserted(
        "relu a x", "view v a", "inserttensor e v 1 0", types={"v": square, "e": TensorType(ElemKind.FLOAT, (3, 2))}
    )
    assert program.text() == ["relu a x"]
    assert views(program.function) == [("a", "e", 2)]


def test_a_result_may_be_part_of_a_larger_one() -> None:
    lines = ("relu a x", "tanh b x", "inserttensor c a 0", "inserttensor c b 4", "abs e x")
    program = inserted(*lines, "inserttensor d e 8", "inserttensor d c 0", "copy z d", "copy y c")
    assert program.text() == ["relu a x", "tanh b x", "abs e x", "copy z d", "copy y c"]
    assert sorted(views(program.function)) == [("a", "c", 0), ("b", "c", 4), ("c", "d", 0), ("e", "d", 8)]
    verify(program.function)


def concat(axis: int, batch: int = 1) -> Graph:
    """Two branches joined, then sliced apart again; the first is read by others, too."""
    graph = Graph("concat")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (batch, 3, 4)))
    left, right = graph.add("Exp", [x]).output, graph.add("Softmax", [x], {"axis": 2}).output
    joined = graph.add("Concat", [left, right], {"axis": axis}).output
    half = {"starts": (0, 0, 0), "steps": (1, 1, 1), "shape": left.type.shape}
    graph.outputs["y"] = graph.add("Add", [graph.add("Slice", [joined], half).output, left]).output
    graph.outputs["z"] = joined
    return graph


@pytest.mark.parametrize(("axis", "batch", "copies"), [(1, 1, 0), (0, 2, 0), (1, 2, 2), (2, 1, 2)])
def test_no_byte_is_copied_where_the_layout_allows_it(axis: int, batch: int, copies: int) -> None:
    graph = concat(axis, batch)
    x = np.random.default_rng(1).normal(size=(batch, 3, 4)).astype(np.float32)
    expected = run(lower(graph), {"x": x})
    function = lower(graph)
    for _, run_pass in PIPELINE:
        run_pass(function)
        verify(function)
    assert [step.kind for step in function.instructions()].count("inserttensor") == copies
    made = plan(function)
    order = [task.instruction for task in schedule(function, made)]
    for name, got in run(function, {"x": x}, made, order).items():
        np.testing.assert_array_equal(got, expected[name])


def test_the_verifier_knows_which_elements_are_written() -> None:
    lines = ("relu a x", "inserttensor c a 4", "view v c 4", "tanh b v", "inserttensor c b 0", "copy y c", "copy z d")
    program = Program(*lines, types={**TYPES, "v": TYPES["c"].with_shape((4,))})
    hoist_dealloc(program.function)
    with pytest.raises(IRError, match="d is read before it is written"):
        verify(program.function)
    program.function.instructions()[1].attributes["Offsets"] = (3,)
    with pytest.raises(IRError, match="v is read before it is written"):
        verify(program.function)
