"""ScalarConstants: a constant whose elements are all equal is read as one element.

    %mul = mul @out %mul_res, @in %x, @in %halves        (halves: 64 times 0.5)
    ->
    %mul = mul @out %mul_res, @in %x, @in %halves_element      (once 0.5)

A kernel reads one element before its loop, and every kernel that takes an epilogue can index it.
"""

from __future__ import annotations

import numpy as np

from inbundle.ir.function import Function, IRValue, Mutability, WeightVar, storage
from inbundle.ir.stacks import elementwise_operands


def scalar_constants(function: Function) -> None:
    """Replace such operands of element-wise instructions; what nobody reads any more is for DeleteDeadAllocs."""
    elements: dict[tuple[WeightVar, bytes], WeightVar] = {}
    for instruction in function.instructions():
        for operand in elementwise_operands(instruction):
            element = _only_element(operand.value)
            base, _ = storage(operand.value)
            if element is not None and isinstance(base, WeightVar):
                key = base, element.tobytes()
                if key not in elements:
                    type = base.type.with_shape((1,))
                    elements[key] = function.variable(f"{base.name}_element", type, Mutability.CONST, element)
                operand.value = elements[key]


def _only_element(value: IRValue) -> np.ndarray | None:
    """The element, bit by bit, that all of several elements of a constant are; None otherwise."""
    base, start = storage(value)
    if not isinstance(base, WeightVar) or base.data is None or value.type.elements < 2:
        return None
    first = start // value.type.elem.size
    data = base.data.reshape(-1)[first : first + value.type.elements]
    bits = data.view(f"u{value.type.elem.size}")
    return data[:1].copy() if (bits == bits[0]).all() else None
