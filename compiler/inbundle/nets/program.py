"""Program: an interaction-net program. Agents, rules, native functions and the initial net.

This is the one source of truth for what runs: the Inpla printer writes it as a script, the parser reads it back to an
equal Program, the C generator writes its rules as C and the image encoder its net as bytes.

A Program has one of two forms.

- *Typed*: what a bundle runs. An agent's signature says which of its ports are wires, ints or floats, so that a port is
  a plain machine word.
- *Untyped* (`typed=False`): the rules of any script of the language, in the order of their definition. A port holds a
  *value*, a connection or a number, and a rule's heads say what they expect. Lists, tuples and numbers are agents, too:
  their names (`CONS`, `TUPLE`, `INT_NUMBER` ...) are no identifiers. The rest of such a script, its nets and commands,
  is no part of the Program: the language's front end runs it.

A net of millions of agents is not a tree of Python objects but one array of words, `Net.code`, a prefix code:

| word | meaning |
| --- | --- |
| `2 * w` | wire number w |
| `2 * a + 1` | agent number a (index into `Program.agents`); its ports follow |

A wire port is followed by a term. An attribute port is followed by 0 and a literal (an int, or the bits of a float32),
or by 1 + n for a call of native function n and one literal per parameter. A connection is two terms, a statement one
or more connections. Wires are numbered by first occurrence; each occurs twice, or once when it is in the interface.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np


class PortKind(enum.Enum):
    """What a port or parameter holds; the value is the character that the C side uses. In an untyped Program a WIRE
    port of a head takes whatever is there, a number as well."""

    WIRE = "w"
    INT = "i"
    FLOAT = "f"


@dataclass(frozen=True)
class Agent:
    """A signature: name and auxiliary ports."""

    name: str
    ports: tuple[PortKind, ...] = ()


@dataclass(frozen=True)
class NativeFunction:
    """A function of the host that attribute expressions may call. C name: `native_NAME(void *user, ...)`.

    Attributes:
        pieces: not 1: the first argument is the number of a piece, of so many, of some work. The same worker had better
            do the same pieces every time. A script does not say it.
    """

    name: str
    parameters: tuple[PortKind, ...]
    result: PortKind
    pieces: int = field(default=1, compare=False)


# --- attribute expressions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntLiteral:
    value: int


@dataclass(frozen=True)
class FloatLiteral:
    """A float32; `value` is exactly representable in float32."""

    value: float


@dataclass(frozen=True)
class Variable:
    """An attribute variable of the rule's heads or of a `where` binding."""

    name: str


@dataclass(frozen=True)
class Unary:
    """`operator` is `-`, `not` or, in an untyped Program, `rand`."""

    operator: str
    operand: Expr


@dataclass(frozen=True)
class Binary:
    """`operator` is one of `+ - * / % == != < <= > >= and or`."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Call:
    native: str
    arguments: tuple[Expr, ...]


Expr = IntLiteral | FloatLiteral | Variable | Unary | Binary | Call

# --- rules -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wire:
    """A name in a rule: a head's port, or a wire inside the body."""

    name: str


@dataclass(frozen=True)
class AgentTerm:
    """An agent in a rule's body; attribute ports hold expressions, wire ports hold terms.

    `reuse` is `L` or `R` where the script asks for the cell of the left or right agent: advice without a meaning.
    """

    agent: str
    arguments: tuple[Argument, ...] = ()
    reuse: str = ""


Term = Wire | AgentTerm
Argument = Term | Expr
"""What stands in a port. In an untyped Program an expression may stand wherever a term may."""


@dataclass(frozen=True)
class Body:
    """`bindings` are evaluated in order, then the connections are made."""

    connections: tuple[tuple[Argument, Argument], ...] = ()
    bindings: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Branch:
    """`guard` is None for the last (default) or only branch."""

    guard: Expr | None
    body: Body


@dataclass(frozen=True)
class Head:
    """One side of an active pair.

    Attributes:
        ports: their names in the rule.
        kinds: of the ports; only in an untyped Program, elsewhere the agent's signature has them.
    """

    agent: str
    ports: tuple[str, ...] = ()
    kinds: tuple[PortKind, ...] = ()


@dataclass(frozen=True)
class Rule:
    """An active pair and what becomes of it; `branches` are tried in order.

    A `comment` starts a new group of rules in the script. It says what the group is for and is no part of the program.
    """

    left: Head
    right: Head
    branches: tuple[Branch, ...]
    comment: str = field(default="", compare=False)


# --- the net -----------------------------------------------------------------------------------------------------


@dataclass
class Net:
    """The initial net.

    Attributes:
        code: the prefix code, int64.
        starts: offset in `code` of each statement; the last entry is `len(code)`.
        names: wire number -> interface name, for the wires that occur once.
        live: per statement, an upper bound of the cells (agents and wires) alive once it and all before it are reduced;
            None when unknown (a script read back). What the translation knows, not part of the program.
        interactions: exact number of interactions to normal form, None when unknown. Likewise.
    """

    code: np.ndarray
    starts: np.ndarray
    names: dict[int, str] = field(default_factory=dict)
    live: np.ndarray | None = None
    interactions: int | None = None

    @classmethod
    def empty(cls) -> Net:
        return cls(np.zeros(0, np.int64), np.zeros(1, np.int64))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Net)
            and np.array_equal(self.code, other.code)
            and np.array_equal(self.starts, other.starts)
            and self.names == other.names
        )


@dataclass
class Program:
    """Agents 0 to len(BUILTIN_AGENTS) - 1 are the built-in ones, in that order.

    Attributes:
        inputs: interface names that the host connects before the net runs, in the order in which the net names them.
        outputs: interface names that the host reads (and the script prints), in order.
        input_values: for `-inpla-input`: literals that the script connects to `inputs` with a VALUE_AGENT each; the
            compiled bundle takes the application's values instead.
        dialect: `float` where the script is in the float dialect of the language: rules declare `float` ports and no
            `int` port. Else `int`, the language that joins both.
        typed: which form the Program has (above). In an untyped one `agents` are all that the rules name, with the port
            count of their first occurrence, `net` is empty, and a later rule for a pair replaces an earlier one.
    """

    name: str
    agents: list[Agent]
    rules: list[Rule]
    natives: list[NativeFunction]
    net: Net
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    input_values: np.ndarray | None = None
    dialect: str = "int"
    typed: bool = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._facts() == other._facts()

    def _facts(self) -> tuple[object, ...]:
        values = None if self.input_values is None else self.input_values.tolist()
        lists = (self.name, self.agents, self.rules, self.natives)
        return (*lists, self.net, self.inputs, self.outputs, values, self.dialect, self.typed)


VALUE_AGENT = "Concrete"
"""The agent of one attribute port that carries a value from the host to an input."""

# ORDER BUILTIN (enum inpla_builtin in runtime_c/include/inpla_rule.h)
BUILTIN_AGENTS = (Agent("Eraser"), Agent("Dup", (PortKind.WIRE, PortKind.WIRE)))

# --- agents of the language that have no identifier ----------------------------------------------------------------

CONS, NIL, TUPLE = ":", "[]", "()"
"""`x:xs`, `[]`, and a tuple of any size."""

FUNCTION = "%"
"""Begins the name of a function value: `%f` is an agent without ports."""

INT_NUMBER, FLOAT_NUMBER = "(int)", "(float)"
"""As the head of a rule: any int, any float. Its one port is the number itself."""

WILDCARD = "_"
"""As the head of a rule: any agent. Its one port is that agent."""
