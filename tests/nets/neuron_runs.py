"""Small Functions for tests of the neuron translation, and the checks that every translation must pass."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from reducer import Reducer

import ir_interpreter
from inbundle.graph.types import ElemKind, TensorType, of_array
from inbundle.ir.function import AllocActivation, Function, IRValue, Mutability, WeightVar
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.planner import plan
from inbundle.nets.natives import OF_NUMBERS
from inbundle.nets.neuron import translate
from inbundle.nets.program import Program
from inbundle.nets.tokens import DONE
from native_functions import on_numbers

MODES = ("region", "inline")
INLINE_PORTS = 5
INLINE_NAMES = 48
INLINE_WORDS = 1024


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


class Model:
    """A Function under construction. Inputs get seeded random values."""

    def __init__(self, seed: int = 0) -> None:
        self.function = Function("model")
        self.random = np.random.default_rng(seed)
        self.values: dict[str, np.ndarray] = {}

    def array(self, *shape: int) -> np.ndarray:
        return self.random.normal(size=shape).astype(np.float32)

    def input(self, *shape: int, name: str = "x", value: np.ndarray | None = None) -> WeightVar:
        variable = self.function.variable(name, floats(*shape), Mutability.MUTABLE)
        self.function.inputs.append(variable)
        self.values[variable.name] = self.array(*shape) if value is None else value
        return variable

    def constant(self, data: np.ndarray, name: str = "w") -> WeightVar:
        return self.function.variable(name, of_array(data), Mutability.CONST, data)

    def emit(
        self, kind: str, shape: Sequence[int], operands: Sequence[IRValue | None], **attributes: object
    ) -> AllocActivation:
        dest = self.function.alloc(f"{kind}_res", floats(*shape))
        self.function.emit(kind, f"{kind}_node", [dest, *operands], attributes)  # type: ignore[arg-type]
        return dest

    def output(self, value: IRValue, name: str = "y") -> None:
        variable = self.function.variable(name, value.type, Mutability.MUTABLE)
        self.function.outputs.append(variable)
        self.function.emit("copy", f"{name}_save", [variable, value])

    def check(self, *, modes: Sequence[str] = MODES, tolerance: float = 2e-5, seed: int = 0) -> dict[str, Program]:
        """Both kinds of script compute what the IR interpreter computes, and all that a Program states is true."""
        hoist_dealloc(self.function)
        want = ir_interpreter.run(self.function, self.values)
        programs = {}
        for mode in modes:
            programs[mode] = translate(self.function, plan(self.function), name="model", weights=mode)
            got = run(self.function, programs[mode], self.values, seed)
            for name, value in want.items():
                np.testing.assert_allclose(got[name], value, rtol=tolerance, atol=tolerance, err_msg=f"{mode} {name}")
        return programs


def run(function: Function, program: Program, values: Mapping[str, np.ndarray], seed: int = 0) -> dict[str, np.ndarray]:
    """The outputs of a Program; checks its counts, and for an inline one the limits of the reference."""
    memory = Regions(function, plan(function), values)
    reducer = Reducer(program, memory.natives(), seed=seed)
    inline = program.outputs != (DONE,)
    if inline:
        check_limits(program)
        flat = np.concatenate([np.zeros(0), *(values[variable.name].ravel() for variable in function.inputs)])
        for name, value in zip(program.inputs, flat, strict=True):
            reducer.put(name, float(value))
    reducer.run()
    assert reducer.interactions == program.net.interactions
    assert program.net.live is not None
    assert reducer.settled == program.net.live.tolist()
    if not inline:
        assert reducer.value(DONE) == 0
        return {variable.name: memory.read(variable) for variable in function.outputs}
    results = np.array([reducer.value(name) for name in program.outputs], np.float32)
    return dict(_split(function.outputs, results))


def _split(variables: Sequence[WeightVar], flat: np.ndarray) -> list[tuple[str, np.ndarray]]:
    ends = np.cumsum([variable.type.elements for variable in variables])[:-1]
    parts = np.split(flat, ends) if variables else []
    return [(v.name, part.reshape(v.type.shape)) for v, part in zip(variables, parts, strict=True)]


def check_limits(program: Program) -> None:
    """What LANGUAGE.md says of the reference: ports, length and names of a statement."""
    assert not program.natives
    assert all(len(agent.ports) <= INLINE_PORTS for agent in program.agents)
    code, starts = program.net.code, program.net.starts
    assert np.diff(starts).max(initial=0) < INLINE_WORDS
    most = 0
    for statement in np.split(code, starts[1:-1]):
        open_names: set[int] = set()
        for wire in wires_of(program, statement.tolist()):
            open_names ^= {wire}
            most = max(most, len(open_names))
    assert most <= INLINE_NAMES


def wires_of(program: Program, words: list[int]) -> list[int]:
    """The wires of a statement without calls, in order."""
    wires = []
    index = 0
    while index < len(words):
        if words[index] % 2 == 0:
            wires.append(words[index] // 2)
            index += 1
        else:
            agent = program.agents[words[index] // 2]
            attributes = sum(kind.value != "w" for kind in agent.ports)
            assert not attributes or len(agent.ports) - attributes <= 1, "attributes follow the one wire"
            wire_ports = len(agent.ports) - attributes
            index += 1
            if attributes:
                wires += [word // 2 for word in words[index : index + wire_ports]]
                index += wire_ports + 2 * attributes
    return wires


class Regions:
    """The regions of a bundle as float arrays, and the native functions on them."""

    def __init__(self, function: Function, plan: MemoryPlan, values: Mapping[str, np.ndarray]) -> None:
        self._plan = plan
        self._constant = np.full(plan.constant_bytes, 0xA5, np.uint8)
        self._mutable = np.full(plan.mutable_bytes, 0xA5, np.uint8)
        for variable in function.variables:
            if variable.data is not None:
                self._bytes(self._constant, variable)[...] = np.ascontiguousarray(variable.data).ravel().view(np.uint8)
        for variable in function.inputs:
            self._bytes(self._mutable, variable)[...] = values[variable.name].ravel().view(np.uint8)

    def _bytes(self, region: np.ndarray, variable: WeightVar) -> np.ndarray:
        place = self._plan.place(variable)
        return region[place.offset : place.offset + place.size]

    def read(self, variable: WeightVar) -> np.ndarray:
        return self._bytes(self._mutable, variable).view(np.float32).reshape(variable.type.shape).copy()

    def natives(self) -> dict[str, Callable[..., float]]:
        return {
            "weight": lambda i: float(self._constant.view(np.float32)[i]),
            "input": lambda i: float(self._mutable.view(np.float32)[i]),
            "output": self._output,
            **{name: functools.partial(on_numbers, name) for name in OF_NUMBERS},
        }

    def _output(self, index: int, value: float) -> int:
        self._mutable.view(np.float32)[index] = value
        return 0
