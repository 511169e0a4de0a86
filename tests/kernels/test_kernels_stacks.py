"""Stacked instructions: every kind that takes an epilogue is right with one, and stacking changes no bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import Batch
from test_kernels_source import ATTRIBUTES, FLOATS_ONLY, IMAGE, INDICES, SHAPES
from test_kernels_source import KINDS as SCALAR_KINDS

from elementwise_kinds import POSITIVE_ONLY, UNARY, cases
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.instructions import INSTRUCTIONS, Broadcast
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.stacks import steps

HEADS = tuple(kind for kind in SCALAR_KINDS if INSTRUCTIONS[kind].epilogue)
OTHERS = tuple(kind for kind in HEADS if not INSTRUCTIONS[kind].elementwise)
KINDS = (ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.FLOAT64, ElemKind.INT8, ElemKind.INT32)
Link = tuple[str, list, dict]


def head(batch: Batch, kind: str, elem: ElemKind) -> Link:
    """The kind on operands of the element kind, its optional results left out."""
    operands: list[np.ndarray | TensorType | None] = []
    for spec in INSTRUCTIONS[kind].operands:
        type = TensorType(elem, SHAPES.get((kind, spec.name), IMAGE))
        content = batch.array(elem, type.shape)
        content = np.abs(content) if spec.name == "Var" else content
        operands.append(None if (kind, spec.name) in INDICES else content if spec.role.reads else type)
    factors = {"Alpha": 1.0, "Beta": 1.0} if kind == "fullyconnected" and not elem.is_float else {}
    return kind, operands, ATTRIBUTES.get(kind, {}) | factors


def operand_shapes(kind: str, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Shapes that an operand of the kind's epilogue may have, next to those of one element and of the result."""
    match INSTRUCTIONS[kind].epilogue:
        case Broadcast.CHANNEL:
            return [(1, shape[1], *(1 for _ in shape[2:]))]
        case Broadcast.COLUMN:
            return [shape[-1:], (1, shape[-1])]
        case Broadcast.ANY:
            return [shape[1:], (shape[0], *(1 for _ in shape[1:])), (*shape[:-1], 1), shape[-1:]]
    return []


def epilogues(batch: Batch, kind: str, elem: ElemKind, shape: tuple[int, ...]) -> list[list[Link]]:
    """Chains of steps behind a result: an activation; operands of every shape; another kind and another shape."""
    type, flat = TensorType(elem, shape), TensorType(elem, (int(np.prod(shape)),))
    other = ElemKind.INT32 if elem.is_float else ElemKind.FLOAT
    small = [batch.array(elem, one) for one in operand_shapes(kind, shape)]
    return [
        [("relu", [type, type], {})],
        [("add", [type, batch.array(elem, shape), type], {}), ("relu", [type, type], {})],
        [("mul", [type, type, batch.array(elem, (1,))], {}), *(("sub", [type, one, type], {}) for one in small)],
        [("neg", [flat, flat], {}), ("convertto", [flat.with_elem(other), flat], {})],
    ]


@pytest.mark.parametrize("elem", KINDS, ids=lambda elem: elem.glow_name)
def test_every_kind_passes_its_results_through_an_epilogue(elem: ElemKind, tmp_path: Path) -> None:
    batch = Batch(21)
    chains = 0
    for kind in OTHERS if elem.is_float else [kind for kind in OTHERS if kind not in FLOATS_ONLY | {"avgpool"}]:
        for links in epilogues(batch, kind, elem, SHAPES.get((kind, "Dest"), IMAGE)):
            batch.chain(head(batch, kind, elem), *links)
            chains += 1
    stack_elementwise(batch.function)
    assert len(batch.function.instructions()) == chains
    batch.check(tmp_path)


@pytest.mark.parametrize("elem", KINDS, ids=lambda elem: elem.glow_name)
def test_a_result_takes_the_place_of_an_operand_of_its_epilogue(elem: ElemKind, tmp_path: Path) -> None:
    batch = Batch(22)
    kinds = [kind for kind in OTHERS if INSTRUCTIONS[kind].family in ("conv", "linear")]
    assert len(batch.skip_connections(head(batch, kind, elem) for kind in kinds)) == len(kinds) > 2
    batch.check(tmp_path)


def random_links(batch: Batch, elem: ElemKind, shape: tuple[int, ...]) -> list[Link]:
    """A chain of element-wise kinds, from an operand in memory on; nothing that leaves the finite numbers fast."""
    type = TensorType(elem, shape)
    finite = [case for case in cases(UNARY) if case[0] not in (*POSITIVE_ONLY, "exp")]
    links: list[Link] = []
    for number in range(int(batch.random.integers(2, 7))):
        source = type if number else batch.array(elem, shape)
        if batch.random.random() < 0.5:
            kind, attributes = batch.choose(finite if elem.is_float else [("neg", {}), ("relu", {}), ("abs", {})])
            links.append((kind, [type, source], attributes))
        else:
            other = batch.array(elem, batch.choose((shape, batch.broadcastable(shape))))
            operands = [source, other] if batch.random.random() < 0.5 else [other, source]
            links.append((batch.choose(("add", "sub", "mul", "min", "max")), [type, *operands], {}))
    return links


def random_chains(seed: int) -> Batch:
    batch = Batch(seed)
    for elem in (*KINDS, ElemKind.BFLOAT16):
        for _ in range(4):
            batch.chain(*random_links(batch, elem, batch.shape(int(batch.random.integers(0, 4)), 5)))
    return batch


def bits(batch: Batch, folder: Path, change: Callable) -> dict[str, bytes]:
    change(batch.function)
    folder.mkdir()
    return {name: content.tobytes() for name, content in batch.results(folder).items()}


@pytest.mark.parametrize("seed", range(2))
def test_stacking_a_chain_changes_no_bit(seed: int, tmp_path: Path) -> None:
    apart = bits(random_chains(seed), tmp_path / "apart", lambda function: None)
    batch = random_chains(seed)
    stacked = bits(batch, tmp_path / "stacked", stack_elementwise)
    assert stacked == apart
    assert len(batch.function.instructions()) == len(stacked)


def test_a_chain_becomes_one_loop_without_buffers() -> None:
    batch = Batch(3)
    type = TensorType(ElemKind.FLOAT, (2, 3))
    x = batch.array(ElemKind.FLOAT, (2, 3))
    batch.chain(("abs", [type, x], {}), ("add", [type, type, x], {}), ("relu", [type, type], {}))
    stack_elementwise(batch.function)
    (instruction,) = batch.function.instructions()
    assert [step.kind for step in steps(instruction)] == ["abs", "add", "relu"]
    assert batch.function.code == [instruction]
    text = batch.kernels()
    assert text.count("for (") == 1
    assert "x0 <= 0 ? 0 - x0 : x0" in text


def test_operands_of_an_epilogue_that_repeat_are_read_before_the_inner_loop() -> None:
    batch = Batch(4)
    type = TensorType(ElemKind.FLOAT, (2, 3, 5))
    full, row, one = (batch.array(ElemKind.FLOAT, shape) for shape in ((2, 3, 5), (3, 1), ()))
    batch.chain(("add", [type, full, row], {}), ("mul", [type, type, one], {}))
    stack_elementwise(batch.function)
    lines = [line.strip() for line in batch.kernels().splitlines()]
    outer, inner = (index for index, line in enumerate(lines) if line.startswith("for ("))
    assert lines.index("const float operand1_0 = operand1[0];") < outer
    assert outer < lines.index("const float rhs_r = rhs[rhs_row];") < inner
