"""Tiling: what the cost model and the option decide."""

from __future__ import annotations

import pytest

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Function, Instruction, Mutability
from inbundle.ir.tiling import UNCUT, Tiling, tilings, time
from inbundle.ir.units import Split, units


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


# Bytes of weights: that fit into a second-level cache, that do by halves, that do not.
SIZES = (1 << 19, 3 << 19, 1 << 22)


def convolution(height: int, depth: int, channels: int, kernel: int = 3) -> tuple[Function, Instruction]:
    """A channels-last convolution of a square image."""
    function = Function("f")
    image, dest = (
        function.alloc(name, floats(1, height, height, size)) for name, size in (("x", depth), ("y", channels))
    )
    filters = function.variable("w", floats(channels // 16, kernel, kernel, depth, 16), Mutability.CONST)
    bias = function.variable("b", floats(channels), Mutability.CONST)
    pads = (kernel // 2,) * 4
    attributes = {"Kernels": (kernel, kernel), "Strides": (1, 1), "Pads": pads, "Dilations": (1, 1)}
    return function, function.emit("nhwcconvolution", "conv", [dest, image, filters, bias], attributes)


def winograd(size: int, channels: int) -> tuple[Function, Instruction]:
    """A 3 x 3 convolution of a square image by tiles of 4 x 4."""
    function, convolution_ = convolution(size, channels, channels)
    dest, image, _, bias = (operand.value for operand in convolution_.operands.values())
    filters = function.variable("t", floats(36, channels // 16, channels, 16), Mutability.CONST)
    return function, function.emit("nhwcwinograd", "wino", [dest, image, filters, bias], convolution_.attributes)


def product(depth: int, columns: int) -> tuple[Function, Instruction]:
    function = Function("f")
    x, y = function.alloc("x", floats(1, depth)), function.alloc("y", floats(1, columns))
    weights = function.variable("w", floats(columns // 16, depth, 16), Mutability.CONST)
    bias = function.variable("b", floats(columns), Mutability.CONST)
    return function, function.emit("packedproduct", "p", [y, x, weights, bias])


def auto(function: Function, instruction: Instruction) -> Tiling:
    """What is decided for two workers."""
    return tilings(function, 2)[instruction]


def test_one_worker_cuts_nothing() -> None:
    for force in ("auto", "rows", "channels", "none"):
        assert set(tilings(convolution(56, 64, 64)[0], 1, force).values()) == {UNCUT}


def test_large_images_are_cut_along_rows_and_many_weights_along_channels() -> None:
    assert auto(*convolution(56, 64, 64)).split is Split.ROWS
    assert auto(*convolution(7, 512, 512)).split is Split.CHANNELS
    assert auto(*product(4096, 4096)).split is Split.CHANNELS


def test_a_winograd_convolution_of_few_tiles_is_cut_along_channels() -> None:
    assert auto(*winograd(56, 64)).split is Split.ROWS
    assert auto(*winograd(8, 64)).split is Split.CHANNELS


def test_small_work_is_not_cut() -> None:
    assert auto(*product(64, 16)) == UNCUT
    assert auto(*convolution(4, 16, 16, kernel=1)) == UNCUT


def test_a_program_in_which_little_is_saved_is_not_cut() -> None:
    function, instruction = product(784, 320)
    best = min(time(instruction, Tiling(Split.CHANNELS, 2), 2), time(instruction, UNCUT, 2))
    assert best < time(instruction, UNCUT, 2), "a cut would save something"
    assert auto(function, instruction) == UNCUT


def test_cuts_along_channels_gain_where_half_of_the_weights_fit_into_a_cache() -> None:
    _, instruction = product(784, 256)
    cut = Tiling(Split.CHANNELS, 2)
    few, many, too_many = ((time(instruction, UNCUT, 2, size), time(instruction, cut, 2, size)) for size in SIZES)
    assert few[0] < many[0] == too_many[0]
    assert few[1] == many[1] < too_many[1]


def test_what_reads_rows_of_a_cut_instruction_is_cut_like_it() -> None:
    """Alone it is not: half of its input would have to go from one core to the other."""
    function, _ = convolution(56, 64, 64)
    dest, image = (value.value for value in function.instructions()[0].operands.values() if value.value.name in "xy")
    weights = [function.variable(name, floats(1, 1, 64), Mutability.CONST) for name in ("v", "c")]
    attributes = {"Kernels": (1, 1), "Strides": (1, 1), "Pads": (0,) * 4, "Dilations": (1, 1)}
    behind, alone = (
        function.emit(
            "nhwcdepthwise", f"of_{source.name}", [function.alloc(name, source.type), source, *weights], attributes
        )
        for name, source in (("a", dest), ("b", image))
    )
    assert auto(function, behind).split is Split.ROWS
    assert auto(function, alone) == UNCUT


def test_small_work_between_cut_images_is_cut_like_them() -> None:
    """One worker would fetch half of the rows from the other, who would fetch half of the result."""
    function, _ = convolution(32, 32, 32)
    image = function.instructions()[0].computed
    weights = [function.variable(name, floats(1, 1, 1, 32, 16), Mutability.CONST) for name in ("v", "c")]
    dest = function.alloc("half", floats(1, 16, 16, 16))
    attributes = {"Kernels": (1, 1), "Strides": (2, 2), "Pads": (0,) * 4, "Dilations": (1, 1)}
    small = function.emit("nhwcconvolution", "small", [dest, image, *weights], attributes)
    assert time(small, Tiling(Split.ROWS, 2), 2) > time(small, UNCUT, 2), "alone it would not be"
    assert auto(function, small).split is Split.ROWS


def test_a_depthwise_convolution_is_cut_like_what_it_reads() -> None:
    """Its channels depend on those of the same number only: a worker goes on with its own."""
    for size, channels, split in ((56, 64, Split.ROWS), (14, 512, Split.CHANNELS)):
        function, before = convolution(size, channels, channels)
        weights = [
            function.variable("w", floats(*shape), Mutability.CONST) for shape in ((3, 3, channels), (channels,))
        ]
        dest = function.alloc("deep", before.computed.type)
        deep = function.emit("nhwcdepthwise", "deep", [dest, before.computed, *weights], before.attributes)
        assert auto(function, before).split is split
        assert auto(function, deep).split is split


@pytest.mark.parametrize(
    ("force", "expected"), [("rows", Split.ROWS), ("channels", Split.CHANNELS), ("none", Split.NONE)]
)
def test_the_option_decides(force: str, expected: Split) -> None:
    function, instruction = convolution(4, 16, 256, kernel=1)
    assert tilings(function, 2, force)[instruction].split is expected
    function, instruction = product(784, 256)
    assert (tilings(function, 2, force)[instruction] != UNCUT) == (force == "channels")


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_a_cut_never_has_more_tiles_than_units_and_is_never_slower_than_none(threads: int) -> None:
    for height, depth, channels in ((1, 16, 16), (3, 256, 512), (14, 256, 256), (112, 16, 64)):
        function, instruction = convolution(height, depth, channels)
        tiling = tilings(function, threads)[instruction]
        assert tiling.tiles <= units(instruction, tiling.split)
        assert time(instruction, tiling, threads) <= time(instruction, UNCUT, threads)
