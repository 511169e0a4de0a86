"""Element-wise kinds and Softmax in vectors: random shapes and chains, what is left of rows, special values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kernel_batch import Batch
from vector_cases import of, units

from elementwise_kinds import BINARY, POSITIVE_ONLY, UNARY, cases
from inbundle.graph.types import ElemKind
from inbundle.ir.instructions import IN_VECTORS
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.stacks import INSERT

SPECIAL = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e30, -1e30, 1.0, -1.0])


@units
def test_every_kind_on_random_shapes(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(31, vectors)
    for kind, attributes in cases([kind for kind in UNARY if kind in IN_VECTORS]):
        content = batch.array(ElemKind.FLOAT, batch.shape(2, 9))
        content = np.abs(content) if kind in POSITIVE_ONLY else content
        batch.add(kind, [of(*content.shape), content], attributes, in_place=batch.choose((None, 1)))
    for kind in (kind for kind in BINARY if kind in IN_VECTORS):
        for _ in range(2):
            shape = batch.shape(3, 7)
            sides = [batch.array(ElemKind.FLOAT, shape), batch.array(ElemKind.FLOAT, batch.broadcastable(shape))]
            batch.add(kind, [of(*shape), *(sides if batch.random.random() < 0.5 else sides[::-1])])
    batch.check(tmp_path)


@units
def test_special_values(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(32, vectors)
    x = np.tile(SPECIAL, 3)
    for kind, attributes in cases([kind for kind in UNARY if kind in IN_VECTORS and kind != "gelu"]):
        batch.add(kind, [of(*x.shape), x], attributes)
    pairs = [side.ravel() for side in np.meshgrid(SPECIAL, SPECIAL)]
    for kind in (kind for kind in BINARY if kind in IN_VECTORS):
        batch.add(kind, [of(*pairs[0].shape), *pairs])
    batch.check(tmp_path)


@units
def test_chains_and_their_insertion(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(33, vectors)
    for _ in range(4):
        shape = batch.shape(3, 8)
        dest, whole = of(*shape), of(shape[0], 2 * shape[1], shape[2])
        per_row = batch.array(ElemKind.FLOAT, (shape[0], shape[1], 1))
        image = batch.output(whole)
        for offset in (0, shape[1]):
            batch.chain(
                ("add", [dest, batch.array(ElemKind.FLOAT, shape), per_row], {}),
                ("sigmoid", [dest, dest], {}),
                ("mul", [dest, dest, batch.array(ElemKind.FLOAT, (1,))], {}),
                (INSERT, [whole, dest], {"Offsets": (0, offset, 0)}),
                dest=image,
            )
    stack_elementwise(batch.function)
    assert len(batch.function.instructions()) == 8
    batch.check(tmp_path)


@units
def test_softmax(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(34, vectors)
    for size in (1, 3, 4, 10, 16, 31, 48, 100):
        shape = (int(batch.random.integers(1, 5)), size)
        for kind in ("softmax", "logsoftmax"):
            content = 5 * batch.array(ElemKind.FLOAT, shape)
            batch.add(kind, [of(*shape), content], {"Axis": 1}, in_place=batch.choose((None, 1)))
    batch.check(tmp_path)
