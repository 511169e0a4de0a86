"""How the types of an instruction's operands hang together, per kind: the part of the IR verifier that knows kinds.

A rule returns whether the types fit. The shapes that padding and strides give are inferred and checked on the Graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from inbundle.graph.ops.broadcast import broadcasts_to
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Instruction
from inbundle.ir.instructions import INSTRUCTIONS

Rule = Callable[[Instruction], bool]


def check_types(instruction: Instruction) -> str | None:
    """The rule that the operands' types break, or None. Operands and attributes are complete already."""
    fits = _RULES.get(instruction.kind)
    if fits is None or fits(instruction):
        return None
    types = ", ".join(f"{name} {operand.value.type}" for name, operand in instruction.operands.items())
    return f"types do not fit {instruction.kind}: {types}"


def _dest(instruction: Instruction) -> TensorType:
    return instruction["Dest"].type


def _src(instruction: Instruction) -> TensorType:
    return instruction["Src"].type


def _same(instruction: Instruction) -> bool:
    return _dest(instruction) == _src(instruction)


def _same_elements(instruction: Instruction) -> bool:
    dest, src = _dest(instruction), _src(instruction)
    return dest.elem is src.elem and dest.elements == src.elements


def _same_shape(instruction: Instruction) -> bool:
    return _dest(instruction).shape == _src(instruction).shape


def _broadcast_to_dest(instruction: Instruction, *operands: str) -> bool:
    return all(broadcasts_to(instruction[name].type.shape, _dest(instruction).shape) for name in operands)


def _binary(instruction: Instruction) -> bool:
    elem, left, right = (instruction[name].type.elem for name in ("Dest", "LHS", "RHS"))
    elems = left is elem and (right is elem or instruction.kind == "pow")
    return elems and _broadcast_to_dest(instruction, "LHS", "RHS")


def _comparison(instruction: Instruction) -> bool:
    elem, left, right = (instruction[name].type.elem for name in ("Dest", "LHS", "RHS"))
    return elem is ElemKind.BOOL and left is right and _broadcast_to_dest(instruction, "LHS", "RHS")


def _test(instruction: Instruction) -> bool:
    return _dest(instruction) == _src(instruction).with_elem(ElemKind.BOOL)


def _select(instruction: Instruction) -> bool:
    is_mask = instruction["Cond"].type.elem is ElemKind.BOOL
    return is_mask and _broadcast_to_dest(instruction, "Cond") and _binary(instruction)


def _convolution(instruction: Instruction) -> bool:
    dest, src, filters = _dest(instruction), _src(instruction), instruction["Filter"].type
    bias, group = instruction.get("Bias"), instruction.integer("Group")
    ranks = dest.rank == src.rank == filters.rank and dest.rank in (3, 4, 5)
    return (
        ranks
        and instruction.integers("Kernels") == filters.shape[2:]
        and dest.shape[:2] == (src.shape[0], filters.shape[0])
        and filters.shape[1] * group == src.shape[1]
        and (bias is None or bias.type.shape == filters.shape[:1])
    )


def _pool(instruction: Instruction) -> bool:
    dest, src, argmax = _dest(instruction), _src(instruction), instruction.get("Argmax")
    fits = dest.elem is src.elem and dest.rank == src.rank and dest.shape[:2] == src.shape[:2]
    return fits and (argmax is None or argmax.type == dest.with_elem(ElemKind.INT64))


def _fullyconnected(instruction: Instruction) -> bool:
    a, b = _src(instruction).shape, instruction["Weights"].type.shape
    if len(a) != 2 or len(b) != 2:
        return False
    rows, inner = a[::-1] if instruction.attributes["TransA"] else a
    inner2, columns = b[::-1] if instruction.attributes["TransB"] else b
    dest, bias = _dest(instruction), instruction.get("Bias")
    fits = dest.shape == (rows, columns) and inner == inner2
    return fits and (bias is None or broadcasts_to(bias.type.shape, dest.shape))


def _matmul(instruction: Instruction) -> bool:
    dest, left, right = (instruction[name].type.shape for name in ("Dest", "LHS", "RHS"))
    if min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        return False
    batch = broadcasts_to(left[:-2], dest[:-2]) and broadcasts_to(right[:-2], dest[:-2])
    return batch and dest[-2:] == (left[-2], right[-1])


def _transpose(instruction: Instruction) -> bool:
    shuffle, src = instruction.integers("Shuffle"), _src(instruction)
    if sorted(shuffle) != list(range(src.rank)):
        return False
    return _dest(instruction) == src.with_shape(tuple(src.shape[axis] for axis in shuffle))


