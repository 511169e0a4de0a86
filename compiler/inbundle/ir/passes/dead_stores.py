"""DSE: instructions whose result nobody reads.

1 %a = relu @out %t, @in %x      (t is not read, or overwritten before it is)   ->   nothing
"""

from __future__ import annotations

from inbundle.ir.function import AllocActivation, Function, Instruction, IRValue, Step, storage


def delete_dead_stores(function: Function) -> None:
    """One backward walk: an instruction stays when it writes a variable, or a buffer that is read further down."""
    read_below: set[IRValue] = set()
    code: list[Step] = []
    for step in reversed(function.code):
        if not isinstance(step, Instruction):
            code.append(step)
        elif any(_matters(value, read_below) for value in step.writes()):
            code.append(step)
            # What it overwrites is not read above, unless it reads it itself (as @inout does).
            read_below -= {base for base in map(_overwritten, step.writes()) if base is not None}
            read_below |= {storage(value)[0] for value in step.reads()}
    function.code = code[::-1]


def _matters(written: IRValue, read_below: set[IRValue]) -> bool:
    base, _ = storage(written)
    return base in read_below or not isinstance(base, AllocActivation)


def _overwritten(written: IRValue) -> IRValue | None:
    """The buffer, when all of it is written."""
    base, _ = storage(written)
    return base if written.type.bytes == base.type.bytes else None
