"""How values enter and leave the net.

With weights in the region, inputs are read by the native `input(i)` and outputs are stored by agents `Store(r, i)`,
whose tokens are joined to `done`. In an inline script both are interface names, one per element: `data_0_17` is element
17 of the tensor data_0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from inbundle.graph.types import ElemKind
from inbundle.ir.function import Function, WeightVar
from inbundle.nets.natives import OUTPUT
from inbundle.nets.neuron.arithmetic import MATERIALIZE
from inbundle.nets.neuron.operation import CONCRETE, K, Operation
from inbundle.nets.neuron.translation import Translation
from inbundle.nets.program import Agent, Branch, Call, Head, PortKind, Rule, Variable
from inbundle.nets.tokens import DONE, JOIN, JOIN_RULES, JOIN_WITH, ready, sends


def _of_tokens_only(*_: np.ndarray) -> np.ndarray:
    raise AssertionError("tokens are no constants")


STORE = Operation(
    Agent("Store", (PortKind.WIRE, PortKind.INT)),
    (
        Rule(
            Head("Store", ("r", "i")),
            Head(CONCRETE.name, ("k",)),
            (Branch(None, sends(ready(Variable("x")), ("x", Call(OUTPUT.name, (Variable("i"), K))))),),
        ),
    ),
    _of_tokens_only,
    natives=(OUTPUT.name,),
)
JOIN_TOKENS = Operation(JOIN, JOIN_RULES, _of_tokens_only, JOIN_WITH, commutative=True)


class Interface:
    """The inputs and outputs of one translation.

    Attributes:
        inputs, outputs: the Program's interface names.
    """

    def __init__(self, function: Function, translation: Translation) -> None:
        self.inputs: tuple[str, ...] = ()
        self.outputs: tuple[str, ...] = ()
        self._function = function
        self._translation = translation
        self._taken: set[str] = set()

    def open(self) -> None:
        """Makes sources of the inputs."""
        translation = self._translation
        for variable in self._function.inputs:
            if variable.type.elem is not ElemKind.FLOAT:
                continue  # whoever reads it is refused
            shape = variable.type.shape
            if translation.inline:
                names = self._element_names(variable)
                self.inputs += names
                ids = translation.circuit.inputs(shape, names=names)
            else:
                indices = translation.place(variable) + np.arange(variable.type.elements)
                ids = translation.circuit.inputs(shape, indices=indices)
            translation.bind(variable, ids)

    def close(self) -> None:
        """Sends the outputs to the host."""
        if self._translation.inline:
            for variable in self._function.outputs:
                self.outputs += self._materialize(variable)
        else:
            self._store()
            self.outputs = (DONE,)

    def _materialize(self, variable: WeightVar) -> tuple[str, ...]:
        circuit = self._translation.circuit
        results = circuit.unary(MATERIALIZE, circuit.as_values(self._translation.held(variable)))
        names = self._element_names(variable)
        circuit.names |= dict(zip(results.tolist(), names, strict=True))
        return names

    def _store(self) -> None:
        circuit = self._translation.circuit
        tokens = [np.zeros(0, np.int64)]
        for variable in self._function.outputs:
            values = circuit.as_values(self._translation.held(variable))
            indices = self._translation.place(variable) + np.arange(values.size)
            tokens.append(circuit.unary(STORE, values, indices=indices))
        leaves = np.concatenate(tokens)
        if leaves.size:
            (done,) = circuit.fold(JOIN_TOKENS, leaves[None], 0.0)
            circuit.names[int(done)] = DONE

    def values(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The values of all input names, in order."""
        read = [variable for variable in self._function.inputs if variable.type.elem is ElemKind.FLOAT]
        return np.concatenate([np.zeros(0, np.float32), *(inputs[variable.name].ravel() for variable in read)])

    def _element_names(self, variable: WeightVar) -> tuple[str, ...]:
        """`TENSOR_INDEX` per element, TENSOR being the variable's name made legal and unique."""
        legal = re.sub(r"[^A-Za-z0-9_]", "_", variable.name)
        legal = legal[:1].lower() + legal[1:]
        base = legal if legal[:1].isalpha() else f"t{legal}"
        tensor, number = base, 1
        while tensor in self._taken:
            number += 1
            tensor = f"{base}_{number}x"
        self._taken.add(tensor)
        return tuple(f"{tensor}_{index}" for index in range(variable.type.elements))