def _inserttensor(instruction: Instruction) -> bool:
    dest, src, offsets = _dest(instruction), _src(instruction), instruction.integers("Offsets")
    if dest.elem is not src.elem or not len(offsets) == dest.rank == src.rank:
        return False
    return all(o >= 0 and o + part <= whole for o, part, whole in zip(offsets, src.shape, dest.shape, strict=True))


def _extracttensor(instruction: Instruction) -> bool:
    dest, src = _dest(instruction), _src(instruction)
    offsets, steps = instruction.integers("Offsets"), instruction.integers("Steps")
    if dest.elem is not src.elem or not len(offsets) == len(steps) == dest.rank == src.rank:
        return False
    last = [o + (size - 1) * step for o, size, step in zip(offsets, dest.shape, steps, strict=True)]
    inside = all(0 <= i < size and 0 <= o < size for i, o, size in zip(last, offsets, src.shape, strict=True))
    return dest.elements == 0 or inside


def _pad(instruction: Instruction) -> bool:
    dest, src, pads = _dest(instruction), _src(instruction), instruction.integers("Pads")
    if len(pads) != 2 * src.rank:
        return False
    grown = (size + a + b for size, a, b in zip(src.shape, pads[: src.rank], pads[src.rank :], strict=True))
    return dest == src.with_shape(tuple(grown))


def _gather(instruction: Instruction) -> bool:
    src, axis = _src(instruction), instruction.integer("Axis")
    picked = src.shape[:axis] + instruction["Indices"].type.shape + src.shape[axis + 1 :]
    return _dest(instruction) == src.with_shape(picked)


def _broadcast(instruction: Instruction) -> bool:
    return _dest(instruction).elem is _src(instruction).elem and _broadcast_to_dest(instruction, "Src")


def _reduction(instruction: Instruction) -> bool:
    """Dest has the source's dimensions without the reduced ones, which may stay as ones."""
    dest, src, axes = _dest(instruction), _src(instruction), instruction.integers("Axes")
    kept = math.prod(size for axis, size in enumerate(src.shape) if axis not in axes)
    return dest.elem is src.elem and dest.elements == kept and all(0 <= axis < src.rank for axis in axes)


def _arg(instruction: Instruction) -> bool:
    src, axis = _src(instruction), instruction.attributes["Axis"]
    kept = math.prod(size for index, size in enumerate(src.shape) if index != axis)
    return _dest(instruction).elem is ElemKind.INT64 and _dest(instruction).elements == kept


def _layernormalization(instruction: Instruction) -> bool:
    parameters = [name for name in ("Scale", "Bias") if instruction.get(name)]
    return _dest(instruction) == _src(instruction) and _broadcast_to_dest(instruction, *parameters)


def _topk(instruction: Instruction) -> bool:
    dest, src, axis = _dest(instruction), _src(instruction), instruction.integer("Axis")
    if dest.rank != src.rank or dest.shape[axis] > src.shape[axis]:
        return False
    others = dest.shape[:axis] + dest.shape[axis + 1 :] == src.shape[:axis] + src.shape[axis + 1 :]
    return others and dest.elem is src.elem and instruction["Indices"].type == dest.with_elem(ElemKind.INT64)


def _scatter(instruction: Instruction) -> bool:
    src, indices, updates = (instruction[name].type for name in ("Src", "Indices", "Updates"))
    is_update = indices.elem is ElemKind.INT64 and updates == src.with_shape((indices.elements, *src.shape[1:]))
    return is_update and _dest(instruction) == src


_RULES: dict[str, Rule] = {
    **{kind: _binary for kind, spec in INSTRUCTIONS.items() if "LHS" in spec.inplace},
    **{kind: _same for kind, spec in INSTRUCTIONS.items() if "Src" in spec.inplace},
    "argmax": _arg,
    "argmin": _arg,
    "avgpool": _pool,
    "broadcast": _broadcast,
    "convertto": _same_shape,
    "convolution": _convolution,
    "copy": _same_elements,
    "equal": _comparison,
    "extracttensor": _extracttensor,
    "fullyconnected": _fullyconnected,
    "gather": _gather,
    "inserttensor": _inserttensor,
    "isinf": _test,
    "isnan": _test,
    "layernormalization": _layernormalization,
    "less": _comparison,
    "lessorequal": _comparison,
    "matmul": _matmul,
    "maxpool": _pool,
    "pad": _pad,
    "reducemax": _reduction,
    "reducemean": _reduction,
    "reducemin": _reduction,
    "reduceprod": _reduction,
    "reducesum": _reduction,
    "scatter": _scatter,
    "select": _select,
    "topk": _topk,
    "transpose": _transpose,
}
