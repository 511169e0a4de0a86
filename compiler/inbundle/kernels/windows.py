"""Geometry of windows that move over an image: what convolutions and pools share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inbundle.kernels.facts import InstructionFacts
from inbundle.kernels.nests import times, total


@dataclass(frozen=True)
class Dimension:
    """One spatial dimension: sizes of image, output and window, and how the window moves. `axis` is d, h or w."""

    axis: str
    size: int
    output: int
    kernel: int
    stride: int
    dilation: int
    pad: int
    end_pad: int

    @property
    def is_plain(self) -> bool:
        """Output and image are the same positions."""
        moves = (self.kernel, self.stride, self.pad, self.end_pad) == (1, 1, 0, 0)
        return moves and self.size == self.output

    @property
    def is_inside(self) -> bool:
        """No tap of any window leaves the image."""
        last = (self.output - 1) * self.stride + (self.kernel - 1) * self.dilation - self.pad
        return self.pad == 0 and last < self.size

    @property
    def position(self) -> str:
        """Image position of tap `k_AXIS` of output `o_AXIS`, in C."""
        moved = total(times(f"o_{self.axis}", self.stride), times(f"k_{self.axis}", self.dilation))
        return f"{moved} - {self.pad}" if self.pad else moved

    @property
    def shift(self) -> str:
        """Image position of tap `k_AXIS` of output 0, in C."""
        moved = times(f"k_{self.axis}", self.dilation)
        return f"{moved} - {self.pad}" if self.pad else moved

    def image_index(self, output: str, shift: str) -> str:
        """Image position of an output, in C, given the position `shift` of output 0."""
        return total(times(output, self.stride), shift)


def dimensions(facts: InstructionFacts) -> list[Dimension]:
    """The spatial dimensions of an instruction with the attributes Kernels, Strides, Pads, Dilations."""
    return window_dimensions(facts, facts.shape("Src")[2:], facts.shape("Dest")[2:])


def last_dimensions(facts: InstructionFacts) -> list[Dimension]:
    """The spatial dimensions of a channels-last instruction."""
    return window_dimensions(facts, facts.shape("Src")[1:-1], facts.shape("Dest")[1:-1])


def window_dimensions(facts: InstructionFacts, size: Sequence[int], output: Sequence[int]) -> list[Dimension]:
    """The spatial dimensions, given their sizes in image and output."""
    kernels, strides = facts.integers("Kernels"), facts.integers("Strides")
    pads, dilations = facts.integers("Pads"), facts.integers("Dilations")
    rank = len(size)
    axes = "dhw"[3 - rank :]
    columns = zip(axes, size, output, kernels, strides, dilations, pads[:rank], pads[rank:], strict=True)
    return [Dimension(*column) for column in columns]


def join_plain(dimensions: Sequence[Dimension]) -> list[Dimension]:
    """The same windows with plain neighbours joined: a 1 x 1 convolution runs over an image as over one long row."""
    joined: list[Dimension] = []
    for dimension in dimensions:
        if joined and joined[-1].is_plain and dimension.is_plain:
            count = joined.pop().size * dimension.size
            dimension = Dimension(dimension.axis, count, count, 1, 1, 1, 0, 0)
        joined.append(dimension)
    return joined


def flat_index(dimensions: Sequence[Dimension], prefix: str, field: str, outer: str) -> str:
    """Row-major index in C of the positions `PREFIX_AXIS` in an array of the sizes `field`, behind index `outer`."""
    text = outer
    for dimension in dimensions:
        size = int(getattr(dimension, field))
        if size != 1:
            text = f"{scaled(text, size)} + {prefix}_{dimension.axis}"
    return text


def scaled(index: str, size: int) -> str:
    """An index, in C, times a size."""
    if size == 1:
        return index
    return f"({index}) * {size}" if " " in index else f"{index} * {size}"
