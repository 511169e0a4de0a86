"""The memory planner: Function -> MemoryPlan.

Constants lie in the order in which the program first reads them. Placeholders lie as inputs, in-and-out, outputs,
neither, each group by first use. Activations share bytes when they do not live at the same time (`ir/packing.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inbundle.ir.function import Alloc, Dealloc, Function, Mutability, WeightVar
from inbundle.ir.memory import ALIGNMENT, MemoryPlan, Place, align
from inbundle.ir.packing import Life, own_bytes, pack, total
from inbundle.ir.uses import uses


def plan(function: Function, *, reuse: bool = True) -> MemoryPlan:
    """Offsets for everything in `function`, whose buffers all have their deallocations.

    Args:
        reuse: let activations share bytes; otherwise each has its own.
    """
    result = MemoryPlan()
    variables = _by_first_use(function)
    constants = [variable for variable in variables if variable.mutability is Mutability.CONST]
    result.constant_bytes = _place_in_a_row(result, "constantWeight", constants)
    result.mutable_bytes = _place_in_a_row(result, "mutableWeight", _placeholders(function, variables))
    lives = lives_of(function)
    offsets = pack(lives) if reuse else own_bytes(lives)
    for life in lives:
        result.places[life.buffer] = Place("activations", offsets[life], life.buffer.type.bytes)
    result.activation_bytes = total(offsets)
    return result


def lives_of(function: Function) -> list[Life]:
    """The buffers in program order, alive from step to step."""
    ends = {step.buffer: index for index, step in enumerate(function.code) if isinstance(step, Dealloc)}
    return [
        Life(step.buffer, index, ends[step.buffer], align(step.buffer.type.bytes))
        for index, step in enumerate(function.code)
        if isinstance(step, Alloc)
    ]


# --- variables ---------------------------------------------------------------------------------------------------


def _by_first_use(function: Function) -> list[WeightVar]:
    """Used variables in the order of their first use, then the others."""
    order = {value: index for index, value in enumerate(uses(function))}
    return sorted(function.variables, key=lambda variable: order.get(variable, len(order)))


def _placeholders(function: Function, variables: Iterable[WeightVar]) -> list[WeightVar]:
    """Mutable variables, inputs first; the order inside a group stays."""

    def group(variable: WeightVar) -> int:
        is_input, is_output = variable in function.inputs, variable in function.outputs
        return {(True, False): 0, (True, True): 1, (False, True): 2, (False, False): 3}[is_input, is_output]

    return sorted((variable for variable in variables if variable.mutability is Mutability.MUTABLE), key=group)


def _place_in_a_row(result: MemoryPlan, region: str, variables: Sequence[WeightVar]) -> int:
    """Place `variables` one after the other and return the region's size; an empty one takes ALIGNMENT bytes."""
    offset = 0
    for variable in variables:
        result.places[variable] = Place(region, offset, variable.type.bytes)
        offset += max(align(variable.type.bytes), ALIGNMENT)
    return offset
