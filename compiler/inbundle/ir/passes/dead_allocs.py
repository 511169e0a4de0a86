"""DeleteDeadAllocs: buffers, views and constants that no instruction names.

0 %relu_res = allocactivation  { Ty: float<4>}
1 %flat = tensorview @in %relu_res { Ty: float<2 x 2>, Offset: 0}          ->   nothing
2 %dealloc_relu_res = deallocactivation @out %relu_res
"""

from __future__ import annotations

from inbundle.ir.function import Function, Instruction, IRValue, Mutability, TensorView, View


def delete_dead_allocs(function: Function) -> None:
    """What an instruction names stays, and what a view that stays is a view of; placeholders stay in any case."""
    named = _named(function)
    function.variables = [v for v in function.variables if v in named or v.mutability is Mutability.MUTABLE]
    function.code = [
        step
        for step in function.code
        if isinstance(step, Instruction) or (step.view if isinstance(step, View) else step.buffer) in named
    ]


def _named(function: Function) -> set[IRValue]:
    """What instructions name, with all that lies behind it."""
    named: set[IRValue] = set()
    for instruction in function.instructions():
        for operand in instruction.operands.values():
            value = operand.value
            while value not in named:
                named.add(value)
                if isinstance(value, TensorView):
                    value = value.base
    return named
