"""Ready tokens: how a net of either granularity says that something is finished.

`Ready(e)` is a finished piece of work with its error code, 0 for success. `Join` waits for two tokens and sends one;
it keeps the first error code that is not 0.
"""

from __future__ import annotations

from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Binary,
    Body,
    Branch,
    Expr,
    Head,
    IntLiteral,
    PortKind,
    Rule,
    Term,
    Variable,
    Wire,
)

READY = Agent("Ready", (PortKind.INT,))
JOIN = Agent("Join", (PortKind.WIRE, PortKind.WIRE))
JOIN_WITH = Agent("JoinWith", (PortKind.WIRE, PortKind.INT))
DONE = "done"
"""The interface name at which the token of the whole net arrives."""

INTERACTIONS_PER_JOIN = 2


def ready(code: Expr) -> AgentTerm:
    return AgentTerm(READY.name, (code,))


def is_error(code: str) -> Expr:
    return Binary("!=", Variable(code), IntLiteral(0))


def sends(result: Term, *bindings: tuple[str, Expr]) -> Body:
    """A body that connects the rule's wire `r` to a term."""
    return Body(((Wire("r"), result),), bindings)


JOIN_RULES = (
    Rule(
        Head(JOIN.name, ("r", "b")),
        Head(READY.name, ("e",)),
        (Branch(None, Body(((Wire("b"), AgentTerm(JOIN_WITH.name, (Wire("r"), Variable("e")))),))),),
        comment="Join waits for two tokens and keeps the first error code.",
    ),
    Rule(
        Head(JOIN_WITH.name, ("r", "e")),
        Head(READY.name, ("f",)),
        (Branch(is_error("e"), sends(ready(Variable("e")))), Branch(None, sends(ready(Variable("f"))))),
    ),
)
