"""Loops over elements in vectors: element-wise kinds and stacks of them, and Softmax.

Units are those of the kernels for one element. An element's value does not depend on where in a vector it is computed.
"""

from __future__ import annotations

from inbundle.graph.types import ElemKind
from inbundle.ir.instructions import IN_VECTORS
from inbundle.ir.stacks import INSERT, steps
from inbundle.kernels import templates
from inbundle.kernels.chains import chain
from inbundle.kernels.context import KernelContext
from inbundle.kernels.maps import Map
from inbundle.kernels.vector.epilogue import VECTORS
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel


def _is_float(context: KernelContext) -> bool:
    return all(operand.value.type.elem is ElemKind.FLOAT for operand in context.instruction.operands.values())


def _is_map(context: KernelContext) -> bool:
    """Whether all steps are there in vectors, and rows lie side by side in all that is read and written."""
    kinds = [step.kind for step in steps(context.instruction)]
    if not _is_float(context) or not all(kind in IN_VECTORS or kind == INSERT for kind in kinds):
        return False
    nest = Map(context).nest
    strides = dict(zip(nest.names, nest.axes[-1].strides, strict=True))
    return strides["dest"] == 1 and all(stride in (0, 1) for stride in strides.values())


@vector_kernel(*sorted(IN_VECTORS), when=_is_map)
def _map(context: KernelContext, machine: Machine) -> str:
    loops = Map(context)
    arrays = [name for name in loops.nest.names if name != "dest" and not loops.is_per_row(name)]

    def value_of(name: str) -> str:
        name = name.lower()
        if name in arrays:
            return f"*(const unaligned *)(const void *){name}_at"
        return f"vector_splat({name}_{'r' if name in loops.nest.names else '0'})"

    lines = chain(context, value_of, "*(unaligned *)(void *)out", dialect=VECTORS)
    return templates.render(
        "vector/map.c.j2",
        machine=machine,
        nest=loops.nest,
        rows=loops.row_values(lines),
        arrays=[name for name in arrays if any(f"{name}_at" in line for line in lines)],
        lines="\n".join(lines),
    )


def _is_last_axis(context: KernelContext) -> bool:
    return _is_float(context) and context.integer("Axis") == len(context.shape("Src")) - 1


@vector_kernel("softmax", "logsoftmax", when=_is_last_axis)
def _softmax(context: KernelContext, machine: Machine) -> str:
    return templates.render(
        "vector/softmax.c.j2",
        machine=machine,
        size=context.shape("Src")[-1],
        is_log=context.instruction.kind == "logsoftmax",
    )
