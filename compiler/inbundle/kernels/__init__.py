"""C kernels: the native functions that the nets of a bundle call.

`generate` writes those of the tile granularity, one per task, `generate_natives` those of the neuron granularity.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.ir.function import Function
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.pooling import parts
from inbundle.ir.tasks import Task
from inbundle.kernels.context import KERNELS, KernelContext, c_function
from inbundle.kernels.natives import generate_natives
from inbundle.kernels.source import kernels_file
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.machines import MACHINES, Machine
from inbundle.kernels.vector.natives import has_vectors, vector_function

# The families enter their kernels into tables when they are imported.
from inbundle.kernels import (  # isort: skip
    activation as activation,
    conv as conv,
    elementwise as elementwise,
    linear as linear,
    logic as logic,
    normalization as normalization,
    padding as padding,
    pool as pool,
    reduction as reduction,
    shape as shape,
)

from inbundle.kernels.vector import (  # isort: skip
    convolution as vector_convolution,
    images as vector_images,
    maps as vector_maps,
    product as vector_product,
    winograd as vector_winograd,
)

__all__ = [
    "KERNELS",
    "generate",
    "generate_natives",
    "vector_convolution",
    "vector_images",
    "vector_maps",
    "vector_product",
    "vector_winograd",
]


def generate(
    function: Function, plan: MemoryPlan, tasks: Sequence[Task], *, network: str, vectors: Sequence[str] = ()
) -> str:
    """The text of NETWORK_kernels.c: per task the function `inpla_int native_NAME(void *user, inpla_int tile)`.

    A kernel computes the units of its tile and returns 0, or 1 when an index read at run time leaves its tensor.

    Args:
        function: what `plan` and `tasks` were made from.
        network: legal name of the network.
        vectors: names of the vector units that the target may have, best first; see `kernels/vector/machines.py`.
    """
    machines = [MACHINES[name] for name in vectors]
    contexts = [KernelContext(task, plan) for task in tasks]
    epilogues = [Epilogue(context) for context in contexts if _has_epilogue_in_tiles(context)]
    functions = [_function(context, machines) for context in contexts]
    by_name = {epilogue.name: epilogue for epilogue in epilogues if epilogue.name}
    return kernels_file(network, "the kernels that the net calls", functions, machines, by_name)


def _has_epilogue_in_tiles(context: KernelContext) -> bool:
    """Those that pool have no tiles that others could share."""
    instruction = context.instruction
    return INSTRUCTIONS[instruction.kind].family == "vector" and len(parts(instruction)) == 1


def _is_vector(context: KernelContext, machines: Sequence[Machine]) -> bool:
    return bool(machines) and has_vectors(context)


def _function(context: KernelContext, machines: Sequence[Machine]) -> str:
    if _is_vector(context, machines):
        return vector_function(context, machines)
    return c_function(context)
