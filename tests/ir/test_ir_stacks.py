"""StackElementwise, and the rules of stacked instructions."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from ir_programs import FLOAT2X2, FLOAT4, SQUARES, Program

from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Instruction, Operand, Register, Role, TensorView
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.passes.share_buffers import share_buffers
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.planner import plan
from inbundle.ir.pooling import MOST_FLOATS
from inbundle.ir.printer import to_text
from inbundle.ir.stacks import MOST_STEPS
from inbundle.ir.tasks import schedule
from inbundle.ir.units import units
from inbundle.ir.verifier import IRError, verify
from inbundle.lowering import lower
from ir_interpreter import run
from random_graphs import random_graph, random_inputs


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def stack(*lines: str, types: dict[str, TensorType] | None = None) -> list[str]:
    program = Program(*lines, types=types)
    stack_elementwise(program.function)
    return program.text()


def test_a_chain_is_one_instruction_and_its_buffers_are_registers() -> None:
    program = Program("relu a x", "tanh b a", "abs c b", "copy y c", "copy z x")
    hoist_dealloc(program.function)
    stack_elementwise(program.function)
    assert program.text() == ["relu a x | tanh b a | abs c b", "copy y c", "copy z x"]
    verify(program.function)
    assert "%a = alloc" not in to_text(program.function)


def test_what_another_instruction_reads_too_stays_a_buffer() -> None:
    assert stack("relu a x", "tanh b a", "copy y b", "copy z a") == ["relu a x", "tanh b a", "copy y b", "copy z a"]


def test_a_value_that_one_stack_reads_twice_is_computed_once() -> None:
    assert stack("relu a x", "tanh b a", "mul c a b", "copy y c") == ["relu a x | tanh b a | mul c a b", "copy y c"]
    assert stack("sigmoid b x", "mul c x b", "copy y c") == ["sigmoid b x | mul c x b", "copy y c"]
    assert stack("relu a x", "mul c a a", "copy y c") == ["relu a x | mul c a a", "copy y c"]


def test_both_operands_may_be_chains() -> None:
    lines = ("relu a x", "tanh b x", "abs c b", "add d a c", "copy y d")
    assert stack(*lines) == ["tanh b x | abs c b | relu a x | add d a c", "copy y d"]


def test_one_step_of_another_kind_comes_first() -> None:
    lines = ("matmul a x w", "relu b x", "add c b a", "tanh d c", "copy y d")
    assert stack(*lines, types=SQUARES) == ["matmul a x w | relu b x | add c b a | tanh d c", "copy y d"]


def test_of_two_that_are_not_element_wise_the_later_one_is_the_first_step() -> None:
    lines = ("matmul a x w", "matmul b w x", "add c a b", "copy y c")
    assert stack(*lines, types=SQUARES) == ["matmul a x w", "matmul b w x | add c a b", "copy y c"]


def test_what_is_not_element_wise_is_not_put_off() -> None:
    """The operands of the product would live on until e is there."""
    lines = ("matmul a x w", "matmul d w x", "softmax e d", "add c a e", "copy y c")
    assert stack(*lines, types=SQUARES) == list(lines)


def test_an_element_wise_producer_is_put_off_unless_that_keeps_more_bytes_alive() -> None:
    """Of a sum, both operands would live until e is there, instead of the sum alone."""
    first, then = ("softmax p x", "softmax q w"), ("matmul d x w", "softmax e d", "mul f c e", "copy y f")
    assert stack(*first, "add c p q", *then, types=SQUARES) == [*first, "add c p q", *then]
    assert stack(*first, "add c p q", "mul f c x", "copy y f", types=SQUARES)[2] == "add c p q | mul f c x"
    assert stack(*first, "relu c p", *then, types=SQUARES)[-2] == "relu c p | mul f c e"


def test_an_operand_that_repeats_is_no_part_of_the_stack() -> None:
    types = {"x": floats(2, 3), "a": floats(3), "b": floats(3), "c": floats(2, 3), "y": floats(2, 3)}
    assert stack("reducesum a x", "relu b a", "add c x b", "copy y c", types=types) == [
        "reducesum a x | relu b a",
        "add c x b",
        "copy y c",
    ]


def test_one_element_of_a_buffer_is_no_part_of_the_stack() -> None:
    lines = ("relu a x", "view v a 2", "add b x v", "copy y b")
    assert stack(*lines, types={"v": floats(1)}) == ["relu a x", "add b x v", "copy y b"]


def test_a_stack_goes_on_behind_another_shape() -> None:
    lines = ("relu a x", "view v a", "tanh b v", "copy y b")
    types = {"v": FLOAT2X2, "b": FLOAT2X2, "y": FLOAT2X2}
    program = Program(*lines, types=types)
    hoist_dealloc(program.function)
    stack_elementwise(program.function)
    assert program.text() == ["relu a x | tanh b v", "copy y b"]
    assert "tensorview" not in to_text(program.function)


def test_operands_that_repeat_along_two_shapes_need_two_loops() -> None:
    types = {"x": floats(2, 6), "w": floats(6), "v": floats(4, 3), "u": floats(3), "a": floats(2, 6)}
    types |= {name: floats(4, 3) for name in "by"}
    lines = ("add a x w", "view v a", "add b v u", "copy y b")
    assert stack(*lines, types=types) == ["add a x w", "add b v u", "copy y b"]


def test_a_kernel_that_knows_no_column_takes_no_operand_per_column() -> None:
    types = {"x": floats(2, 3, 4), "w": floats(4), **{name: floats(3, 4) for name in "yab"}}
    lines = ["reducesum a x", "add b a w", "copy y b"]
    assert stack(*lines, types=types) == lines


WIDE = {**SQUARES, **dict.fromkeys("uvyz", TensorType(ElemKind.FLOAT, (2, 4)))}


def test_a_loop_reads_at_moved_indices() -> None:
    lines = ("extracttensor a u", "transpose b x", "add c a b", "transpose d c", "copy z d")
    moved = ["extracttensor a u | transpose b x | add c a b", "transpose d c", "copy z d"]
    assert stack(*lines, types=WIDE) == moved


def test_what_has_loops_of_its_own_takes_in_no_moved_indices() -> None:
    lines = ("transpose a x", "matmul b x w", "add c a b", "copy y c")
    assert stack(*lines, types=SQUARES) == ["transpose a x", "matmul b x w | add c a b", "copy y c"]


def test_a_loop_inserts_its_result_where_no_view_can_be_written() -> None:
    lines = ("relu a x", "transpose b x", "inserttensor v a 0 0", "inserttensor v b 0 2", "copy y v")
    program = Program(*lines, "copy z v", types=WIDE)
    hoist_dealloc(program.function)
    before = run(program.function, {"x": np.array([[1, -2], [-3, 4]], np.float32)})
    stack_elementwise(program.function)
    assert program.text() == ["relu a x | inserttensor v a", "transpose b x | inserttensor v b", "copy y v", "copy z v"]
    verify(program.function)
    after = run(program.function, {"x": np.array([[1, -2], [-3, 4]], np.float32)})
    assert all(np.array_equal(after[name], before[name]) for name in "yz")
    del program.function.instructions()[1].epilogue[-1]
    with pytest.raises(IRError, match="the last step does not write Dest"):
        verify(program.function)


def test_insertions_of_loops_into_one_tensor_do_not_wait_for_each_other() -> None:
    lines = ("relu a x", "transpose b x", "inserttensor v a 0 0", "inserttensor v b 0 2", "copy y v")
    program = Program(*lines, types=WIDE)
    hoist_dealloc(program.function)
    stack_elementwise(program.function)
    tasks = schedule(program.function, plan(program.function))
    assert [task.after for task in tasks] == [(), (), (0, 1)]
    assert [units(task.instruction) for task in tasks] == [4, 4, 8]


def test_a_stack_has_an_end() -> None:
    names = [f"{'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}" for i in range(MOST_STEPS + 8)]
    lines = ["relu aa x", *(f"relu {name} {before}" for before, name in itertools.pairwise(names))]
    text = stack(*lines, f"copy y {names[-1]}")
    assert [line.count("|") + 1 for line in text] == [MOST_STEPS, 8, 1]


def test_the_text_shows_the_steps() -> None:
    graph = Graph("tiny")
    x, y = (graph.add_input(name, floats(1, 4)) for name in "xy")
    total = graph.add("Add", [x, y], name="add")
    graph.outputs["z"] = graph.add("Relu", [total.output], name="relu").output
    function = lower(graph)
    stack_elementwise(function)
    code = to_text(function).partition("code {\n")[2]
    assert (
        code
        == """\
  0 %relu_res = allocactivation  { Ty: float<1 x 4>} // size: 16 // Users: @out 3, @in 2, @out 1
  1 %add = add @out %add_res, @in %x, @in %y {
      %relu = relu @out %relu_res, @in %add_res
    }
  2 %z_save = copy @out %z, @in %relu_res
  3 %dealloc_relu_res = deallocactivation @out %relu_res // size: 16
}
"""
    )


def test_what_an_epilogue_reads_is_taken_over_where_each_element_is_stored_once() -> None:
    for head in ("transpose b x", "matmul b x x"):
        program = Program("softmax a x", head, "add c b a", "copy y c", types=SQUARES)
        stack_elementwise(program.function)
        share_buffers(program.function)
        assert program.text()[1] == f"{head} | add a b a"


def test_a_row_that_is_too_long_to_be_summed_up_elsewhere_keeps_its_place() -> None:
    long = dict.fromkeys("xyzabc", floats(MOST_FLOATS + 1, MOST_FLOATS + 1))
    program = Program("softmax a x", "matmul b x x", "add c b a", "copy y c", types=long)
    stack_elementwise(program.function)
    share_buffers(program.function)
    assert program.text()[1] == "matmul b x x | add c b a"


def stacked_function() -> Function:
    """`relu a x | tanh b a | copy`, verified."""
    program = Program("relu a x", "tanh b a", "copy y b", "copy z x")
    hoist_dealloc(program.function)
    stack_elementwise(program.function)
    verify(program.function)
    return program.function


def break_kind(stack: Instruction) -> None:
    stack.epilogue[0].kind = "copy"


def break_register(stack: Instruction) -> None:
    stack.epilogue[0].operands["Src"] = Operand(Role.IN, Register("other", FLOAT4))


def break_operand(stack: Instruction) -> None:
    stack.epilogue[0].operands["Src"] = Operand(Role.IN, stack["Src"])


def break_part(stack: Instruction) -> None:
    assert stack.result
    part = TensorView("part", floats(1), stack.result, 1)
    stack.epilogue[0].operands["Src"] = Operand(Role.IN, part)


def break_result(stack: Instruction) -> None:
    stack.result = None


def break_dest(stack: Instruction) -> None:
    stack.epilogue[0].operands["Dest"] = Operand(Role.OUT, stack["Dest"])


def break_size(stack: Instruction) -> None:
    assert stack.result
    stack.result.type = floats(5)


@pytest.mark.parametrize(
    ("break_rule", "message"),
    [
        (break_kind, "copy cannot be step 1"),
        (break_register, "step__1 reads what is neither an operand nor computed before it"),
        (break_operand, "step__1 reads what is neither an operand nor computed before it"),
        (break_part, "step__1 reads what is neither an operand nor computed before it"),
        (break_result, "an epilogue needs the register of the result"),
        (break_dest, "the last step does not write Dest"),
        (break_size, "step__1 computes 4 elements, not 5"),
    ],
)
def test_the_verifier_knows_the_rules_of_stacks(break_rule: Callable[[Instruction], None], message: str) -> None:
    function = stacked_function()
    break_rule(function.instructions()[0])
    with pytest.raises(IRError, match=message):
        verify(function)


@pytest.mark.parametrize("seed", range(60))
def test_stacking_changes_no_result(seed: int) -> None:
    graph = random_graph(seed, nodes=14)
    inputs = random_inputs(graph, seed)
    function = lower(graph)
    expected = run(function, inputs)
    stack_elementwise(function)
    verify(function)
    for name, got in run(function, inputs).items():
        np.testing.assert_array_equal(got, expected[name])
