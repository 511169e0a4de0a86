"""Typed attribute access, inputs and names of nodes as importers see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

from inbundle.errors import CompileError, DataDependentError
from inbundle.frontend.axes import axes_of, axis_of
from inbundle.frontend.node_context import NodeContext
from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType

TENSOR = numpy_helper.from_array(np.ones(2, np.float32), "t")
ATTRIBUTES: dict[str, Any] = {"i": 3, "f": 0.5, "s": "text", "is": [1, 2], "fs": [0.5], "t": TENSOR}


def context(name: str = "n") -> NodeContext:
    graph = Graph("g")
    node = helper.make_node("Op", ["x", "", "w"], ["", "y"], name=name, **ATTRIBUTES)
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (2, 3)))
    return NodeContext(graph, node, [x, None, graph.add_constant("w", np.asarray([[2], [3]]))], 13, where="m.onnx")


def test_attributes_have_types() -> None:
    ctx = context()
    assert (ctx.attr_int("i"), ctx.attr_float("f"), ctx.attr_string("s")) == (3, 0.5, "text")
    assert (ctx.attr_ints("is"), ctx.attr_floats("fs"), ctx.attr_bool("i")) == ((1, 2), (0.5,), True)
    assert numpy_helper.to_array(ctx.attr_tensor("t")).tolist() == [1, 1]
    assert (ctx.optional_ints("is"), ctx.optional_ints("none")) == ((1, 2), None)


def test_an_absent_attribute_takes_the_default() -> None:
    ctx = context()
    assert (ctx.attr_int("a", 0), ctx.attr_float("a", 1.5), ctx.attr_string("a", "")) == (0, 1.5, "")
    assert (ctx.attr_ints("a", ()), ctx.attr_floats("a", (1.0,)), ctx.attr_bool("a", False)) == ((), (1.0,), False)


@pytest.mark.parametrize(
    ("get", "message"),
    [
        (lambda ctx: ctx.attr_int("a"), "m.onnx: node 'n': Op: attribute 'a': the attribute is missing"),
        (lambda ctx: ctx.attr_int("s"), "m.onnx: node 'n': Op: attribute 's': the attribute is STRING, not INT"),
        (lambda ctx: ctx.attr_ints("i", ()), "attribute 'i': the attribute is INT, not INTS"),
        (lambda ctx: ctx.attr_tensor("a"), "attribute 'a': the attribute is missing"),
        (lambda ctx: ctx.input(1), "m.onnx: node 'n': Op: input 1 is missing"),
        (lambda ctx: ctx.input(9), "input 9 is missing"),
        (lambda ctx: axis_of(ctx, 2, 2), r"attribute 'axis': axis 2 is outside \[-2, 1\] of a tensor of rank 2"),
        (lambda ctx: axis_of(ctx, -3, 2, what="where"), "attribute 'where': where -3 is outside"),
        (lambda ctx: axes_of(ctx, [0, -2], 2), r"axes \[0, -2\] name an axis twice"),
    ],
)
def test_errors_name_the_place(get: Callable[[NodeContext], object], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        get(context())


def test_axes_become_non_negative_in_their_order() -> None:
    assert axes_of(context(), [-1, 0], 3) == (2, 0)


def test_constants_are_known_and_other_inputs_are_data_dependent() -> None:
    ctx = context()
    assert ctx.constant_ints(2, "axes") == (2, 3)
    assert ctx.optional_constant(1, "axes") is None
    with pytest.raises(
        DataDependentError, match=r"n': Op: data-dependent axes: input 0 \('x'\) is computed"
    ) as failure:
        ctx.constant(0, "axes")
    assert failure.value.tensor == "x"


def test_an_unnamed_node_is_called_by_type_and_first_output() -> None:
    assert context(name="").name == "Op_y"


def test_results_are_named_after_the_onnx_node_and_its_parts() -> None:
    ctx = context()
    ctx.outputs = ["a", "b"]
    part = ctx.add("Transpose", [ctx.input(0)], {"perm": (1, 0)}, part="turned")
    first = ctx.add("Reshape", [part], {"shape": (6,)})
    second = ctx.add("Reshape", [part], {"shape": (1, 6)}, output=1)
    assert [node.name for node in ctx.graph.nodes] == ["n__turned", "n", "n__1"]
    assert [part.name, first.name, second.name] == ["a__turned", "a", "b"]
    assert [ctx.new_constant(np.ones(1)).name, ctx.new_constant(np.ones(1), "fill").name] == ["a__1", "a__fill"]
