"""Products with a packed matrix. A unit is a panel of columns where there is one row, else a block of rows."""

from __future__ import annotations

from inbundle.ir.panels import PANEL
from inbundle.kernels import templates
from inbundle.kernels.chains import Result
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.convolution import by_blocks
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel

# Sums in flight that hide the latency of a multiply-add.
_SUMS = 8


@vector_kernel("packedproduct")
def _product(context: KernelContext, machine: Machine) -> str:
    rows, columns = context.shape("Dest")
    depth = context.shape("Src")[1]
    if rows > 1:
        return by_blocks(context, machine, rows, depth, columns, "weights")
    wide = min(_SUMS, -(-columns // PANEL) * (PANEL // machine.lanes))
    wide_panels = wide * machine.lanes // PANEL
    single = PANEL // machine.lanes
    return templates.render(
        "vector/vector_product.c.j2",
        machine=machine,
        depth=depth,
        count=columns,
        panel=PANEL,
        wide=wide,
        wide_panels=wide_panels,
        wide_parts=max(1, _SUMS // wide),
        single=single,
        single_parts=max(1, _SUMS // single),
        result=Result(context),
    )
