"""WriteOutputs: the producer writes an output variable itself.

%a = relu @out %relu_res, @in %x                      %a = relu @out %y, @in %x
%b = abs @out %abs_res, @in %relu_res          ->     %b = abs @out %abs_res, @in %y
%y_save = copy @out %y, @in %relu_res
"""

from __future__ import annotations

from inbundle.ir.function import Alloc, AllocActivation, Dealloc, Function, Instruction, TensorView, View, storage
from inbundle.ir.uses import uses


def write_outputs(function: Function) -> None:
    """Replace a buffer by the output variable it is copied to, when it is copied whole and the copy is the variable's
    only use: then nothing else can have a claim on the variable's bytes."""
    for instruction in function.instructions():
        if instruction.kind == "copy" and instruction["Dest"] in function.outputs:
            _write_directly(function, instruction)


def _write_directly(function: Function, copy: Instruction) -> None:
    output = copy["Dest"]
    buffer, _ = storage(copy["Src"])
    whole = isinstance(buffer, AllocActivation) and buffer.type.bytes == output.type.bytes
    if not whole or len(uses(function)[output]) != 1:
        return
    index = next(i for i, step in enumerate(function.code) if isinstance(step, Alloc) and step.buffer is buffer)
    if buffer.type == output.type:
        del function.code[index]
        function.replace(buffer, output)
    else:
        view = TensorView(function.unique_name(f"{output.name}_view"), buffer.type, output)
        function.replace(buffer, view)
        function.code[index] = View(view)
    function.code = [
        step for step in function.code if step is not copy and not (isinstance(step, Dealloc) and step.buffer is buffer)
    ]
