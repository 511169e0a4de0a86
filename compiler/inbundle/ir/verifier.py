"""The IR verifier: rules that every Function keeps, before and after each pass.

A broken rule is a bug of the compiler, not of the user's model, so it is not a CompileError.
"""

from __future__ import annotations

from inbundle.ir.coverage import Coverage
from inbundle.ir.function import (
    Alloc,
    AllocActivation,
    Dealloc,
    Function,
    Instruction,
    IRValue,
    Mutability,
    Operand,
    Role,
    TensorView,
    View,
    WeightVar,
    storage,
)
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.stacks import broken_rule, inserts, is_register, steps
from inbundle.ir.type_rules import check_types


class IRError(Exception):
    """A Function that breaks a rule: names function, step and rule."""


def verify(function: Function) -> None:
    """Check a whole function. Raises IRError for the first rule that is broken."""
    checker = _Checker(function)
    for index, step in enumerate(function.code):
        try:
            checker.step(step)
        except IRError as error:
            raise IRError(f"{function.name}: step {index}: {error}") from None
    checker.end()


def _require(condition: bool, rule: str) -> None:
    if not condition:
        raise IRError(rule)


class _Checker:
    """Walks the code once, and knows what is declared, alive and written at each step."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._declared: set[IRValue] = set(function.variables)
        self._alive: set[AllocActivation] = set()
        self._written = Coverage()
        self._names: set[str] = set()
        for variable in function.variables:
            self._name(variable.name)
            has_data = variable.data is not None
            _require(has_data == (variable.mutability is Mutability.CONST), f"{variable.name}: const means with data")
            if has_data or variable in function.inputs:
                self._written.write(variable)
        _require(self._declared.issuperset(function.inputs + function.outputs), "inputs and outputs are variables")

    def step(self, step: object) -> None:
        if isinstance(step, Instruction):
            self._instruction(step)
        elif isinstance(step, Alloc):
            self._name(step.buffer.name)
            self._declared.add(step.buffer)
            self._alive.add(step.buffer)
        elif isinstance(step, View):
            self._view(step.view)
        elif isinstance(step, Dealloc):
            _require(step.buffer in self._alive, f"{step.buffer.name} is freed while not alive")
            self._alive.remove(step.buffer)

    def end(self) -> None:
        for buffer in self._alive:
            raise IRError(f"{self._function.name}: {buffer.name} is never freed")
        for output in self._function.outputs:
            is_complete = self._written.covers(output)
            _require(is_complete, f"{self._function.name}: output {output.name} is not written")

    def _name(self, name: str) -> None:
        _require(name not in self._names, f"the name {name} is taken")
        self._names.add(name)

    def _view(self, view: TensorView) -> None:
        self._name(view.name)
        self._usable(view.base)
        _require(view.type.elem is view.base.type.elem, f"{view.name}: a view keeps the element kind")
        end = view.offset + view.type.elements
        _require(view.offset >= 0 and end <= view.base.type.elements, f"{view.name}: beyond its base")
        self._declared.add(view)

    def _usable(self, value: IRValue) -> None:
        _require(value in self._declared, f"{value.name} is not declared")
        base, _ = storage(value)
        _require(isinstance(base, WeightVar) or base in self._alive, f"{value.name} is used after its deallocation")

    def _instruction(self, instruction: Instruction) -> None:
        _require_rule(instruction, broken_rule(instruction))
        for step in steps(instruction):
            self._name(step.name)
            _check_form(step)
        for operand in instruction.operands.values():
            self._usable(operand.value)
            if operand.role is Role.IN:
                self._read(operand.value)
        for step in steps(instruction):
            _require_rule(step, check_types(step))
            if is_register(step["Dest"]):
                self._name(step["Dest"].name)
        for operand in instruction.operands.values():
            if operand.role.writes:
                self._write(instruction, operand)

    def _read(self, value: IRValue) -> None:
        _require(self._written.covers(value), f"{value.name} is read before it is written")

    def _write(self, instruction: Instruction, operand: Operand) -> None:
        base, _ = storage(operand.value)
        is_const = isinstance(base, WeightVar) and base.mutability is Mutability.CONST
        _require(not is_const, f"{operand.value.name} is const and written")
        insert = inserts(instruction)
        if insert is None:
            self._written.write(operand.value)
        else:
            self._insert(insert)

    def _insert(self, insert: Instruction) -> None:
        self._written.write_box(insert["Dest"], insert.integers("Offsets"), insert["Src"].type.shape)


def _require_rule(instruction: Instruction, broken: str | None) -> None:
    _require(broken is None, f"{instruction.name}: {broken}")


def _check_form(instruction: Instruction) -> None:
    """Operands and attributes as the kind declares them, in that order."""
    _require(instruction.kind in INSTRUCTIONS, f"{instruction.name}: no kind {instruction.kind}")
    spec = INSTRUCTIONS[instruction.kind]
    given = [(name, operand.role) for name, operand in instruction.operands.items()]
    declared = [(o.name, o.role) for o in spec.operands if not o.optional or o.name in instruction.operands]
    _require(given == declared, f"{instruction.name}: operands are not those of {instruction.kind}")
    complete = tuple(instruction.attributes) == spec.attributes
    _require(complete, f"{instruction.name}: attributes are not {' '.join(spec.attributes) or 'none'}")
