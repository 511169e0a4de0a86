"""The state of one translation: which ids stand in which buffer, and the table of what translates an instruction.

A module per operator family enters its functions with `@translates(KIND)`. Such a function takes the translation and
the instruction and returns the ids of Dest, in its shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from inbundle.errors import UnsupportedError
from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction, IRValue, Mutability, WeightVar, storage
from inbundle.ir.memory import MemoryPlan
from inbundle.nets.neuron.circuit import NO_WEIGHT, Circuit
from inbundle.nets.neuron.operation import Operation

Translate = Callable[["Translation", Instruction], np.ndarray]
TRANSLATORS: dict[str, Translate] = {}


TILE_HINT = "use -granularity=tile"
REGION_HINT = "use -inpla-weights=region"
_FLOATS_ONLY = "only float tensors are translated to neurons"


def translates(*kinds: str) -> Callable[[Translate], Translate]:
    """Enter a translator for instructions of `kinds`."""

    def enter(translate: Translate) -> Translate:
        for kind in kinds:
            assert kind not in TRANSLATORS, f"{kind} has two translators"
            TRANSLATORS[kind] = translate
        return translate

    return enter


def refuse(instruction: Instruction, reason: str, hint: str = TILE_HINT) -> UnsupportedError:
    """The error that an instruction cannot be translated."""
    return UnsupportedError(reason, where=place_of(instruction), hint=hint)


def place_of(instruction: Instruction) -> tuple[str, ...]:
    """The instruction in terms of the model, as errors show it."""
    if instruction.kind == "copy":  # made by lowering, to show a value as an output
        return (f"output '{instruction['Dest'].name}'",)
    return (f"node '{instruction.name}'", instruction.origin or instruction.kind)


class Translation:
    """Buffers as flat arrays of ids.

    Attributes:
        inline: numbers are literals and nothing native may be called.
    """

    def __init__(self, plan: MemoryPlan, *, inline: bool) -> None:
        self.circuit = Circuit()
        self.inline = inline
        self._plan = plan
        self._ids: dict[IRValue, np.ndarray] = {}
        self._refused: list[UnsupportedError] = []
        self._missing: set[IRValue] = set()

    # --- instructions --------------------------------------------------------------------------------------------

    def run(self, instruction: Instruction) -> None:
        """Translates an instruction. Where that is impossible, Dest is taken to be 0, and `check` will say so."""
        self.circuit.constants.origin = place_of(instruction)
        try:
            ids = self._translated(instruction)
        except UnsupportedError as error:
            self._refuse(instruction, error)
            ids = np.full(instruction["Dest"].type.shape, self.circuit.literal(0.0))
        if instruction["Dest"].type.elem is ElemKind.FLOAT:
            self._write(instruction["Dest"], ids)

    def _refuse(self, instruction: Instruction, error: UnsupportedError) -> None:
        """Notes the error, unless the same was said of the node whose result this only copies or completes."""
        moved = {"copy": "Src", "inserttensor": "Dest"}.get(instruction.kind)
        if moved is None or storage(instruction[moved])[0] not in self._missing:
            self._refused.append(error)
        self._missing.update(storage(value)[0] for value in instruction.writes())

    def check(self) -> None:
        """Raises one UnsupportedError for all instructions that could not be translated."""
        if len(self._refused) == 1:
            raise self._refused[0]
        if self._refused:
            reasons = "; ".join(f"{': '.join(error.where)}: {error.message}" for error in self._refused)
            tile = [error.hint for error in self._refused if error.hint != REGION_HINT]
            count = len(self._refused)
            raise UnsupportedError(f"{count} nodes have no neuron translation: {reasons}", hint=(*tile, REGION_HINT)[0])

    def check_literals(self) -> None:
        """Raises UnsupportedError if the net would hold a literal that is not a number; names where it comes from."""
        constants = self.circuit.constants
        for numbers in self.circuit.constants_read():
            is_nan = np.isnan(constants.values(~numbers)) & (constants.weights(~numbers) == NO_WEIGHT)
            if is_nan.any():
                where, name = constants.origin_of(int(numbers[is_nan][0]))
                where, hint = ((f"constant '{name}'",), REGION_HINT) if name else (where, TILE_HINT)
                raise UnsupportedError("NaN has no literal in Inpla", where=where, hint=hint)

    def _translated(self, instruction: Instruction) -> np.ndarray:
        translate = TRANSLATORS.get(instruction.kind)
        if translate is None:
            raise refuse(instruction, "has no neuron translation")
        result = instruction["Dest"].type
        if result.elem is not ElemKind.FLOAT:
            raise refuse(instruction, f"the result is {result}; {_FLOATS_ONLY}")
        for name, attribute in instruction.attributes.items():
            if isinstance(attribute, float) and math.isnan(attribute):
                raise refuse(instruction, f"its {name} is NaN, which has no literal in Inpla")
        return translate(self, instruction)

    def operation(self, instruction: Instruction, operation: Operation) -> Operation:
        """The operation, if this kind of script may use it."""
        if self.inline and operation.natives:
            names = ", ".join(operation.natives)
            raise refuse(instruction, f"calls a native function ({names}), which has no literal form", REGION_HINT)
        return operation

    # --- operands ------------------------------------------------------------------------------------------------

    def read(self, instruction: Instruction, operand: str) -> np.ndarray:
        """The ids of an operand, in its shape. Raises UnsupportedError for other tensors than float ones."""
        value = instruction[operand]
        if value.type.elem is not ElemKind.FLOAT:
            name = f"'{value.name}'" if isinstance(value, WeightVar) else "an operand"
            raise refuse(instruction, f"{name} is {value.type}; {_FLOATS_ONLY}")
        flat, first = self._buffer(value)
        return flat[first : first + value.type.elements].reshape(value.type.shape)

    def read_numbers(self, instruction: Instruction, operand: str) -> np.ndarray | None:
        """The elements of an operand that is a constant of any kind, else None."""
        base, start = storage(instruction[operand])
        if not isinstance(base, WeightVar) or base.data is None:
            return None
        kind = instruction[operand].type
        first = start // kind.elem.size
        return base.data.ravel()[first : first + kind.elements].reshape(kind.shape)

    def bind(self, variable: WeightVar, ids: np.ndarray) -> None:
        """Says what a variable holds."""
        self._ids[variable] = ids.ravel()

    def held(self, variable: WeightVar) -> np.ndarray:
        """The ids that a variable holds now, flat."""
        return self._ids[variable]

    def place(self, variable: WeightVar) -> int:
        """Which float of its region a variable begins at."""
        return self._plan.place(variable).offset // ElemKind.FLOAT.size

    def _buffer(self, value: IRValue) -> tuple[np.ndarray, int]:
        """The ids of what is behind a value, and the element at which the value starts."""
        base, start = storage(value)
        if base not in self._ids:
            self._ids[base] = self._constants(base) if isinstance(base, WeightVar) else _unwritten(base)
        return self._ids[base], start // value.type.elem.size

    def _constants(self, variable: WeightVar) -> np.ndarray:
        if variable.mutability is Mutability.MUTABLE:
            return _unwritten(variable)
        assert variable.data is not None
        values = variable.data.ravel()
        weights = None if self.inline else self.place(variable) + np.arange(values.size)
        return self.circuit.constants.add(values, weights, name=variable.name)

    def _write(self, value: IRValue, ids: np.ndarray) -> None:
        flat, first = self._buffer(value)
        flat = flat.copy()  # whoever has read the buffer may still hold the old ids
        flat[first : first + value.type.elements] = ids.ravel()
        self._ids[storage(value)[0]] = flat


def _unwritten(value: IRValue) -> np.ndarray:
    """What a buffer holds before it is written: ids that exist nowhere."""
    return np.full(value.type.elements, np.iinfo(np.int64).max)
