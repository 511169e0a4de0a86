"""`-verify-passes`: after each pass that changed the graph, its outputs on random inputs are those from before."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from inbundle.difference import difference, random_array
from inbundle.errors import CompileError
from inbundle.graph.diagram import printable
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import Evaluator
from inbundle.pass_manager import PassResult, PassRun, Watcher

RUNS = 2
SEED = 1

_Arrays = Mapping[str, np.ndarray]


class EquivalenceCheck(Watcher[Graph]):
    """Runs the graph in ONNX's reference evaluator before the first pass and after each one that changed something.

    Raises, from `after`:
        CompileError: an output changed by more than rounding; names the pass.
    """

    def __init__(self) -> None:
        self._inputs: list[_Arrays] = []
        self._expected: list[_Arrays] = []

    def before(self, run: PassRun, unit: Graph) -> None:
        if not self._expected:
            self._inputs = _random_inputs(unit)
            self._expected = self._outputs(unit)

    def after(self, run: PassRun, result: PassResult, unit: Graph) -> None:
        if not result.is_change:
            return
        try:
            outputs = self._outputs(unit)
            for actual, expected in zip(outputs, self._expected, strict=True):
                _compare(actual, expected)
        except CompileError as error:
            raise error.at(f"graph pass {run.name}") from None
        self._expected = outputs

    def _outputs(self, graph: Graph) -> list[_Arrays]:
        evaluator = Evaluator(graph)
        return [evaluator.run(inputs) for inputs in self._inputs]


def _random_inputs(graph: Graph) -> list[_Arrays]:
    generator = np.random.default_rng(SEED)
    return [
        {value.name: random_array(value.type.elem.dtype, value.type.shape, generator) for value in graph.inputs}
        for _ in range(RUNS)
    ]


def _compare(actual: _Arrays, expected: _Arrays) -> None:
    for name, array in expected.items():
        found = difference(actual[name], array, name)
        if found.is_failure:
            message = f"-verify-passes: it changed output '{printable(name)}': {found}"
            raise CompileError(message, hint="-graph-passes=default,-PASS leaves a pass out")
