"""The IR verifier: every rule has a function that breaks it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.function import Alloc, Dealloc, Function, Instruction, Mutability, Operand, Role, WeightVar
from inbundle.ir.verifier import IRError, verify

FLOAT4 = TensorType(ElemKind.FLOAT, (4,))


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


class Sound:
    """relu, then a copy to the output: nothing to complain about."""

    def __init__(self) -> None:
        self.function = Function("f")
        self.x = self.function.variable("x", FLOAT4, Mutability.MUTABLE)
        self.y = self.function.variable("y", FLOAT4, Mutability.MUTABLE)
        self.c = self.function.variable("c", FLOAT4, Mutability.CONST, np.zeros(4, np.float32))
        self.function.inputs.append(self.x)
        self.function.outputs.append(self.y)
        self.buffer = self.function.alloc("buffer", FLOAT4)
        self.relu = self.function.emit("relu", "relu", [self.buffer, self.x])
        self.save = self.function.emit("copy", "save", [self.y, self.buffer])
        self.function.code.append(Dealloc(self.buffer))


def test_a_sound_function_passes() -> None:
    verify(Sound().function)


def _const_without_data(f: Sound) -> None:
    f.c.data = None


def _foreign_input(f: Sound) -> None:
    f.function.inputs.append(WeightVar("w", FLOAT4, Mutability.MUTABLE))


def _never_freed(f: Sound) -> None:
    f.function.code.pop()


def _freed_twice(f: Sound) -> None:
    f.function.code.append(Dealloc(f.buffer))


def _freed_early(f: Sound) -> None:
    f.function.code.insert(2, f.function.code.pop())


def _not_declared(f: Sound) -> None:
    del f.function.code[0]


def _same_name(f: Sound) -> None:
    f.save.name = "relu"


def _read_before_write(f: Sound) -> None:
    f.function.code.remove(f.relu)


def _half_written(f: Sound) -> None:
    f.function.code.remove(f.relu)
    half = f.function.view(f.c, floats(2))
    insert = f.function.emit("inserttensor", "insert", [f.buffer, half], {"Offsets": (0,)})
    f.function.code = [f.function.code[0], *f.function.code[-2:], f.save, Dealloc(f.buffer)]
    assert isinstance(insert, Instruction)


def _const_written(f: Sound) -> None:
    f.relu.operands["Dest"].value = f.c


def _output_not_written(f: Sound) -> None:
    f.function.code.remove(f.save)


def _unknown_kind(f: Sound) -> None:
    f.relu.kind = "rolu"


def _wrong_role(f: Sound) -> None:
    f.relu.operands["Src"].role = Role.OUT


def _operand_missing(f: Sound) -> None:
    del f.save.operands["Src"]


def _operand_superfluous(f: Sound) -> None:
    f.save.operands["Bias"] = Operand(Role.IN, f.x)


def _attribute_missing(f: Sound) -> None:
    f.relu.kind = "leakyrelu"


def _view_beyond_its_base(f: Sound) -> None:
    f.function.view(f.x, floats(3), offset=2)


def _view_of_another_kind(f: Sound) -> None:
    f.function.view(f.x, TensorType(ElemKind.INT32, (4,)))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_const_without_data, "c: const means with data"),
        (_foreign_input, "inputs and outputs are variables"),
        (_never_freed, "f: buffer is never freed"),
        (_freed_twice, "f: step 4: buffer is freed while not alive"),
        (_freed_early, "f: step 3: buffer is used after its deallocation"),
        (_not_declared, "f: step 0: buffer is not declared"),
        (_same_name, "f: step 2: the name relu is taken"),
        (_read_before_write, "f: step 1: buffer is read before it is written"),
        (_half_written, "f: step 3: buffer is read before it is written"),
        (_const_written, "f: step 1: c is const and written"),
        (_output_not_written, "f: output y is not written"),
        (_unknown_kind, "f: step 1: relu: no kind rolu"),
        (_wrong_role, "f: step 1: relu: operands are not those of relu"),
        (_operand_missing, "f: step 2: save: operands are not those of copy"),
        (_operand_superfluous, "f: step 2: save: operands are not those of copy"),
        (_attribute_missing, "f: step 1: relu: attributes are not Alpha"),
        (_view_beyond_its_base, "f: step 4: x_view: beyond its base"),
        (_view_of_another_kind, "f: step 4: x_view: a view keeps the element kind"),
    ],
)
def test_a_broken_rule_is_named_with_its_place(damage: Callable[[Sound], None], message: str) -> None:
    sound = Sound()
    damage(sound)
    with pytest.raises(IRError, match=f"^{re.escape(message)}$"):
        verify(sound.function)


WINDOW = {"Kernels": (3, 3), "Strides": (1, 1), "Pads": (0, 0, 0, 0), "Dilations": (1, 1)}
CONV = {**WINDOW, "Group": 2}
IMAGES = [(1, 4, 2, 2), (1, 2, 4, 4)]
POOL = {**WINDOW, "StorageOrder": 0}
GEMM = {"Alpha": 1.0, "Beta": 1.0, "TransA": False, "TransB": True}


@pytest.mark.parametrize(
    ("kind", "attributes", "good", "bad"),
    [
        ("relu", {}, [(2, 2), (2, 2)], [(4,), (2, 2)]),
        ("add", {}, [(2, 3), (1, 3), (2, 1)], [(2, 3), (2, 3), (2,)]),
        ("copy", {}, [(4,), (2, 2)], [(4,), (5,)]),
        ("convolution", CONV, [*IMAGES, (4, 1, 3, 3), (4,)], [*IMAGES, (4, 2, 3, 3)]),
        ("convolution", CONV, [*IMAGES, (4, 1, 3, 3)], [*IMAGES, (4, 1, 3, 3), (2,)]),
        ("maxpool", POOL, [(1, 2, 2, 2), (1, 2, 4, 4)], [(1, 3, 2, 2), (1, 2, 4, 4)]),
        ("fullyconnected", GEMM, [(2, 5), (2, 3), (5, 3), (5,)], [(2, 5), (2, 3), (3, 5)]),
        ("matmul", {}, [(7, 2, 5), (7, 2, 3), (3, 5)], [(5,), (3,), (3, 5)]),
        ("matmul", {}, [(7, 2, 5), (1, 2, 3), (7, 3, 5)], [(7, 2, 5), (2, 2, 3), (7, 3, 5)]),
        ("transpose", {"Shuffle": (1, 0)}, [(3, 2), (2, 3)], [(2, 3), (2, 3)]),
        ("extracttensor", {"Offsets": (3,), "Steps": (-1,)}, [(4,), (4,)], [(5,), (4,)]),
        ("pad", {"Pads": (1, -1), "Mode": "constant", "Value": 0.0}, [(4,), (4,)], [(5,), (4,)]),
        ("broadcast", {}, [(2, 3), (3,)], [(2, 3), (2,)]),
        ("reducesum", {"Axes": (1,)}, [(2,), (2, 3)], [(3,), (2, 3)]),
        ("softmax", {"Axis": 0}, [(3,), (3,)], [(3,), (1, 3)]),
    ],
)  # fmt: skip
def test_types_that_do_not_fit_the_kind_are_found(
    kind: str, attributes: dict, good: list[tuple[int, ...]], bad: list[tuple[int, ...]]
) -> None:
    verify(_single(kind, attributes, good))
    with pytest.raises(IRError, match=f"step: types do not fit {kind}: Dest float<"):
        verify(_single(kind, attributes, bad))


def _single(kind: str, attributes: dict, shapes: list[tuple[int, ...]]) -> Function:
    """A function of one instruction that reads inputs and writes an output."""
    function = Function("f")
    values = [function.variable(f"v{i}", floats(*shape), Mutability.MUTABLE) for i, shape in enumerate(shapes)]
    function.outputs.append(values[0])
    function.inputs += values[1:]
    operands = [*values, None] if kind == "maxpool" else values
    function.emit(kind, "step", operands, attributes)
    return function


def test_inserts_may_write_a_tensor_together_but_not_leave_it() -> None:
    def inserts(second: int) -> Function:
        function = Function("f")
        x = function.variable("x", floats(2), Mutability.MUTABLE)
        y = function.variable("y", FLOAT4, Mutability.MUTABLE)
        function.inputs.append(x)
        function.outputs.append(y)
        for offset in (0, second):
            function.emit("inserttensor", "insert", [y, x], {"Offsets": (offset,)})
        return function

    verify(inserts(2))
    with pytest.raises(IRError, match="types do not fit inserttensor"):
        verify(inserts(3))


def test_a_buffer_may_not_be_allocated_under_a_name_in_use() -> None:
    function = Sound().function
    function.code.insert(0, Alloc(Sound().buffer))
    with pytest.raises(IRError, match="the name buffer is taken"):
        verify(function)
