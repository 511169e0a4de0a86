"""IR passes: each by a small program before and after, and all of them by equal numbers on random graphs."""

from __future__ import annotations

import numpy as np
import pytest
from ir_programs import FLOAT2X2, FLOAT4, SQUARES, Program

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, Dealloc, Function, Mutability, View, WeightVar
from inbundle.ir.passes import PIPELINE, hoist_dealloc, optimize
from inbundle.ir.passes.dead_allocs import delete_dead_allocs
from inbundle.ir.passes.dead_stores import delete_dead_stores
from inbundle.ir.passes.extracts import optimize_extracts
from inbundle.ir.passes.lifetimes import sink_allocs
from inbundle.ir.passes.peephole import peephole
from inbundle.ir.passes.scalar_constants import scalar_constants
from inbundle.ir.passes.share_buffers import share_buffers
from inbundle.ir.passes.write_outputs import write_outputs
from inbundle.ir.planner import plan
from inbundle.ir.printer import to_text
from inbundle.ir.verifier import IRError, verify
from inbundle.lowering import lower
from ir_interpreter import run
from random_graphs import random_graph, random_inputs

Sizes = tuple[int, ...]


def test_a_result_takes_over_the_buffer_of_an_operand_at_its_last_use() -> None:
    program = Program("relu a x", "tanh b a", "add c b x", "copy y c")
    share_buffers(program.function)
    assert program.text() == ["relu a x", "tanh a a", "add a a x", "copy y a"]


def test_a_buffer_that_is_read_later_is_not_taken_over() -> None:
    program = Program("relu a x", "tanh b a", "add c a b", "copy y c", "copy z a")
    share_buffers(program.function)
    assert program.text() == ["relu a x", "tanh b a", "add b a b", "copy y b", "copy z a"]


def test_an_operand_that_broadcasts_is_not_taken_over() -> None:
    small = TensorType(ElemKind.FLOAT, (1,))
    program = Program("reducesum a x", "add b x a", "copy y b", types={"a": small})
    share_buffers(program.function)
    assert program.text() == ["reducesum a x", "add b x a", "copy y b"]


def test_a_result_of_another_shape_takes_over_a_buffer_through_a_view() -> None:
    deep = TensorType(ElemKind.FLOAT, (1, 2, 2))
    types = {"v": FLOAT2X2, "u": deep, "b": deep, "y": deep}
    program = Program("relu a x", "view v a", "view u x", "add b v u", "copy y b", types=types)
    share_buffers(program.function)
    assert program.text() == ["relu a x", "add v_view v u", "copy y v_view"]


def test_a_buffer_of_which_only_a_part_is_read_is_not_taken_over() -> None:
    half = TensorType(ElemKind.FLOAT, (2,))
    program = Program("relu a x", "view v a", "tanh b v", "copy y b", types={"v": half, "b": half, "y": half})
    share_buffers(program.function)
    assert program.text() == ["relu a x", "tanh b v", "copy y b"]


def test_an_operand_that_the_kind_does_not_declare_as_in_place_keeps_its_buffer() -> None:
    program = Program("relu a x", "batchnormalization b a a x x x", "copy y b")
    share_buffers(program.function)
    assert program.text() == ["relu a x", "batchnormalization b a a x x x", "copy y b"]


def test_a_kind_that_mixes_elements_is_not_in_place() -> None:
    program = Program("relu a x", "transpose b a", "copy y b")
    share_buffers(program.function)
    assert program.text() == ["relu a x", "transpose b a", "copy y b"]


def test_the_other_uses_of_a_buffer_taken_over_through_a_view_see_the_view() -> None:
    program = Program(
        "relu a x", "view v a", "tanh b v", "copy y b", types={"v": FLOAT2X2, "b": FLOAT2X2, "y": FLOAT2X2}
    )
    share_buffers(program.function)
    assert program.text() == ["relu a x", "tanh v v", "copy y v"]


def test_a_producer_writes_the_output_itself_and_other_readers_read_the_output() -> None:
    program = Program("relu a x", "tanh b a", "copy y a", "copy z b")
    write_outputs(program.function)
    assert program.text() == ["relu y x", "tanh z y"]
    assert program.function.code == program.function.instructions()


def test_one_value_shown_twice_is_copied_once() -> None:
    program = Program("relu a x", "copy y a", "copy z a")
    write_outputs(program.function)
    assert program.text() == ["relu y x", "copy z y"]


