"""Products with a packed matrix. A unit is a panel of columns where there is one row, else a block of rows."""

from __future__ import annotations

from inbundle.ir.panels import PANEL, panels
from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext
from inbundle.kernels.vector.convolution import by_blocks
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.natives import vector_kernel

# Every column is summed in so many parts: with them, even one vector of columns hides most of a sum's latency.
_PARTS = 2

# Bytes of weights that do not stay in the first cache: a kernel reads them in alternating directions, in pieces that
# are small enough for most of what the second cache holds to be read again before it is pushed out.
_FIRST_CACHE = 1 << 15
_ALTERNATING_WIDTH = 2


@vector_kernel("packedproduct")
def _product(context: KernelContext, machine: Machine) -> str:
    rows, columns = context.shape("Dest")
    depth = context.shape("Src")[1]
    if rows > 1:
        return by_blocks(context, machine, rows, depth, columns, "weights")
    alternates = 4 * depth * columns // context.task.tiles > _FIRST_CACHE
    return templates.render(
        "vector/vector_product.c.j2",
        machine=machine,
        depth=depth,
        count=columns,
        panel=PANEL,
        parts=_PARTS,
        widths=_widths(machine, min(panels(columns), _ALTERNATING_WIDTH if alternates else panels(columns))),
        epilogue=Epilogue(context),
        alternates=alternates,
        tiles=context.task.tiles,
    )


def _widths(machine: Machine, most: int) -> list[int]:
    """Panels beside each other, the most first: powers of two whose sums fit into half of the registers."""
    fits = max(1, machine.registers // 2 // _PARTS * machine.lanes // PANEL)
    return [width for width in (8, 4, 2, 1) if width <= min(fits, most)]
