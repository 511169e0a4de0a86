"""What a vector kernel computes on its way into Dest: through the steps of its epilogue, in registers.

The steps read operands of three kinds: one element, one per channel (per column), one per element of the result. Code
that several kernels share gets them as parameters, with the names they have in the kernels.
"""

from __future__ import annotations

import hashlib

from inbundle.ir.stacks import elementwise_operands, inserts
from inbundle.kernels.chains import Dialect, chain
from inbundle.kernels.context import KernelContext
from inbundle.kernels.facts import Facts
from inbundle.kernels.vector.formulas import VECTOR_FORMULAS

VECTORS = Dialect(VECTOR_FORMULAS, lambda _: "floats")


class Epilogue:
    """Of one instruction, whose Dest's last dimension are the channels.

    Attributes:
        single, columns, wholes: operands with one element, one per channel, one per element; named as in C.
        step: floats from one pixel of Dest to the next; more than there are channels where Dest is a part of an image.
        offset: where the channels begin in it.
    """

    def __init__(self, context: KernelContext) -> None:
        self._context = context
        instruction = context.instruction
        read = elementwise_operands(instruction)
        self._elements = instruction.computed.type.elements
        self._names = {name.lower(): operand for name, operand in instruction.operands.items() if operand in read}
        sizes = {name: operand.value.type.elements for name, operand in self._names.items()}
        self.single = [name for name, size in sizes.items() if size == 1]
        self.wholes = [name for name, size in sizes.items() if size == self._elements and size != 1]
        self.columns = [name for name in sizes if name not in (*self.single, *self.wholes)]
        insert = inserts(instruction)
        self.step = (insert or instruction)["Dest"].type.shape[-1]
        self.offset = Facts(insert).integers("Offsets")[-1] if insert else 0

    @property
    def name(self) -> str:
        """Equal for equal steps, empty where there are none."""
        if not self._context.instruction.epilogue:
            return ""
        return "_then_" + hashlib.sha256(self.store("x", "x", "c", "i").encode()).hexdigest()[:8]

    @property
    def meaning(self) -> str:
        return ", ".join(step.kind for step in self._context.instruction.epilogue)

    def store(self, target: str, value: str, column: str, index: str, suffix: str = "") -> str:
        """The statements that store a vector.

        Args:
            target: where to, in C.
            value: the vector that the kind itself computes, the name of a variable.
            column, index: of the first of its elements among the channels and in the result, in C.
            suffix: of the operands' names, where they are local copies.
        """

        def value_of(name: str) -> str:
            name = name.lower()
            if name in self.single:
                return f"vector_splat({name}_0)"
            return f"*(const unaligned *)(const void *)({name}{suffix} + {column if name in self.columns else index})"

        return "\n".join(chain(self._context, value_of, f"*(unaligned *)(void *)({target})", value, VECTORS))

    @property
    def parameters(self) -> str:
        """For the operands, behind other parameters: pointers to the elements of the first pixel and channel."""
        single = [f", float {name}_0" for name in self.single]
        pointers = [f", const float *{name}" for name in (*self.columns, *self.wholes)]
        return "".join([*single, *pointers, ", ptrdiff_t whole_step" if self.wholes else ""])

    def arguments(self, column: str, index: str, step: int, suffix: str = "") -> str:
        """Arguments for the parameters; `step` from one pixel to the next, `suffix` of the names of local copies."""
        at_column, at_index = ("", "") if suffix else (f" + {column}", f" + {index}")
        single = [f", {name}_0" for name in self.single]
        columns = [f", {name}{suffix}{at_column}" for name in self.columns]
        wholes = [f", {name}{suffix}{at_index}" for name in self.wholes]
        return "".join([*single, *columns, *wholes, f", {step}" if self.wholes else ""])
