"""What tests of passes share: run one, and compare with ONNX's reference evaluator before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inbundle.difference import difference
from inbundle.graph.graph import Attribute, Graph, Value
from inbundle.graph.onnx import evaluate
from inbundle.graph.ops.meta import kind_name
from inbundle.graph.types import ElemKind, TensorType
from inbundle.graph.verifier import verify
from inbundle.passes.dce import delete_unused

Pass = Callable[[Graph], None]


class Maker:
    """A graph of float tensors under construction, and its random numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.graph = Graph("g")
        self.rng = np.random.default_rng(seed)

    def input(self, *shape: int, elem: ElemKind = ElemKind.FLOAT) -> Value:
        return self.graph.add_input(f"x{len(self.graph.inputs)}", TensorType(elem, shape))

    def constant(self, *shape: int, low: float = -1.0, high: float = 1.0) -> Value:
        return self.graph.add_constant("c", self.rng.uniform(low, high, shape).astype(np.float32))

    def number(self, value: float, *shape: int, dtype: type = np.float32) -> Value:
        """A constant of which all elements are `value`."""
        return self.graph.add_constant("n", np.full(shape, value, dtype))

    def add(self, kind: str, *inputs: Value | None, **attributes: Attribute) -> Value:
        return self.graph.add(kind, inputs, attributes).output

    def conv(self, x: Value, filters: int, kernel: int = 3, *, bias: bool = True, **given: Attribute) -> Value:
        """A convolution of an image of any rank; `given`: attributes that are not the default."""
        spatial = x.type.rank - 2
        attributes: dict[str, Attribute] = {
            "kernel_shape": (kernel,) * spatial,
            "strides": (1,) * spatial,
            "pads": (0,) * (2 * spatial),
            "dilations": (1,) * spatial,
            "group": 1,
        }
        attributes |= given
        group = attributes["group"]
        assert isinstance(group, int)
        weights = self.constant(filters, x.type.shape[1] // group, *(kernel,) * spatial)
        return self.add("Conv", x, weights, self.constant(filters) if bias else None, **attributes)

    def pool(self, kind: str, x: Value, kernel: int = 2, **given: Attribute) -> Value:
        spatial = x.type.rank - 2
        attributes: dict[str, Attribute] = {
            "kernel_shape": (kernel,) * spatial,
            "strides": (kernel,) * spatial,
            "pads": (0,) * (2 * spatial),
            "dilations": (1,) * spatial,
        }
        return self.add(kind, x, **{**attributes, **given})

    def shown(self, *values: Value) -> Graph:
        self.graph.outputs = {f"y{index}": value for index, value in enumerate(values)}
        return self.graph


def kinds(graph: Graph) -> list[str]:
    """The kinds of a graph's nodes; of a MetaNode its name."""
    return [kind_name(node) for node in graph.nodes]


def random_feeds(graph: Graph, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {value.name: rng.uniform(-3, 3, value.type.shape).astype(value.type.elem.dtype) for value in graph.inputs}


def run_pass(run: Pass, graph: Graph, feeds: Mapping[str, np.ndarray] | None = None) -> list[str]:
    """The kinds that a pass leaves, run until nothing changes; results stay as they are in ONNX's reference."""
    feeds = feeds or random_feeds(graph)
    expected = evaluate(graph, feeds)
    before: Sequence[str] = []
    while before != [node.name for node in graph.nodes]:
        before = [node.name for node in graph.nodes]
        run(graph)
        verify(graph)
        delete_unused(graph)
    for name, array in evaluate(graph, feeds).items():
        found = difference(array, expected[name], name)
        assert not found.is_failure, f"{name}: {found}"
    return kinds(graph)
