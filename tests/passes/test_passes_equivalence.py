"""-verify-passes: passes that change results are found and named; the default passes change none, on any graph."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from inbundle.difference import difference
from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import Evaluator
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.passes import optimize as optimize_ir
from inbundle.ir.planner import plan
from inbundle.lowering import lower
from inbundle.pass_manager import PassManager
from inbundle.passes import optimize
from inbundle.passes.equivalence import EquivalenceCheck
from inbundle.passes.manager import GRAPHS, GraphPass
from ir_interpreter import run as run_ir
from random_graphs import graphs, random_graph, random_inputs


def _graph() -> Graph:
    graph = Graph("g")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (8,)))
    graph.outputs = {"y": graph.add("Exp", [graph.add("Relu", [x], name="relu").output]).output}
    return graph


def _without_relu(graph: Graph) -> None:
    graph.replace(graph.nodes[0].output, graph.inputs[0])


def _relu_to(kind: str) -> Callable[[Graph], None]:
    def run(graph: Graph) -> None:
        graph.nodes[0].kind = kind

    return run


def _check(*passes: Callable[[Graph], None]) -> None:
    pipeline = [GraphPass(f"Pass{index}", run) for index, run in enumerate(passes)]
    PassManager(GRAPHS, [EquivalenceCheck()]).run(_graph(), pipeline)


def test_the_pass_that_changes_an_output_is_named() -> None:
    harmless = _relu_to("Relu")
    _check(harmless, harmless)
    with pytest.raises(CompileError, match="graph pass Pass1: -verify-passes: it changed output 'y': largest diff"):
        _check(harmless, _without_relu, harmless)


def check_optimised(graph: Graph, seed: int) -> None:
    """Outputs of the graph as it is, of the optimised graph, and of its optimised IR in planned memory agree."""
    inputs = random_inputs(graph, seed)
    expected = Evaluator(graph).run(inputs)
    optimize(graph)
    function = lower(graph)
    optimize_ir(function)
    read = {variable.name for variable in function.inputs}
    for results in (
        Evaluator(graph).run(inputs),
        run_ir(function, {name: data for name, data in inputs.items() if name in read}, plan(function)),
    ):
        for name, array in expected.items():
            found = difference(results[name], array, name)
            assert not found.is_failure, f"{name}: {found}"


@given(graphs())
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_pass_changes_a_result(graph: Graph) -> None:
    """Few graphs, but a failure comes with a small one."""
    check_optimised(graph, 1)


BATCHES = [pytest.param(first, marks=pytest.mark.nightly if first else ()) for first in range(0, 2000, 100)]


@pytest.mark.parametrize("first", BATCHES)
def test_no_pass_changes_a_result_of_many_graphs(first: int) -> None:
    for seed in range(first, first + 100):
        check_optimised(random_graph(seed, nodes=8 if seed % 4 else 24), seed)
