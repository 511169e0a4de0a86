"""Element-wise functions of two operands; broadcasting repeats ids."""

from __future__ import annotations

import numpy as np

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Instruction
from inbundle.nets.neuron.arithmetic import ADD, DIV, MAX, MIN, MUL, PRELU
from inbundle.nets.neuron.circuit import Circuit
from inbundle.nets.neuron.transcendental import POW
from inbundle.nets.neuron.translation import Translation, refuse, translates


def difference(circuit: Circuit, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left + (-1) * right, which is left - right bit for bit."""
    return circuit.binary(ADD, left, negated(circuit, right))


def negated(circuit: Circuit, operand: np.ndarray) -> np.ndarray:
    return circuit.binary(MUL, operand, np.full(operand.shape, circuit.literal(-1.0)))


def _operands(translation: Translation, instruction: Instruction) -> tuple[np.ndarray, np.ndarray]:
    shape = instruction["Dest"].type.shape
    left, right = (np.broadcast_to(translation.read(instruction, name), shape) for name in ("LHS", "RHS"))
    return left, right


@translates("add", "mul", "div", "min", "max")
def _element_wise(translation: Translation, instruction: Instruction) -> np.ndarray:
    operation = {"add": ADD, "mul": MUL, "div": DIV, "min": MIN, "max": MAX}[instruction.kind]
    return translation.circuit.binary(operation, *_operands(translation, instruction))


@translates("sub")
def _sub(translation: Translation, instruction: Instruction) -> np.ndarray:
    """The smaller operand is negated before it is repeated."""
    circuit, shape = translation.circuit, instruction["Dest"].type.shape
    right = negated(circuit, translation.read(instruction, "RHS"))
    left = np.broadcast_to(translation.read(instruction, "LHS"), shape)
    return circuit.binary(ADD, left, np.broadcast_to(right, shape))


@translates("prelu")
def _prelu(translation: Translation, instruction: Instruction) -> np.ndarray:
    """The left operand decides what the rule does, so it has to be a value of the net."""
    left, right = _operands(translation, instruction)
    return translation.circuit.binary(PRELU, translation.circuit.as_values(left), right)


@translates("pow")
def _pow(translation: Translation, instruction: Instruction) -> np.ndarray:
    """The exponent may be of another element kind when it is constant."""
    operation = translation.operation(instruction, POW)
    shape = instruction["Dest"].type.shape
    left = np.broadcast_to(translation.read(instruction, "LHS"), shape)
    return translation.circuit.binary(operation, left, np.broadcast_to(_exponent(translation, instruction), shape))


def _exponent(translation: Translation, instruction: Instruction) -> np.ndarray:
    if instruction["RHS"].type.elem is ElemKind.FLOAT:
        return translation.read(instruction, "RHS")
    numbers = translation.read_numbers(instruction, "RHS")
    if numbers is None:
        raise refuse(instruction, f"its exponent is {instruction['RHS'].type} and not constant")
    return translation.circuit.constants.add(numbers)


@translates("convertto")
def _convertto(translation: Translation, instruction: Instruction) -> np.ndarray:
    """From float to float; `read` refuses all others."""
    return translation.read(instruction, "Src")
