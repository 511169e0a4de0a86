"""StackPools: which pools are computed with the convolution before them, and what tiles of that touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.footprints import footprint
from inbundle.ir.function import Function, Instruction, IRValue, Mutability, Operand, Register, Role
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.passes.stack_elementwise import stack_elementwise
from inbundle.ir.passes.stack_pools import stack_pools
from inbundle.ir.planner import plan
from inbundle.ir.pooling import MOST_FLOATS
from inbundle.ir.stacks import steps
from inbundle.ir.units import Split, splits, units, work
from inbundle.ir.verifier import IRError, verify
from ir_interpreter import run

PLAIN = {"Pads": (0, 0, 0, 0), "Dilations": (1, 1)}


@dataclass
class Net:
    """A 1 x 1 convolution from input x, 2 x 4 x 6, to an image of 3 channels, and a pool of 2 x 2 to output y."""

    kind: ElemKind = ElemKind.FLOAT
    width: int = 6
    pool: str = "maxpool"

    def __post_init__(self) -> None:
        self.function = Function("net")
        self.x = self._variable("x", 1, 2, 4, self.width)
        self.y = self._variable("y", 1, 3, 2, self.width // 2)
        self.function.inputs, self.function.outputs = [self.x], [self.y]
        ones = {"Kernels": (1, 1), "Strides": (1, 1), **PLAIN, "Group": 1}
        filters = self.constant(3, 2, 1, 1)
        self.image: IRValue = self.function.alloc("image", self.type(1, 3, 4, self.width))
        self.function.emit("convolution", "conv", [self.image, self.x, filters], ones)

    def type(self, *shape: int) -> TensorType:
        return TensorType(self.kind, shape)

    def _variable(self, name: str, *shape: int):
        return self.function.variable(name, self.type(*shape), Mutability.MUTABLE)

    def constant(self, *shape: int) -> IRValue:
        data = np.arange(np.prod(shape)).reshape(shape).astype(self.kind.dtype) - 2
        return self.function.variable("c", self.type(*shape), Mutability.CONST, data)

    def step(self, kind: str, name: str, *others: IRValue) -> None:
        """An element-wise step on the image."""
        result = self.function.alloc(name, self.image.type)
        self.function.emit(kind, name, [result, self.image, *others])
        self.image = result

    def pooled(self, dest: IRValue | None = None, others: tuple[IRValue, ...] = (), **attributes: Any) -> list[str]:
        """The kinds of the steps of each instruction, after the passes; verified."""
        own = {"StorageOrder": 0} if self.pool == "maxpool" else {"CountIncludePads": 0}
        window = {"Kernels": (2, 2), "Strides": (2, 2), **PLAIN} | attributes | own
        self.function.emit(self.pool, "pool", [dest or self.y, self.image, *others], window)
        if dest:
            self.function.emit("add", "add", [self.y, dest, self.constant(1, 3, 1, 1)])
        return self.after_passes()

    def after_passes(self) -> list[str]:
        hoist_dealloc(self.function)
        stack_elementwise(self.function)
        stack_pools(self.function)
        verify(self.function)
        return ["|".join(step.kind for step in steps(each)) for each in self.function.instructions()]


@pytest.mark.parametrize("pool", ["maxpool", "avgpool"])
def test_convolution_pool_and_what_stands_between_and_behind_is_one_instruction(pool: str) -> None:
    net = Net(pool=pool)
    net.step("add", "shifted", net.constant(1, 3, 1, 1))
    net.step("tanh", "bent")
    buffer = net.function.alloc("pooled", net.y.type)
    assert net.pooled(buffer) == [f"convolution|add|tanh|{pool}|add"]
    assert plan(net.function).activation_bytes == 0


def test_the_result_is_that_of_two_instructions() -> None:
    x = np.random.default_rng(1).standard_normal((1, 2, 4, 6)).astype(np.float32)
    net = Net()
    net.step("tanh", "bent")
    net.pooled()
    filters = np.arange(6).reshape(3, 2) - 2
    image = np.tanh(np.einsum("mc,chw->mhw", filters, x[0]))
    expected = image.reshape(3, 2, 2, 3, 2).max(axis=(2, 4))
    np.testing.assert_allclose(run(net.function, {"x": x})["y"][0], expected, rtol=1e-6)


@pytest.mark.parametrize(
    "attributes",
    [
        {"Strides": (1, 1)},
        {"Strides": (2, 1)},
        {"Pads": (1, 0, 0, 0)},
        {"Pads": (0, 0, 1, 1)},
        {"Dilations": (2, 1)},
        {"Kernels": (3, 2), "Strides": (3, 2)},  # the lower window leaves the image, as with ceil_mode
    ],
)
def test_windows_that_overlap_or_leave_the_image_are_another_instruction(attributes: dict[str, Any]) -> None:
    assert Net().pooled(**attributes) == ["convolution", "maxpool"]


def test_only_lines_of_floats_that_fit_on_the_stack_are_pooled_at_once() -> None:
    assert Net(width=MOST_FLOATS // 2).pooled() == ["convolution|maxpool"]
    assert Net(width=MOST_FLOATS // 2 + 2).pooled() == ["convolution", "maxpool"]
    assert Net(kind=ElemKind.FLOAT16).pooled() == ["convolution", "maxpool"]


def test_an_image_that_is_read_twice_and_argmax_need_memory() -> None:
    net = Net()
    z = net._variable("z", 1, 3, 4, 6)
    net.function.outputs.append(z)
    net.function.emit("copy", "save", [z, net.image])
    assert net.pooled() == ["convolution", "copy", "maxpool"]
    net = Net()
    argmax = net.function.variable("z", net.y.type.with_elem(ElemKind.INT64), Mutability.MUTABLE)
    assert net.pooled(others=(argmax,)) == ["convolution", "maxpool"]


def test_a_pool_that_waits_for_something_else_stays_apart() -> None:
    net = Net()
    other = net.function.alloc("other", net.y.type)
    buffer = net.function.alloc("pooled", net.y.type)
    net.function.emit("softmax", "late", [other, net.constant(1, 3, 2, 3)], {"Axis": 3})
    window = {"Kernels": (2, 2), "Strides": (2, 2), **PLAIN, "StorageOrder": 0}
    net.function.emit("maxpool", "pool", [buffer, net.image], window)
    net.function.emit("sub", "sub", [net.y, buffer, other])
    assert net.after_passes() == ["convolution", "softmax", "maxpool|sub"]


def test_tiles_are_channels_of_image_and_result() -> None:
    net = Net()
    net.step("mul", "scaled", net.constant(1, 3, 4, 6))
    net.pooled()
    (instruction,) = net.function.instructions()
    assert units(instruction) == 3
    assert work(instruction) == 72 * 2 + 72 * 2
    touched = footprint(instruction, Split.CHANNELS, 1, 3).ranges
    assert touched == {"Operand1": (24, 48), "Dest": (6, 12)}


def test_the_verifier_knows_what_can_be_pooled() -> None:
    net = Net()
    net.step("tanh", "bent")
    net.pooled()
    (instruction,) = net.function.instructions()
    pool = instruction.epilogue[1]
    pool.attributes["Strides"] = (1, 1)
    with pytest.raises(IRError, match="the kernel of convolution cannot pool by pool"):
        verify(net.function)
    pool.attributes["Strides"] = (2, 2)
    verify(net.function)
    pool.operands["Src"] = Operand(Role.IN, Register("other", net.image.type))
    with pytest.raises(IRError, match="the kernel of convolution cannot pool by pool"):
        verify(net.function)


# --- in vectors --------------------------------------------------------------------------------------------------


def in_vectors(
    source: tuple[int, ...] = (2, 3, 9, 13), filters: int = 5, further: tuple[int, ...] = (), **changed: Any
) -> list[Instruction]:
    """A 3 x 2 convolution of up to 5 planes, or of a channels-last image that is higher, a step with a constant of the
    shape `further`, and a pool, after the pass."""
    function, is_planar = Function("net"), source[1] <= 5
    images, depth, height, width = source if is_planar else (source[0], source[3], *source[1:3])
    windows = {"Kernels": (3, 2), "Strides": (1, 1), **PLAIN} | changed.pop("convolution", {})
    down, across = (
        (size - (kernel - 1) * dilation - 1) // stride + 1
        for size, kernel, stride, dilation in zip(
            (height, width), windows["Kernels"], windows["Strides"], windows["Dilations"], strict=True
        )
    )
    pool = {"Kernels": (2, 2), "Strides": (2, 2), **PLAIN} | changed
    shapes = {"x": source, "y": (images, down // pool["Strides"][0], across // pool["Strides"][1], filters)}
    x, y = (function.variable(name, TensorType(FLOAT, shape), Mutability.MUTABLE) for name, shape in shapes.items())
    function.inputs, function.outputs = [x], [y]
    image = TensorType(FLOAT, (images, down, across, filters))
    values = [function.alloc(name, image) for name in ("image", "scaled")]
    shape = (depth, *windows["Kernels"]) if is_planar else (*windows["Kernels"], depth)
    packed = [TensorType(FLOAT, (-(-filters // 16), *shape, 16)), TensorType(FLOAT, (-(-filters // 16) * 16,))]
    constants = [function.variable("c", each, Mutability.CONST, np.zeros(each.shape, np.float32)) for each in packed]
    kind = "planarconvolution" if is_planar else "nhwcconvolution"
    function.emit(kind, "conv", [values[0], x, *constants], windows)
    scale = TensorType(FLOAT, further)
    factor = function.variable("f", scale, Mutability.CONST, np.ones(further, np.float32))
    function.emit("mul", "mul", [values[1], values[0], factor])
    function.emit("nhwcmaxpool", "pool", [y, values[1]], pool)
    hoist_dealloc(function)
    stack_elementwise(function)
    stack_pools(function)
    verify(function)
    return function.instructions()


FLOAT = ElemKind.FLOAT


@pytest.mark.parametrize("source", [(2, 3, 9, 13), (2, 9, 13, 20)])
@pytest.mark.parametrize("further", [(), (5,)])
def test_a_unit_is_a_row_of_the_pooled_image(source: tuple[int, ...], further: tuple[int, ...]) -> None:
    (instruction,) = in_vectors(source, further=further)
    assert [step.kind for step in instruction.epilogue] == ["mul", "nhwcmaxpool"]
    assert splits(instruction) == (Split.ROWS,)
    assert units(instruction) == 2 * 3  # 7 rows of each image are pooled to 3
    touched = footprint(instruction, Split.ROWS, 1, 3).ranges
    assert touched["Dest"] == (2 * 6 * 5, 4 * 6 * 5)
    # The third row of the first image needs rows 4 to 7 of the input, the first of the second rows 0 to 3.
    assert touched.get("Src") == (None if source[1] == 3 else (4 * 13 * 20, 13 * 13 * 20))


@pytest.mark.parametrize(
    "changed",
    [
        {"Strides": (1, 2)},
        {"Kernels": (3, 2), "Strides": (3, 2)},  # 6 elements in a window
        {"further": (7, 12, 5)},  # an element of its own for each pixel
        {"source": (1, 5, 6, 1200)},  # too many floats under a row of windows
        {"source": (1, 9, 13, 128)},  # so many filters are better read for each tap once
        {"convolution": {"Dilations": (1, 2)}},
        {"convolution": {"Kernels": (1, 1)}, "source": (2, 9, 13, 20)},
    ],
)
def test_what_vector_kernels_do_not_pool(changed: dict[str, Any]) -> None:
    assert [instruction.kind for instruction in in_vectors(**changed)][-1] == "nhwcmaxpool"
