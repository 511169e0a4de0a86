"""Reading a net's prefix code: which word means what, and where terms end.

Whoever needs the structure of `Net.code` (printer, image encoder, checks) gets it here as arrays. All statements of a
block are read in step, one word of each at a time, so that the work is NumPy's; the cost is some fifty array
operations per word of the longest statement. Knows nothing of rules.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inbundle.errors import CompileError
from inbundle.nets.program import Agent, NativeFunction, Net, PortKind, Program

_BLOCK_WORDS = 1 << 21


class Role(enum.IntEnum):
    """What a word of the code is."""

    WIRE = 0
    AGENT = 1
    LITERAL = 2  # the 0 in front of a literal
    INT = 3
    FLOAT = 4  # the bits of a float32
    CALL = 5


class Separator(enum.IntEnum):
    """What stands between the item that ends with a word and the next one."""

    NONE = 0  # more of the item follows
    PORT = 1
    TILDE = 2
    CONNECTION = 3
    STATEMENT = 4


@dataclass(frozen=True)
class Scan:
    """Consecutive statements, read; the arrays have one entry per word, `starts` is relative to `code`.

    Attributes:
        role: a Role.
        closes: how many argument lists end behind the word.
        separator: a Separator.
    """

    code: np.ndarray
    starts: np.ndarray
    role: np.ndarray
    closes: np.ndarray
    separator: np.ndarray

    def blocks(self) -> Iterator[tuple[int, Scan]]:
        """The same, block by block, each with the number of its first statement."""
        for first, last in _blocks(self.starts):
            words = slice(self.starts[first], self.starts[last])
            starts = self.starts[first : last + 1] - self.starts[first]
            yield first, Scan(self.code[words], starts, self.role[words], self.closes[words], self.separator[words])


def _blocks(starts: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and last statement of blocks of statements: one statement, or at most _BLOCK_WORDS words."""
    first = 0
    while first < len(starts) - 1:
        last = int(np.searchsorted(starts, starts[first] + _BLOCK_WORDS, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def scan_blocks(program: Program) -> Iterator[Scan]:
    """The whole net, block by block. Raises CompileError where the code is malformed."""
    signatures = _Signatures(program.agents, program.natives)
    starts = program.net.starts
    if starts[0] != 0 or starts[-1] != len(program.net.code) or np.any(np.diff(starts) <= 0):
        raise CompileError("the net's statements do not cover its code", where=(program.name,))
    for first, last in _blocks(starts):
        yield _Reader(program.net, first, last, signatures).scan()


def scan_all(program: Program) -> Scan:
    """The whole net in one piece."""
    blocks = list(scan_blocks(program))
    columns = [[getattr(block, name) for block in blocks] for name in ("role", "closes", "separator")]
    role, closes, separator = (np.concatenate(column) if column else np.zeros(0, np.uint8) for column in columns)
    return Scan(program.net.code, program.net.starts, role, closes, separator)


_WIRE, _INT, _FLOAT = range(3)
_KIND = {PortKind.WIRE: _WIRE, PortKind.INT: _INT, PortKind.FLOAT: _FLOAT}


def called_natives(net: Iterable[Scan]) -> list[int]:
    """The native functions that a net itself calls, as indices into `program.natives`, ascending."""
    words = {word for block in net for word in np.unique(block.code[block.role == Role.CALL]).tolist()}
    return sorted(word - 1 for word in words)


class _Signatures:
    """Agents and native functions as arrays.

    A *port number* is an index into the ports of all agents, one after the other, behind that of the root: 0, which
    takes any number of terms.
    """

    def __init__(self, agents: Sequence[Agent], natives: Sequence[NativeFunction]) -> None:
        kinds, successors, firsts = [_WIRE], [0], []
        for agent in agents:
            firsts.append(len(kinds))
            kinds += [_KIND[port] for port in agent.ports]
            successors += [*range(firsts[-1] + 1, len(kinds)), -1] if agent.ports else []
        self.kind = np.array(kinds, np.uint8)
        self.successor = np.array(successors, np.int64)
        self.first = np.array(firsts, np.int64)
        self.arity = np.array([len(agent.ports) for agent in agents], np.int64)
        self.parameter_count = np.array([len(native.parameters) for native in natives], np.int64)
        self.result = np.array([_KIND[native.result] for native in natives], np.uint8)
        self.parameter_roles = [
            np.array([Role.INT if p is PortKind.INT else Role.FLOAT for p in native.parameters], np.uint8)
            for native in natives
        ]


class _Reader:
    """Reads a block. State per statement: position, and a stack of the ports still to be filled.

    A port that was the last of its agent leaves the stack before its term is read; the argument lists that end with
    that term are carried along in `pending`.
    """

    def __init__(self, net: Net, first: int, last: int, signatures: _Signatures) -> None:
        base = net.starts[first]
        self.code = net.code[base : net.starts[last]]
        self.starts = net.starts[first : last + 1] - base
        self.first_statement = first
        self.signatures = signatures
        count = last - first
        self.position = self.starts[:-1].copy()
        self.depth = np.zeros(count, np.int64)
        self.port = np.zeros((count, 8), np.int64)
        self.pending = np.zeros((count, 8), np.int32)
        self.terms = np.zeros(count, np.int64)
        self.role = np.zeros(len(self.code), np.uint8)
        self.closes = np.zeros(len(self.code), np.int32)
        self.separator = np.zeros(len(self.code), np.uint8)

    def scan(self) -> Scan:
        active = np.arange(len(self.position))
        while active.size:
            self._step(active)
            active = active[self.position[active] < self.starts[active + 1]]
        self._check(self.position == self.starts[1:], np.arange(len(self.position)))
        self._check((self.depth == 0) & (self.terms % 2 == 0), np.arange(len(self.position)))
        self.separator[self.starts[1:] - 1] = Separator.STATEMENT
        return Scan(self.code, self.starts, self.role, self.closes, self.separator)

    def _check(self, right: np.ndarray, statements: np.ndarray) -> None:
        if not right.all():
            statement = self.first_statement + int(statements[np.argmin(right)]) + 1
            raise CompileError(f"statement {statement} of the net is malformed")

    def _step(self, active: np.ndarray) -> None:
        """Reads one term or attribute of every active statement."""
        depth = self.depth[active]
        port = self.port[active, depth]
        successor = self.signatures.successor[port]
        ends = successor < 0
        closes = np.where(ends, self.pending[active, depth], 0)
        self.port[active, depth] = successor
        self.depth[active] -= ends
        self.terms[active] += port == 0
        is_term = self.signatures.kind[port] == _WIRE
        self._read_terms(active[is_term], closes[is_term])
        attribute = ~is_term
        if attribute.any():
            self._read_attributes(active[attribute], port[attribute], closes[attribute])

    def _read_terms(self, statements: np.ndarray, closes: np.ndarray) -> None:
        at = self.position[statements]
        words = self.code[at]
        is_agent = (words & 1) == 1
        agents = words[is_agent] >> 1
        self._check(words >= 0, statements)
        self._check(agents < len(self.signatures.arity), statements[is_agent])
        opens = is_agent.copy()
        opens[is_agent] = self.signatures.arity[agents] > 0
        self.role[at] = is_agent
        self.position[statements] += 1
        self._push(statements[opens], words[opens] >> 1, closes[opens] + 1)
        self._leaf(statements[~opens], at[~opens], closes[~opens])

    def _push(self, statements: np.ndarray, agents: np.ndarray, pending: np.ndarray) -> None:
        self.depth[statements] += 1
        depth = self.depth[statements]
        if depth.size and depth.max() >= self.port.shape[1]:
            self.port = np.pad(self.port, ((0, 0), (0, self.port.shape[1])))
            self.pending = np.pad(self.pending, ((0, 0), (0, self.pending.shape[1])))
        self.port[statements, depth] = self.signatures.first[agents]
        self.pending[statements, depth] = pending

    def _leaf(self, statements: np.ndarray, at: np.ndarray, closes: np.ndarray) -> None:
        """An item ends at `at`: says what follows it."""
        at_root = self.depth[statements] == 0
        after_root = np.where(self.terms[statements] % 2 == 1, Separator.TILDE, Separator.CONNECTION)
        self.closes[at] = closes
        self.separator[at] = np.where(at_root, after_root, Separator.PORT)

    def _read_attributes(self, statements: np.ndarray, port: np.ndarray, closes: np.ndarray) -> None:
        at = self.position[statements]
        words = self.code[at]
        literal = words == 0
        self._check(literal | ((words > 0) & (words <= len(self.signatures.parameter_count))), statements)
        kind = self.signatures.kind[port]
        self._check(self.signatures.result[words[~literal] - 1] == kind[~literal], statements[~literal])
        length = np.ones(len(at), np.int64)
        length[~literal] = self.signatures.parameter_count[words[~literal] - 1]
        self._check(at + length < self.starts[statements + 1], statements)
        self.position[statements] += 1 + length
        self.role[at] = np.where(literal, Role.LITERAL, Role.CALL)
        self.role[at[literal] + 1] = np.where(kind[literal] == _INT, Role.INT, Role.FLOAT)
        for native in np.unique(words[~literal]):
            self._read_arguments(at[words == native], self.signatures.parameter_roles[native - 1])
        self._leaf(statements, at + length, closes + (~literal & (length > 0)))

    def _read_arguments(self, at: np.ndarray, roles: np.ndarray) -> None:
        for index, role in enumerate(roles):
            self.role[at + 1 + index] = role
            self.separator[at + 1 + index] = Separator.PORT
