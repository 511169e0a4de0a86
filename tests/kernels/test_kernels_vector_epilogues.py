"""Epilogues of vector kernels: every kind of step, with every kind of operand, for every vector unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from kernel_batch import Batch
from vector_cases import Window, of, units

from elementwise_kinds import BINARY, POSITIVE_ONLY, UNARY, cases
from inbundle.graph.types import ElemKind
from inbundle.ir.function import Mutability
from inbundle.ir.instructions import IN_VECTORS
from inbundle.ir.panels import pack_bias, pack_columns, pack_filters, pack_groups, pack_planes
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.stacks import INSERT
from inbundle.ir.winograd import transformed_filters
from inbundle.kernels.vector.formulas import VECTOR_FORMULAS

SQUARE = {"Kernels": (3, 3), "Strides": (1, 1), "Pads": (1, 1, 1, 1), "Dilations": (1, 1)}


def convolution(batch: Batch, *, plain: bool = False, filters: int = 0) -> tuple:
    window = Window(batch, channels=int(batch.random.integers(1, 9)), plain=plain)
    filters = filters or int(batch.random.integers(1, 70))
    weights = batch.array(ElemKind.FLOAT, (filters, window.image.shape[-1], *window.kernels)) / np.float32(9)
    operands = [of(*window.output, filters), window.image, pack_filters(weights), pack_bias(None, filters)]
    return "nhwcconvolution", operands, window.attributes


def small_image(batch: Batch) -> tuple:
    depth, filters = int(batch.random.integers(128, 140)), 16 * int(batch.random.integers(1, 6))
    weights = batch.array(ElemKind.FLOAT, (filters, depth, 3, 3)) / np.float32(9 * depth)
    image = batch.array(ElemKind.FLOAT, (1, 5, 4, depth))
    operands = [of(1, 5, 4, filters), image, pack_filters(weights), pack_bias(None, filters)]
    return "nhwcconvolution", operands, SQUARE


def planar(batch: Batch) -> tuple:
    filters = int(batch.random.integers(1, 40))
    image, weights = (batch.array(ElemKind.FLOAT, shape) for shape in ((1, 3, 7, 9), (filters, 3, 3, 3)))
    return "planarconvolution", [of(1, 7, 9, filters), image, pack_planes(weights), pack_bias(None, filters)], SQUARE


def grouped(batch: Batch) -> tuple:
    filters = int(batch.random.integers(1, 40))
    image, weights = (batch.array(ElemKind.FLOAT, shape) for shape in ((1, 7, 9, 20), (2 * filters, 10, 3, 3)))
    bias = np.stack([pack_bias(None, filters)] * 2)
    return "nhwcgrouped", [of(1, 7, 9, 2 * filters), image, pack_groups(weights, 2), bias], {**SQUARE, "Group": 2}


def winograd(batch: Batch, filters: int = 0) -> tuple:
    depth, filters = int(batch.random.integers(16, 40)), filters or int(batch.random.integers(16, 40))
    image = batch.array(ElemKind.FLOAT, (1, 9, 10, depth))
    weights = batch.array(ElemKind.FLOAT, (filters, depth, 3, 3)) / np.float32(9 * depth)
    operands = [
        of(1, 9, 10, filters),
        image,
        transformed_filters(weights, batch.choose((4, 6))),
        pack_bias(None, filters),
    ]
    return "nhwcwinograd", operands, SQUARE


def depthwise(batch: Batch, channels: int = 0) -> tuple:
    window = Window(batch, channels=channels or int(batch.random.integers(16, 50)))
    channels = window.image.shape[-1]
    weights, bias = (batch.array(ElemKind.FLOAT, shape) for shape in ((*window.kernels, channels), (channels,)))
    return "nhwcdepthwise", [of(*window.output, channels), window.image, weights, bias], window.attributes


def pool(batch: Batch, channels: int = 0) -> tuple:
    window = Window(batch, channels=channels or int(batch.random.integers(1, 40)))
    operands = [of(*window.output, window.image.shape[-1]), window.image]
    if batch.random.random() < 0.5:
        return "nhwcmaxpool", operands, window.attributes
    return "nhwcavgpool", operands, {**window.attributes, "CountIncludePads": 1}


def product(batch: Batch, rows: int) -> tuple:
    columns = int(batch.random.integers(1, 300))
    matrix = batch.array(ElemKind.FLOAT, (20, columns))
    source = batch.array(ElemKind.FLOAT, (rows, 20)) / np.float32(5)
    return "packedproduct", [of(rows, columns), source, pack_columns(matrix), pack_bias(None, columns)], {}


HEADS = (
    convolution,
    lambda batch: convolution(batch, plain=True),
    small_image,
    winograd,
    depthwise,
    pool,
    lambda batch: product(batch, 1),
    lambda batch: product(batch, 15),
)


def steps(batch: Batch, shape: tuple[int, ...]) -> list[tuple]:
    """Some unary steps, and binary ones with an operand of one element, per channel and of the whole shape."""
    dest = of(*shape)
    unary = [case for case in cases(UNARY) if case[0] in IN_VECTORS and case[0] not in (*POSITIVE_ONLY, "exp")]
    binary = [kind for kind in BINARY if kind in IN_VECTORS and kind != "div"]
    links: list[tuple] = []
    for operand in ((1,), shape[-1:], shape):
        kind, attributes = batch.choose(unary)
        links.append((kind, [dest, dest], attributes))
        sides = [dest, batch.array(ElemKind.FLOAT, operand)]
        links.append((batch.choose(binary), [dest, *(sides if batch.random.random() < 0.5 else sides[::-1])], {}))
    return links


@units
def test_results_pass_an_epilogue(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(5, vectors)
    for head in HEADS:
        first = head(batch)
        batch.chain(first, *steps(batch, first[1][0].shape))
    stack_elementwise(batch.function)
    assert len(batch.function.instructions()) == len(HEADS)
    batch.check(tmp_path, rounding=3e-6)


@units
def test_a_result_takes_the_place_of_an_operand_of_its_epilogue(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(13, vectors)
    whole = (lambda batch: winograd(batch, 32), lambda batch: depthwise(batch, 48), lambda batch: pool(batch, 16))
    heads = [head for head in (*HEADS, planar, grouped) if head not in (winograd, depthwise, pool)]
    in_place = batch.skip_connections(head(batch) for head in (*heads, *whole))
    assert len(in_place) == len(heads) + len(whole)
    batch.check(tmp_path, rounding=3e-6)


@units
def test_a_result_has_a_place_of_its_own_where_its_last_vectors_overlap(
    vectors: tuple[str, ...], tmp_path: Path
) -> None:
    batch = Batch(14, vectors)
    odd = (lambda batch: winograd(batch, 36), lambda batch: depthwise(batch, 44), lambda batch: pool(batch, 20))
    assert not batch.skip_connections(head(batch) for head in odd)
    batch.check(tmp_path, rounding=3e-6)


@units
def test_channels_go_into_their_place_in_a_larger_image(vectors: tuple[str, ...], tmp_path: Path) -> None:
    batch = Batch(8, vectors)
    for head in (convolution, lambda batch: convolution(batch, plain=True), small_image, winograd, depthwise):
        first = head(batch)
        dest = first[1][0]
        whole = of(*dest.shape[:-1], 2 * dest.shape[-1] + 3)
        image = batch.output(whole)
        empty = batch.array(ElemKind.FLOAT, whole.shape)
        batch.function.emit("copy", "copy", [image, batch.function.variable("empty", whole, Mutability.CONST, empty)])
        relu = ("relu", [dest, dest], {})
        for offset in (0, dest.shape[-1] + 3):
            batch.chain(first, relu, (INSERT, [whole, dest], {"Offsets": (0, 0, 0, offset)}), dest=image)
    stack_elementwise(batch.function)
    assert len(batch.function.instructions()) == 3 * 5
    batch.check(tmp_path, rounding=2e-6)


def test_every_step_has_a_formula() -> None:
    assert VECTOR_FORMULAS.keys() == IN_VECTORS | {INSERT}
