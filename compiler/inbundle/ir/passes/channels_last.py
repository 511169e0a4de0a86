"""ChannelsLast: convolutions and what lies between them on channels-last buffers, for vector kernels.

    %conv = convolution @out %conv_res, @in %x, @in %w, @in %b
    ->
    %x_nhwc = transpose @out %x_nhwc_res, @in %x { Shuffle: [0, 2, 3, 1]}
    %conv = nhwcconvolution @out %conv_res_nhwc, @in %x_nhwc_res, @in %w_packed, @in %b_packed

Of an image with few channels, such as an input, planarconvolution reads ONNX's order itself.

A buffer gets a channels-last twin when an instruction is better off with it; the instruction after it takes the twin
where it can, and a transpose back stands only where an instruction needs the order of ONNX. Must run before
instructions are stacked and buffers are shared: as long as every value is written once, a twin stays what its buffer
is.
"""

from __future__ import annotations

import numpy as np

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import (
    AllocActivation,
    Function,
    Instruction,
    IRValue,
    Mutability,
    Step,
    View,
    WeightVar,
)
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.panels import PANEL, pack_bias, pack_filters, pack_groups, pack_planes
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.passes.pack_weights import constant
from inbundle.ir.vector_work import MOST_LINES
from inbundle.ir.winograd import points_for, transformed_filters

_TO_LAST, _TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
# Filters that a group of a convolution must have.
_FEWEST_FILTERS = 4
_POOLS = {"maxpool": "nhwcmaxpool", "avgpool": "nhwcavgpool"}


def channels_last(function: Function) -> None:
    """Rewrite the 2-D float convolutions with constant filters, and what follows them."""
    if any(_is_packable(instruction) for instruction in function.instructions()):
        _Rewriter(function).run()


def _is_image(type: TensorType) -> bool:
    return type.elem is ElemKind.FLOAT and type.rank == 4 and type.elements > 0


def _is_packable(instruction: Instruction) -> bool:
    if instruction.kind != "convolution" or not _is_image(instruction["Dest"].type):
        return False
    is_known = constant(instruction["Filter"]) is not None and (
        instruction.get("Bias") is None or constant(instruction.get("Bias")) is not None
    )
    return is_known and (instruction.attributes["Group"] == 1 or _is_depthwise(instruction) or _is_grouped(instruction))


def _is_depthwise(instruction: Instruction) -> bool:
    """As many groups as channels, at least a vector of them, and one filter each."""
    group, channels = instruction.attributes["Group"], instruction["Src"].type.shape[1]
    return group == channels == instruction["Filter"].type.shape[0] and channels >= PANEL


def _is_grouped(instruction: Instruction) -> bool:
    """Groups with filters enough to be computed side by side."""
    group = instruction.integer("Group")
    return group > 1 and instruction["Filter"].type.shape[0] // group >= _FEWEST_FILTERS


def _last(type: TensorType) -> TensorType:
    return type.with_shape(tuple(type.shape[axis] for axis in _TO_LAST))


def _integers(values: object) -> tuple[int, ...]:
    assert isinstance(values, tuple)
    return tuple(int(value) for value in values)


def _shuffled(values: object) -> tuple[int, ...]:
    return tuple(_integers(values)[axis] for axis in _TO_LAST)