def test_an_output_of_another_shape_is_written_through_a_view() -> None:
    program = Program("relu a x", "view v a", "copy y v", "copy z x", types={"v": FLOAT2X2, "y": FLOAT2X2})
    write_outputs(program.function)
    assert program.text() == ["relu y_view x", "copy z x"]


def test_an_output_that_shows_an_input_or_a_part_of_a_buffer_stays_a_copy() -> None:
    half = TensorType(ElemKind.FLOAT, (2,))
    program = Program("relu a x", "view v a", "copy y v", "copy z x", types={"v": half, "y": half})
    write_outputs(program.function)
    assert program.text() == ["relu a x", "copy y v", "copy z x"]


def test_an_output_that_is_in_use_before_its_copy_stays_a_copy() -> None:
    program = Program("tanh y x", "relu a y", "copy y a")
    write_outputs(program.function)
    assert program.text() == ["tanh y x", "relu a y", "copy y a"]


def test_what_becomes_an_output_in_place_is_computed_in_the_output() -> None:
    program = Program("transpose a x", "softmax b a", "copy y b", "copy z x", types=SQUARES)
    write_outputs(program.function)
    assert program.text() == ["transpose y x", "softmax y y", "copy z x"]
    view = Program("relu a x", "view v a", "softmax b v", "copy y b", types=dict.fromkeys("vby", FLOAT2X2))
    write_outputs(view.function)
    assert view.text() == ["relu y_view x", "softmax y v"]


def test_what_others_read_is_not_computed_in_the_output() -> None:
    program = Program("transpose a x", "softmax b a", "copy y b", "matmul c a x", "copy z c", types=SQUARES)
    write_outputs(program.function)
    assert program.text() == ["transpose a x", "softmax y a", "matmul z a x"]


def test_stores_that_nobody_reads_go_with_all_that_led_to_them() -> None:
    program = Program("relu a x", "tanh b a", "abs c x", "copy y c")
    delete_dead_stores(program.function)
    assert program.text() == ["abs c x", "copy y c"]


def test_a_store_that_is_overwritten_before_it_is_read_is_dead() -> None:
    program = Program("relu a x", "tanh a x", "copy y a")
    delete_dead_stores(program.function)
    assert program.text() == ["tanh a x", "copy y a"]


def scaled(*factors: float) -> Function:
    """x times a constant, element by element; the same constant as the right operand of a product of matrices."""
    program = Program(types=SQUARES)
    function = program.function
    factor = function.variable("c", FLOAT2X2, Mutability.CONST, np.array(factors, np.float32).reshape(2, 2))
    scaled, product = function.alloc("s", FLOAT2X2), function.alloc("p", FLOAT2X2)
    function.emit("mul", "mul", [scaled, program.values["x"], factor])
    function.emit("matmul", "matmul", [product, scaled, factor])
    function.emit("copy", "save", [program.values["y"], product])
    function.emit("copy", "save", [program.values["z"], scaled])
    hoist_dealloc(function)
    return function


def test_a_constant_of_equal_elements_is_one_element_for_element_wise_readers() -> None:
    function = scaled(-0.0, -0.0, -0.0, -0.0)
    scalar_constants(function)
    verify(function)
    element = function.instructions()[0]["RHS"]
    assert isinstance(element, WeightVar)
    assert (element.name, element.type.shape) == ("c_element", (1,))
    assert element.data is not None
    assert element.data.tobytes() == np.float32(-0.0).tobytes()
    assert function.instructions()[1]["RHS"].name == "c"


def test_a_constant_of_different_bits_stays() -> None:
    for factors in ((1, 1, 1, 2), (0.0, -0.0, 0.0, 0.0)):
        function = scaled(*factors)
        text = to_text(function)
        scalar_constants(function)
        assert to_text(function) == text


def test_constants_that_nobody_reads_vanish() -> None:
    program = Program("relu a x", "copy y a", "copy z x")
    for name in ("read", "unread"):
        program.function.variable(name, FLOAT4, Mutability.CONST, np.ones(4, np.float32))
    program.function.instructions()[0].operands["Src"].value = program.function.variables[-2]
    delete_dead_allocs(program.function)
    assert [variable.name for variable in program.function.variables] == ["x", "y", "z", "read"]


