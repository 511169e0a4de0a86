"""The form of what lowering makes: variables, names, views, outputs."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.graph.graph import Graph, Placeholder
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import AllocActivation, Function, Mutability, TensorView, View, storage
from inbundle.ir.uses import uses
from inbundle.ir.verifier import verify
from inbundle.lowering import lower
from ir_interpreter import run
from random_graphs import random_graph


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def graph_with_input(*shape: int) -> tuple[Graph, Placeholder]:
    graph = Graph("g")
    return graph, graph.add_input("x", floats(*shape))


def lines(function: Function) -> list[str]:
    return [
        " ".join([step.name, "=", step.kind, *(operand.value.name for operand in step.operands.values())])
        for step in function.instructions()
    ]


def test_buffers_and_instructions_are_named_after_node_and_output() -> None:
    graph, x = graph_with_input(4)
    graph.outputs["y"] = graph.add("Relu", [x], name="act").output
    assert lines(lower(graph)) == ["act = relu act_res x", "y_save = copy y act_res"]


def test_an_output_keeps_its_name_even_if_a_node_has_it() -> None:
    graph, x = graph_with_input(4)
    graph.outputs["y"] = graph.add("Relu", [x], name="y").output
    assert lines(lower(graph)) == ["y__1 = relu y_res x", "y_save = copy y y_res"]


def test_instructions_know_the_kind_of_their_node_and_output_copies_have_none() -> None:
    graph, x = graph_with_input(1, 2, 3)
    pooled = graph.add("GlobalMaxPool", [x]).output
    graph.outputs["y"] = graph.add("Concat", [pooled, pooled], {"axis": 2}).output
    origins = [(step.kind, step.origin) for step in lower(graph).instructions()]
    pieces = [("inserttensor", "Concat")] * 2
    assert origins == [("maxpool", "GlobalMaxPool"), *pieces, ("copy", "")]


def test_placeholders_that_nobody_reads_do_not_appear() -> None:
    graph, x = graph_with_input(4)
    graph.add_input("unread", floats(1))
    shown = graph.add_input("shown", floats(2))
    graph.outputs.update(y=graph.add("Relu", [x]).output, z=shown)
    function = lower(graph)
    assert [variable.name for variable in function.inputs] == ["x", "shown"]
    assert [variable.name for variable in function.variables] == ["x", "y", "z", "shown"]
    verify(function)


def test_constants_are_declared_in_the_order_of_their_first_read() -> None:
    graph, x = graph_with_input(2)
    late, early, _ = (graph.add_constant(name, np.zeros(2, np.float32)) for name in ("late", "early", "unread"))
    first = graph.add("Add", [x, early])
    graph.outputs["y"] = graph.add("Add", [first.output, late]).output
    function = lower(graph)
    assert [v.name for v in function.variables if v.mutability is Mutability.CONST] == ["early", "late"]
    assert all((v.data is not None) == (v.mutability is Mutability.CONST) for v in function.variables)


def test_a_reshape_is_a_view_of_whatever_it_reshapes() -> None:
    graph, x = graph_with_input(2, 3)
    constant = graph.add_constant("c", np.arange(6, dtype=np.float32))
    of_input = graph.add("Reshape", [x], {"shape": (6,)}, name="r1")
    of_constant = graph.add("Reshape", [constant], {"shape": (3, 2)}, name="r2")
    graph.outputs.update(a=of_input.output, b=of_constant.output)
    function = lower(graph)
    assert lines(function) == ["a_save = copy a r1_view", "b_save = copy b r2_view"]
    views = [step.view for step in function.code if isinstance(step, View)]
    assert [(view.base.name, view.type.shape) for view in views] == [("x", (6,)), ("c", (3, 2))]
    result = run(function, {"x": np.ones((2, 3), np.float32)})
    np.testing.assert_array_equal(result["b"], np.arange(6).reshape(3, 2))


def test_outputs_that_show_an_input_a_constant_or_one_value_twice_are_copies() -> None:
    graph, x = graph_with_input(2)
    constant = graph.add_constant("c", np.zeros(3, np.float32))
    value = graph.add("Relu", [x], name="r").output
    graph.outputs.update(a=x, b=constant, c1=value, c2=value)
    assert lines(lower(graph)) == [
        "r = relu r_res x",
        "a_save = copy a x",
        "b_save = copy b c",
        "c1_save = copy c1 r_res",
        "c2_save = copy c2 r_res",
    ]


def test_an_output_may_have_the_name_of_the_input_it_shows() -> None:
    graph, x = graph_with_input(2)
    graph.outputs["x"] = x
    function = lower(graph)
    verify(function)
    assert [variable.name for variable in function.variables] == ["x__1", "x"]
    assert (function.inputs[0].name, function.outputs[0].name) == ("x", "x__1")


def test_concat_skips_operands_without_elements_and_covers_the_result() -> None:
    graph, x = graph_with_input(2, 3)
    empty = graph.add_constant("e", np.zeros((2, 0), np.float32))
    graph.outputs["y"] = graph.add("Concat", [x, empty, x], {"axis": 1}, name="join").output
    function = lower(graph)
    inserts = [step for step in function.instructions() if step.kind == "inserttensor"]
    assert [step.attributes["Offsets"] for step in inserts] == [(0, 0), (0, 3)]
    verify(function)


def test_a_pool_without_a_second_output_has_no_argmax() -> None:
    graph, x = graph_with_input(1, 1, 4)
    window = {"kernel_shape": (2,), "strides": (2,), "pads": (0, 0), "dilations": (1,)}
    with_indices = graph.add("MaxPool", [x], window, name="p", outputs=["v", "i"])
    graph.outputs.update(v=with_indices.output, i=with_indices.outputs[1])
    graph.outputs["w"] = graph.add("GlobalMaxPool", [x], name="q").output
    assert lines(lower(graph))[:2] == ["p = maxpool p_res x p_argmax", "q = maxpool q_res x"]


@pytest.mark.parametrize("seed", range(20))
def test_every_activation_has_one_writer_or_is_composed_by_inserts(seed: int) -> None:
    function = lower(random_graph(seed))
    for base, found in uses(function).items():
        writers = [use.instruction for use in found if use.operand.role.writes]
        kinds = {step.kind for step in writers}
        assert not isinstance(base, AllocActivation) or len(writers) == 1 or kinds == {"inserttensor"}
    for step in function.code:
        if isinstance(step, View):
            assert isinstance(step.view, TensorView)
            assert storage(step.view)[1] == 0


def test_meta_nodes_are_unfolded() -> None:
    """Constants stay constants, an operand may be read twice, and instructions know the kinds of the body's nodes."""
    body = Graph("Scaled")
    x, factor = body.add_input("x", floats(2, 3)), body.add_input("factor", floats(3))
    product = body.add("Mul", [x, factor], name="product").output
    body.outputs = {"a": product, "b": body.add("Relu", [product], name="positive").output}
    graph, value = graph_with_input(2, 3)
    constant = graph.add_constant("c", np.ones(3, np.float32))
    attributes = {"function": "Scaled", "body": body}
    first = graph.add("MetaNode", [value, constant], attributes, name="one", outputs=["a", "b"])
    second = graph.add("MetaNode", [first.outputs[1], constant], attributes, name="two", outputs=["c", "d"])
    graph.outputs = {"y": first.outputs[0], "z": second.outputs[1]}
    function = lower(graph)
    verify(function)
    kinds = [(step.name, step.kind, step.origin) for step in function.instructions() if step.origin]
    pair = [("product", "mul", "Mul"), ("positive", "relu", "Relu")]
    assert kinds == [*pair, *((f"{name}__1", kind, origin) for name, kind, origin in pair)]
    assert [variable.name for variable in function.variables if variable.mutability is Mutability.CONST] == ["c"]
