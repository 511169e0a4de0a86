"""OptimizeInserts: what a Concat joins is computed in its place in the result, where its elements lie side by side.

    %conv = convolution @out %conv_res, …                      %part = tensorview @in %concat_res { Ty: …, Offset: 12}
    %concat = inserttensor @inout %concat_res, @in %conv_res   ->   %conv = convolution @out %part, …
       { Offsets: [0, 3, 0, 0]}

Other readers of `conv_res` read the part. What cannot move stays a copy: inputs, constants, values inserted twice, and
parts that are not contiguous. Must run before buffers are shared: as long as every value is written once, nothing
overwrites what a part shows.
"""

from __future__ import annotations

from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    Step,
    TensorView,
    View,
    storage,
)
from inbundle.ir.parts import inserted_at
from inbundle.ir.passes.lifetimes import hoist_dealloc, sink_allocs
from inbundle.ir.stacks import INSERT
from inbundle.ir.uses import ValueMap


def optimize_inserts(function: Function) -> None:
    """Replace the buffers that are inserted as a whole, into contiguous elements, by views of what they go into."""
    values = ValueMap(function)
    gone: set[IRValue | Instruction] = set()
    for insert in function.instructions():
        part = _part(insert)
        if part is not None:
            buffer, _ = storage(insert["Src"])
            values.add_view(part)
            values.replace(buffer, part)
            gone |= {buffer, insert}
    function.code = [step for step in function.code if not _is_gone(step, gone)]
    sink_allocs(function)  # the results begin to live when their first part is computed
    hoist_dealloc(function)


def _is_gone(step: Step, gone: set[IRValue | Instruction]) -> bool:
    return not isinstance(step, View) and (step.buffer if isinstance(step, Alloc | Dealloc) else step) in gone


def _part(insert: Instruction) -> TensorView | None:
    """The part of Dest that the inserted buffer can become."""
    if insert.kind != INSERT:
        return None
    dest, source = insert["Dest"], insert["Src"]
    buffer, _ = storage(source)
    is_whole = isinstance(buffer, AllocActivation) and source.type.bytes == buffer.type.bytes
    offset = inserted_at(insert)
    if offset is None or not is_whole or storage(dest)[0] is buffer:
        return None
    return TensorView(buffer.name, buffer.type, dest, offset)