@pytest.mark.parametrize(
    ("source", "part", "offsets", "steps", "expected"),
    [
        ((4, 6), (2, 6), (1, 0), (1, 1), 6),
        ((4, 6), (1, 3), (2, 1), (1, 1), 13),
        ((1, 4, 6), (1, 2, 6), (0, 2, 0), (5, 1, 1), 12),
        ((4, 6), (1, 1), (3, 5), (-1, -2), 23),
        ((), (), (), (), 0),
        ((4, 6), (2, 3), (0, 0), (1, 1), None),
        ((4, 6), (2, 6), (0, 0), (2, 1), None),
        ((4, 6), (4, 6), (3, 0), (-1, 1), None),
        ((4, 6), (0, 6), (0, 0), (1, 1), None),
    ],
)
def test_only_slices_of_neighbouring_elements_become_views(
    source: tuple[int, ...],
    part: tuple[int, ...],
    offsets: tuple[int, ...],
    steps: tuple[int, ...],
    expected: int | None,
) -> None:
    function = Function("f")
    x, y = (function.variable(name, TensorType(ElemKind.FLOAT, source), Mutability.MUTABLE) for name in "xy")
    buffer = function.alloc("part", TensorType(ElemKind.FLOAT, part))
    function.emit("extracttensor", "slice", [buffer, x], {"Offsets": offsets, "Steps": steps})
    function.emit("copy", "save", [y, buffer])
    hoist_dealloc(function)
    optimize_extracts(function)
    views = [step.view.offset for step in function.code if isinstance(step, View)]
    assert views == ([] if expected is None else [expected])
    assert len(function.instructions()) == (2 if expected is None else 1)


def test_peephole_collapses_views_drops_self_copies_and_unread_argmax() -> None:
    program = Program(
        "maxpool a x m",
        "view v a",
        "view w v",
        "view u w",
        "copy w a",
        "copy y u",
        types={"v": FLOAT2X2, "u": FLOAT2X2},
    )
    peephole(program.function)
    assert program.text() == ["maxpool a x", "copy y u"]
    views = [step.view for step in program.function.code if isinstance(step, View)]
    assert [(view.name, view.base.name) for view in views] == [("v", "a"), ("u", "a")]


def test_buffers_and_views_that_no_instruction_names_vanish() -> None:
    types = {"v": FLOAT2X2, "w": FLOAT2X2, "b": FLOAT2X2, "y": FLOAT2X2}
    program = Program("relu a x", "view v a", "view w v", "view u a", "tanh b w", "copy y b", types=types)
    function = program.function
    function.view(function.alloc("unused", FLOAT4), FLOAT2X2, "of_unused")
    hoist_dealloc(function)
    delete_dead_allocs(function)
    declared = [
        step.view.name if isinstance(step, View) else step.buffer.name
        for step in function.code
        if isinstance(step, View | Alloc)
    ]
    assert declared == ["a", "v", "w", "b"]


def test_a_buffer_lives_from_its_first_to_its_last_use_and_unused_ones_vanish() -> None:
    program = Program("relu a x", "view v a", "tanh b v", "copy y b", types={"v": FLOAT2X2, "b": FLOAT2X2})
    function = program.function
    function.alloc("unused", FLOAT4)
    sink_allocs(function)
    hoist_dealloc(function)
    shape = [
        f"+{step.buffer.name}"
        if isinstance(step, Alloc)
        else f"-{step.buffer.name}"
        if isinstance(step, Dealloc)
        else step.view.name
        if isinstance(step, View)
        else step.kind
        for step in function.code
    ]
    assert shape == ["+a", "relu", "+b", "v", "tanh", "-a", "copy", "-b"]


@pytest.mark.parametrize("seed", range(60))
def test_passes_and_memory_reuse_do_not_change_a_result(seed: int) -> None:
    graph = random_graph(seed)
    inputs = random_inputs(graph, seed)
    plain = lower(graph)
    verify(plain)
    expected = run(plain, inputs)
    function = lower(graph)
    for _, run_pass in PIPELINE:
        run_pass(function)
        verify(function)
    for reuse in (False, True):
        for tried in (plain, function):
            got = run(tried, inputs, plan(tried, reuse=reuse))
            for name, value in expected.items():
                np.testing.assert_array_equal(got[name], value)


def test_optimising_is_deterministic_and_idempotent() -> None:
    for seed in range(5):
        first, second = lower(random_graph(seed)), lower(random_graph(seed))
        optimize(first)
        optimize(second)
        text = to_text(first)
        assert to_text(second) == text
        optimize(first)
        assert to_text(first) == text


def test_disabled_optimisation_only_verifies() -> None:
    function = lower(random_graph(0))
    text = to_text(function)
    optimize(function, enabled=False)
    assert to_text(function) == text
    function.code.pop()
    with pytest.raises(IRError):
        optimize(function, enabled=False)