class _Rewriter:
    """The new code while it is made. `_twins[v]` holds v channels-last; `_pending` are values that only their twin
    holds so far."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._old: list[Step] = function.code
        self._twins: dict[IRValue, IRValue] = {}
        self._pending: set[IRValue] = set()
        self._inserts: dict[IRValue, list[Instruction]] = {}
        for instruction in function.instructions():
            if instruction.kind == "inserttensor":
                self._inserts.setdefault(instruction["Dest"], []).append(instruction)

    def run(self) -> None:
        self._function.code = []
        for step in self._old:
            if isinstance(step, Instruction):
                self._rewrite(step)
            elif isinstance(step, View):
                self._as_first(step.view.base)
                self._function.code.append(step)
            else:
                self._function.code.append(step)
        sink_allocs(self._function)
        hoist_dealloc(self._function)

    # --- values ------------------------------------------------------------------------------------------------------

    def _as_last(self, value: IRValue) -> IRValue:
        """The value channels-last; a transpose, or a view where both orders are the same bytes."""
        if value not in self._twins:
            type = _last(value.type)
            if value.type.shape[1] == 1 or value.type.shape[2:] == (1, 1):
                self._twins[value] = self._function.view(value, type, f"{value.name}_nhwc")
            else:
                twin = self._function.alloc(f"{value.name}_nhwc", type)
                self._function.emit("transpose", f"{value.name}_to_nhwc", [twin, value], {"Shuffle": _TO_LAST})
                self._twins[value] = twin
        return self._twins[value]

    def _as_first(self, value: IRValue) -> None:
        """See to it that the value itself holds what its twin does."""
        if value in self._pending:
            self._pending.discard(value)
            shuffle = {"Shuffle": _TO_FIRST}
            self._function.emit("transpose", f"{value.name}_to_nchw", [value, self._twins[value]], shuffle)

    def _result(self, value: IRValue) -> IRValue:
        """The twin of a value that is computed channels-last."""
        if value.type.shape[1] == 1 or value.type.shape[2:] == (1, 1):
            twin: IRValue = self._function.view(value, _last(value.type), f"{value.name}_nhwc")
        else:
            twin = self._function.alloc(f"{value.name}_nhwc", _last(value.type))
            self._pending.add(value)
        self._twins[value] = twin
        return twin

    # --- instructions ------------------------------------------------------------------------------------------------

    def _rewrite(self, instruction: Instruction) -> None:
        first = len(self._function.code)
        if _is_packable(instruction):
            self._convolution(instruction)
        elif instruction.kind in _POOLS and self._may_follow(instruction) and instruction.get("Argmax") is None:
            self._follow(instruction, _POOLS[instruction.kind])
        elif instruction.kind == "reducemean" and self._may_follow(instruction) and self._is_global(instruction):
            self._follow(instruction, "reducemean", {"Axes": (1, 2)})
        elif instruction.kind == "extracttensor" and self._may_follow(instruction):
            shuffled = {name: _shuffled(values) for name, values in instruction.attributes.items()}
            self._follow(instruction, "extracttensor", shuffled)
        elif instruction.kind == "inserttensor" and self._may_insert(instruction):
            self._insert(instruction)
        elif INSTRUCTIONS[instruction.kind].elementwise and self._may_compute(instruction):
            self._compute(instruction)
        else:
            for operand in instruction.operands.values():
                self._as_first(operand.value)
            self._function.code.append(instruction)
        for step in self._function.code[first:]:
            if isinstance(step, Instruction) and not step.origin:
                step.origin = instruction.origin

    def _convolution(self, old: Instruction) -> None:
        filters, bias = constant(old["Filter"]), constant(old.get("Bias"))
        assert filters is not None
        attributes, group = dict(old.attributes), old.integer("Group")
        offsets = pack_bias(bias, len(filters))
        src = old["Src"] if self._is_planar(old) else self._as_last(old["Src"])
        if src is old["Src"]:
            kind, packed = "planarconvolution", pack_planes(filters)
        elif group != 1 and _is_depthwise(old):
            kind, packed = "nhwcdepthwise", np.ascontiguousarray(np.moveaxis(filters[:, 0], 0, -1))
            offsets = np.zeros(len(filters), np.float32) if bias is None else bias
        elif group != 1:
            kind, packed = "nhwcgrouped", pack_groups(filters, group)
            split = [None] * group if bias is None else np.split(bias, group)
            offsets = np.stack([pack_bias(part, len(filters) // group) for part in split])
        elif points := points_for(filters, old):
            kind, packed = "nhwcwinograd", transformed_filters(filters, points)
        else:
            kind, packed = "nhwcconvolution", pack_filters(filters)
        if kind != "nhwcgrouped":
            del attributes["Group"]
        values = [
            self._result(old["Dest"]),
            src,
            self._variable(f"{old['Filter'].name}_packed", packed),
            self._variable(f"{old.name}_bias", offsets),
        ]
        self._function.emit(kind, old.name, values, attributes)

    def _is_planar(self, convolution: Instruction) -> bool:
        """Whether the image is there in ONNX's order only, and better read so: it has few channels, and the rows that
        an output row needs find room on the stack."""
        attributes, (_, channels, _, _) = convolution.attributes, convolution["Src"].type.shape
        (rows, kernel), (_, stride), (_, dilation) = (
            convolution.integers(n) for n in ("Kernels", "Strides", "Dilations")
        )
        width = (convolution["Dest"].type.shape[3] - 1) * stride + kernel
        is_small = attributes["Group"] == 1 and channels < PANEL and channels * rows * width <= MOST_LINES
        return is_small and dilation == 1 and (channels == 1 or convolution["Src"] not in self._twins)

    def _variable(self, name: str, data: np.ndarray) -> WeightVar:
        type = TensorType(ElemKind.FLOAT, data.shape)
        return self._function.variable(name, type, Mutability.CONST, data)

    def _may_follow(self, instruction: Instruction) -> bool:
        return instruction["Src"] in self._twins and _is_image(instruction["Dest"].type)

    def _is_global(self, instruction: Instruction) -> bool:
        return instruction.attributes["Axes"] == (2, 3)

    def _follow(self, old: Instruction, kind: str, attributes: dict[str, tuple[int, ...]] | None = None) -> None:
        src = self._twins[old["Src"]]
        kept = {name: value for name, value in old.attributes.items() if name != "StorageOrder"}
        self._function.emit(kind, old.name, [self._result(old["Dest"]), src], {**kept, **(attributes or {})})

    def _may_insert(self, instruction: Instruction) -> bool:
        """Whether all that is inserted into Dest is there channels-last when the first insertion comes."""
        dest = instruction["Dest"]
        if dest in self._twins:
            return True
        sources = [insert["Src"] for insert in self._inserts[dest]]
        return isinstance(dest, AllocActivation) and _is_image(dest.type) and all(s in self._twins for s in sources)

    def _insert(self, old: Instruction) -> None:
        dest = self._twins.get(old["Dest"]) or self._result(old["Dest"])
        offsets = {"Offsets": _shuffled(old.attributes["Offsets"])}
        self._function.emit("inserttensor", old.name, [dest, self._twins[old["Src"]]], offsets)

    def _may_compute(self, instruction: Instruction) -> bool:
        """An element-wise instruction on an image that is there channels-last; its other operands are of the same
        shape, of one element, or constants with an element per channel."""
        type = instruction["Dest"].type
        if not _is_image(type) or not any(value in self._twins for value in instruction.reads()):
            return False
        return all(
            value.type.shape == type.shape or value.type.elements == 1 or self._is_per_channel(value, type)
            for value in instruction.reads()
        )

    def _is_per_channel(self, value: IRValue, type: TensorType) -> bool:
        aligned = (1,) * (4 - value.type.rank) + value.type.shape
        return constant(value) is not None and aligned == (1, type.shape[1], 1, 1)

    def _compute(self, old: Instruction) -> None:
        type = old["Dest"].type
        values = [self._operand(value, type) for value in old.reads()]
        self._function.emit(old.kind, old.name, [self._result(old["Dest"]), *values], dict(old.attributes))

    def _operand(self, value: IRValue, type: TensorType) -> IRValue:
        if value.type.shape == type.shape and value.type.elements != 1:
            return self._as_last(value)
        if value.type.elements == 1:
            one = value.type.with_shape((1,))
            self._as_first(value)
            return value if value.type.rank <= 1 else self._function.view(value, one, f"{value.name}_number")
        per_channel = value.type.with_shape((type.shape[1],))
        return self._function.view(value, per_channel, f"{value.name}_channels")
