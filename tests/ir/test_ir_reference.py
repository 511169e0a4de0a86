"""After every single IR pass, random graphs compute what the ONNX reference computes."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.difference import difference
from inbundle.graph.onnx import Evaluator
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Mutability
from inbundle.ir.passes import PIPELINE
from inbundle.ir.planner import plan
from inbundle.ir.verifier import verify
from inbundle.lowering import lower
from ir_interpreter import run
from random_graphs import random_graph, random_inputs

BATCHES = [pytest.param(first, marks=pytest.mark.nightly if first else ()) for first in range(0, 2000, 40)]


@pytest.mark.parametrize("first", BATCHES)
def test_no_ir_pass_changes_what_the_reference_computes(first: int) -> None:
    for seed in range(first, first + 40):
        check(seed)


def check(seed: int) -> None:
    graph = random_graph(seed, nodes=8 if seed % 4 else 20)
    inputs = random_inputs(graph, seed)
    expected = Evaluator(graph).run(inputs)
    function = lower(graph)
    for name, run_pass in PIPELINE:
        run_pass(function)
        verify(function)
        results = outputs(function, inputs)
        for output, array in expected.items():
            found = difference(results[output], array, output)
            assert not found.is_failure, f"seed {seed}, {name}: {found}"


def outputs(function: Function, inputs: dict) -> dict:
    """What the function computes in planned memory."""
    read = {variable.name for variable in function.inputs}
    return run(function, {name: data for name, data in inputs.items() if name in read}, plan(function))


def test_constants_of_one_element_fill_a_larger_result() -> None:
    function = Function("f")
    one = function.variable("one", TensorType(ElemKind.FLOAT, (1,)), Mutability.CONST, np.ones(1, np.float32))
    sums = function.variable("sums", TensorType(ElemKind.FLOAT, (2, 3)), Mutability.MUTABLE)
    function.outputs.append(sums)
    function.emit("add", "add", [sums, one, one])
    verify(function)
    assert run(function, {})["sums"].tolist() == [[2.0] * 3] * 2
