"""Runs a Graph in ONNX's reference evaluator: what the graph means, independent of our kernels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx.inliner import inline_local_functions

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.onnx.writer import to_model


def run_model(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs of a model on `feeds`, in order. Raises whatever an operator's reference implementation raises."""
    from onnx.reference import ReferenceEvaluator  # slow to import, and many models need none

    from inbundle.graph.onnx.windows import OPERATORS

    if model.functions:  # inside functions it would use its own operators
        model = inline_local_functions(model)
    with np.errstate(all="ignore"):
        evaluator = ReferenceEvaluator(model, new_ops=OPERATORS)
        return [np.asarray(result) for result in evaluator.run(None, dict(feeds))]


class Evaluator:
    """Runs one graph; made once for several inputs.

    Raises:
        CompileError: a node that cannot be said in ONNX.
    """

    def __init__(self, graph: Graph) -> None:
        self._where = graph.name
        self._model = to_model(graph, constants=False)
        self._outputs = list(graph.outputs)
        # In the model's order of inputs, in which constants follow: their names there may be others.
        names = [info.name for info in self._model.graph.input]
        data = (constant.data for constant in graph.constants)
        self._constants = dict(zip(names[len(graph.inputs) :], data, strict=True))

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs by name, for an array per input of the graph, of its type.

        Raises:
            CompileError: the evaluator cannot compute a node.
        """
        try:
            results = run_model(self._model, {**self._constants, **inputs})
        except Exception as error:  # whatever an operator's reference implementation raises
            message = f"the ONNX reference evaluator failed: {type(error).__name__}: {error}"
            raise CompileError(message, where=(self._where,)) from error
        return dict(zip(self._outputs, results, strict=True))


def evaluate(graph: Graph, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs of `graph` by name; see `Evaluator`."""
    return Evaluator(graph).run(inputs)
