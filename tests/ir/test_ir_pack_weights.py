"""PackWeights: packed weights give the same products, and take the order of what was transposed to be flattened."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Mutability
from inbundle.ir.passes import hoist_dealloc, optimize
from ir_interpreter import run


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


class Net:
    """Input x, transposed, seen as a matrix, times constant weights: output y."""

    def __init__(
        self, shape: tuple[int, ...], shuffle: tuple[int, ...], rows: int, *, transposed: bool = False
    ) -> None:
        self.function, self.random = Function("net"), np.random.default_rng(len(shape))
        moved = tuple(shape[axis] for axis in shuffle)
        depth = int(np.prod(shape)) // rows
        x, y = (self.function.variable(n, floats(*s), Mutability.MUTABLE) for n, s in (("x", shape), ("y", (rows, 5))))
        self.function.inputs, self.function.outputs = [x], [y]
        self.moved = self.function.alloc("moved", floats(*moved))
        self.function.emit("transpose", "transpose", [self.moved, x], {"Shuffle": shuffle})
        matrix = self.function.view(self.moved, floats(rows, depth))
        weights = self._constant(*((5, depth) if transposed else (depth, 5)))
        attributes = {"Alpha": 1.0, "Beta": 1.0, "TransA": 0, "TransB": int(transposed)}
        self.function.emit("fullyconnected", "fc", [y, matrix, weights, self._constant(5)], attributes)
        self.x = self.random.standard_normal(shape).astype(np.float32)

    def _constant(self, *shape: int):
        data = self.random.standard_normal(shape).astype(np.float32)
        return self.function.variable("c", floats(*shape), Mutability.CONST, data)

    def kinds(self) -> list[str]:
        """Of the instructions after all passes, which change no result."""
        hoist_dealloc(self.function)
        expected = run(self.function, {"x": self.x})
        optimize(self.function, vectors=True)
        for name, result in run(self.function, {"x": self.x}).items():
            np.testing.assert_allclose(result, expected[name], rtol=1e-5, atol=1e-5)
        return [step.kind for step in self.function.instructions()]


@pytest.mark.parametrize("shuffle", [(0, 3, 1, 2), (0, 2, 3, 1), (0, 1, 3, 2), (0, 3, 2, 1)])
@pytest.mark.parametrize("transposed", [False, True])
def test_weights_take_the_order_of_what_is_flattened(shuffle: tuple[int, ...], transposed: bool) -> None:
    assert Net((2, 3, 4, 7), shuffle, 2, transposed=transposed).kinds() == ["packedproduct"]


@pytest.mark.parametrize(
    ("shape", "shuffle", "rows"), [((3, 2, 4), (1, 0, 2), 2), ((2, 3, 4), (0, 2, 1), 8), ((6, 4, 2), (0, 2, 1), 3)]
)
def test_a_transpose_that_moves_elements_between_rows_stays(
    shape: tuple[int, ...], shuffle: tuple[int, ...], rows: int
) -> None:
    assert Net(shape, shuffle, rows).kinds() == ["transpose", "packedproduct"]


def test_what_others_read_is_transposed_as_well() -> None:
    net = Net((1, 3, 4, 2), (0, 2, 3, 1), 1)
    z = net.function.variable("z", net.moved.type, Mutability.MUTABLE)
    net.function.outputs.append(z)
    net.function.emit("relu", "relu", [z, net.moved])
    assert sorted(net.kinds()) == ["packedproduct", "transpose"]  # with the relu stacked on it
