"""C kernels: the native functions that the nets of a bundle call.

`generate` writes those of the tile granularity, one per task, `generate_natives` those of the neuron granularity.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.ir.function import Function
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.tasks import Task
from inbundle.kernels.context import KERNELS, KernelContext, c_function
from inbundle.kernels.natives import generate_natives
from inbundle.kernels.source import kernels_file

# The families enter their kernels into KERNELS when they are imported.
from inbundle.kernels import (  # isort: skip
    activation as activation,
    conv as conv,
    elementwise as elementwise,
    linear as linear,
    normalization as normalization,
    padding as padding,
    pool as pool,
    reduction as reduction,
    shape as shape,
)

__all__ = ["KERNELS", "generate", "generate_natives"]


def generate(function: Function, plan: MemoryPlan, tasks: Sequence[Task], *, network: str) -> str:
    """The text of NETWORK_kernels.c: per task the function `inpla_int native_NAME(void *user, inpla_int tile)`.

    A kernel computes the units of its tile and returns 0, or 1 when an index read at run time leaves its tensor.

    Args:
        function: what `plan` and `tasks` were made from.
        network: legal name of the network.
    """
    functions = [c_function(KernelContext(task, plan)) for task in tasks]
    return kernels_file(network, "the kernels that the net calls", functions)
