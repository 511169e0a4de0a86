"""The official node tests of ONNX, through the Graph and back: imported, optimised, written as ONNX and run."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from inbundle.difference import difference
from inbundle.errors import CompileError
from inbundle.frontend import graph_of_model
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import evaluate, to_model
from inbundle.options import CompileOptions
from inbundle.passes import optimize


def _array(value: Any) -> np.ndarray:
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def _check(graph: Graph, case: Any) -> None:
    given, wanted = case.data_sets[0]
    arrays = dict(zip((value.name for value in case.model.graph.input), map(_array, given), strict=True))
    optimize(graph)
    onnx.checker.check_model(to_model(graph), full_check=True)
    results = evaluate(graph, {value.name: arrays[value.name] for value in graph.inputs})
    for output, want in zip(case.model.graph.output, map(_array, wanted), strict=True):
        found = difference(results[output.name], want, output.name)
        assert not found.is_failure, f"{case.name}: {output.name}: {found}"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_official_cases() -> None:
    """Those that the frontend takes without values known at compile time, and that can be said in the opset written."""
    tried = 0
    for case in collect_testcases(None):
        if case.model is None:
            continue
        try:
            graph = graph_of_model(case.model, CompileOptions(), name=case.name, base_dir=None)
            to_model(graph)
        except CompileError:
            continue
        _check(graph, case)
        tried += 1
    assert tried > 400
