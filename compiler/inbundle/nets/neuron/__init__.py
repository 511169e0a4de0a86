"""Neuron granularity: one agent per scalar operation.

`translate` reads a Function as lowering leaves it. Instructions become batches of scalar nodes (one module per operator
family: conv, pool, linear, elementwise, activation, normalization, shape, reduction), `circuit.py` holds them, and
`schedule.py`, `statements.py` and `emission.py` write them as a net in which values flow forward and nothing waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inbundle.errors import UnsupportedError
from inbundle.ir.function import Function
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.units import work
from inbundle.nets.builder import LITERAL, NetBuilder
from inbundle.nets.canonical import canonical
from inbundle.nets.natives import INPUT, NATIVES, WEIGHT
from inbundle.nets.neuron import (  # noqa: F401  the families enter their translators
    activation,
    conv,
    elementwise,
    linear,
    normalization,
    pool,
    reduction,
    shape,
)
from inbundle.nets.neuron.circuit import NO_WEIGHT, Circuit
from inbundle.nets.neuron.emission import emit
from inbundle.nets.neuron.interface import Interface
from inbundle.nets.neuron.operation import CONCRETE
from inbundle.nets.neuron.translation import Translation
from inbundle.nets.program import BUILTIN_AGENTS, Agent, NativeFunction, Net, Program, Rule
from inbundle.nets.resolve import dialect_of
from inbundle.nets.tokens import DONE, READY

__all__ = ["translate"]

# Multiply-adds. Each takes some 400 bytes of the compiler's memory here, and more where script and image are written.
LARGEST_WORK = 20_000_000


def translate(
    function: Function,
    plan: MemoryPlan,
    *,
    name: str,
    weights: str,
    inputs: Mapping[str, np.ndarray] | None = None,
) -> Program:
    """The Function as a net of scalar agents.

    Args:
        plan: where constants, inputs and outputs lie; only read for `weights="region"`.
        weights: `region`: weights, inputs and outputs are floats of the regions, reached by native functions, and the
            one output `done` carries `Ready(0)`. `inline`: weights are literals, inputs and outputs interface names.
        inputs: float32 values of all inputs, by name and in their shapes, that an inline script connects to them.

    Raises:
        UnsupportedError: the model is too large, or instructions have no translation; names their nodes and operators.
            Or a number has no literal; names the constant or the node.
    """
    assert weights in ("region", "inline")
    inline = weights == "inline"
    _check_size(function)
    translation = Translation(plan, inline=inline)
    interface = Interface(function, translation)
    interface.open()
    for instruction in function.instructions():
        translation.run(instruction)
    translation.check()
    interface.close()
    translation.check_literals()
    circuit = translation.circuit
    agents, rules, natives = _signature(circuit, inline=inline)
    builder = NetBuilder(agents, natives)
    emit(circuit, builder)
    if not inline and DONE not in circuit.names.values():
        _be_done(builder)
    return Program(
        name,
        agents,
        rules,
        natives,
        builder.net(),
        inputs=interface.inputs,
        outputs=interface.outputs,
        input_values=None if inputs is None else interface.values(inputs),
        dialect=dialect_of(agents),
    )


def _check_size(function: Function) -> None:
    operations = sum(map(work, function.instructions()))
    if operations > LARGEST_WORK:
        raise UnsupportedError(
            f"the model has {operations / 1e6:.0f} million scalar operations, too many for one agent each",
            hint="use -granularity=tile",
        )


def _be_done(builder: NetBuilder) -> None:
    """A net without outputs is finished from the start."""
    done = builder.wire()
    builder.statement(([done], [builder.agent(READY.name), LITERAL, 0]))
    builder.name(done, DONE)


def _signature(circuit: Circuit, *, inline: bool) -> tuple[list[Agent], list[Rule], list[NativeFunction]]:
    """What the circuit needs, in canonical order: as the rules use it, then as the net does."""
    operations = list(dict.fromkeys(batch.operation for batch in circuit.batches))
    agents = [*BUILTIN_AGENTS, CONCRETE, READY]
    for operation in operations:
        agents += [operation.agent, *([operation.check] if operation.check else [])]
    rules = list(dict.fromkeys(rule for operation in operations for rule in operation.rules))
    if rules:
        rules[0] = replace(rules[0], comment="A value is Concrete(k); an agent of two operands keeps the first.")
    no_net = Net(np.zeros(0, np.int64), np.zeros(1, np.int64))
    known = [native.declaration for native in NATIVES.values()]
    of_rules = canonical(Program("", list(dict.fromkeys(agents)), rules, known, no_net))
    of_net = [CONCRETE] if any(not sources.names for sources in circuit.sources) else []
    of_net += [] if inline else [READY]
    return list(dict.fromkeys(of_rules.agents + of_net)), of_rules.rules, of_rules.natives + _natives_of_net(circuit)


def _natives_of_net(circuit: Circuit) -> list[NativeFunction]:
    """Inputs are the first values of a net, so `input` is called before `weight`."""
    natives = [INPUT.declaration] if any(sources.indices is not None for sources in circuit.sources) else []
    if any((circuit.constants.weights(~numbers) != NO_WEIGHT).any() for numbers in circuit.constants_read()):
        natives.append(WEIGHT.declaration)
    return natives
