"""Kernels that are written per vector unit, and the native function that chooses among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inbundle.kernels import templates
from inbundle.kernels.context import KernelContext, heading, statements
from inbundle.kernels.vector.functions import for_machine
from inbundle.kernels.vector.machines import Machine

# Writes the statements of a kernel for a vector unit, not indented.
VectorWriter = Callable[[KernelContext, Machine], str]

# Whether there is a kernel for an instruction of a kind that has one.
Condition = Callable[[KernelContext], bool]

VECTOR_KERNELS: dict[str, tuple[VectorWriter, Condition]] = {}


def vector_kernel(*kinds: str, when: Condition = lambda _: True) -> Callable[[VectorWriter], VectorWriter]:
    """Decorator: this function writes the kernel of these instruction kinds; `when`: of which instructions."""

    def register(writer: VectorWriter) -> VectorWriter:
        for kind in kinds:
            assert kind not in VECTOR_KERNELS, f"two kernels for {kind}"
            VECTOR_KERNELS[kind] = writer, when
        return writer

    return register


def has_vectors(context: KernelContext) -> bool:
    """Whether an instruction has a kernel in vectors."""
    _, is_written = VECTOR_KERNELS.get(context.instruction.kind, (None, lambda _: False))
    return is_written(context)


def vector_function(context: KernelContext, machines: Sequence[Machine]) -> str:
    """The native function of a task, with one function per vector unit."""
    writer, _ = VECTOR_KERNELS[context.instruction.kind]
    return templates.render(
        "vector/native.c.j2",
        heading=heading(context.instruction),
        native=context.task.native,
        machines=machines,
        bodies={m.name: statements(context, for_machine(writer(context, m), m)) for m in machines},
    )
