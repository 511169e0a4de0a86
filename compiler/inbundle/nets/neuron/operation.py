"""What an agent that computes is: signature, rules, the same function in NumPy, and how many interactions it costs.

A value is `Concrete(k)`. An agent of one operand meets it once. An agent of two operands meets the first, waits as
another agent (`Add` as `AddCheckConcrete(out, k)`), and meets the second. No rule looks for shortcuts such as a factor
of zero, so the number of interactions does not depend on the input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Binary,
    Body,
    Branch,
    Call,
    Expr,
    FloatLiteral,
    Head,
    PortKind,
    Rule,
    Unary,
    Variable,
    Wire,
)

Evaluate = Callable[..., np.ndarray]

CONCRETE = Agent("Concrete", (PortKind.FLOAT,))
OUT, OTHER = Wire("out"), Wire("b")
J, K = Variable("j"), Variable("k")  # the value that is met, the value that was met before it
ZERO, ONE = FloatLiteral(0.0), FloatLiteral(1.0)


@dataclass(frozen=True)
class Operation:
    """An agent that computes one value.

    Attributes:
        agent: its ports are the result, one wire per further operand, then the attributes.
        check: how an agent of two operands waits for the second; its attribute is the first.
        rules: for `agent`, then for `check`.
        evaluate: the same function on float32 arrays: operands, then attributes.
        commutative: the operands may change places.
        natives: the native functions that the rules call.
    """

    agent: Agent
    rules: tuple[Rule, ...]
    evaluate: Evaluate
    check: Agent | None = None
    commutative: bool = False
    natives: tuple[str, ...] = ()

    @property
    def interactions(self) -> int:
        return 2 if self.check else 1


# --- expressions -------------------------------------------------------------------------------------------------


def concrete(value: Expr) -> AgentTerm:
    return AgentTerm(CONCRETE.name, (value,))


def gives(value: Expr) -> Body:
    """`out ~ Concrete(value)`; the call of a native function is bound first."""
    if isinstance(value, Call):
        return Body(((OUT, concrete(Variable("x"))),), (("x", value),))
    return Body(((OUT, concrete(value)),))


def when(guard: Expr, value: Expr) -> Branch:
    return Branch(guard, gives(value))


def otherwise(value: Expr) -> Branch:
    return Branch(None, gives(value))


def less(left: Expr, right: Expr) -> Expr:
    return Binary("<", left, right)


def at_least(left: Expr, right: Expr) -> Expr:
    return Binary(">=", left, right)


def is_nan(value: Expr) -> Expr:
    return Binary("!=", value, value)


def minus(value: Expr) -> Expr:
    return Unary("-", value)


# --- operations --------------------------------------------------------------------------------------------------


def _natives(branches: tuple[Branch, ...]) -> tuple[str, ...]:
    values = [value for branch in branches for _, value in branch.body.bindings]
    return tuple(dict.fromkeys(value.native for value in values if isinstance(value, Call)))


def unary(name: str, evaluate: Evaluate, *branches: Branch, attributes: tuple[str, ...] = ()) -> Operation:
    """An agent of one operand; `branches` compute the result from `k` and the attributes."""
    agent = Agent(name, (PortKind.WIRE, *[PortKind.FLOAT] * len(attributes)))
    rule = Rule(Head(name, (OUT.name, *attributes)), Head(CONCRETE.name, ("k",)), branches)
    return Operation(agent, (rule,), evaluate, natives=_natives(branches))


def binary(name: str, evaluate: Evaluate, *branches: Branch, commutative: bool = False) -> Operation:
    """An agent of two operands; `branches` compute the result from `k`, the first, and `j`, the second."""
    check = Agent(f"{name}CheckConcrete", (PortKind.WIRE, PortKind.FLOAT))
    waits = Rule(
        Head(name, (OUT.name, OTHER.name)),
        Head(CONCRETE.name, ("k",)),
        (Branch(None, Body(((OTHER, AgentTerm(check.name, (OUT, K))),))),),
    )
    computes = Rule(Head(check.name, (OUT.name, "k")), Head(CONCRETE.name, ("j",)), branches)
    agent = Agent(name, (PortKind.WIRE, PortKind.WIRE))
    return Operation(agent, (waits, computes), evaluate, check, commutative, _natives(branches))


def second_half(operation: Operation) -> Operation:
    """What an agent of two operands waits as, as an operation: the first operand is its attribute."""
    assert operation.check is not None

    def evaluate(second: np.ndarray, first: np.ndarray) -> np.ndarray:
        return operation.evaluate(first, second)

    return Operation(operation.check, operation.rules[1:], evaluate, natives=operation.natives)
