"""Reads net statements into prefix code: the rules `plain_net` ... of grammar.lark.

A net may have millions of terms of any depth, so this is a loop over tokens with a stack of its own. The tokens are the
terminals of the grammar.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable

import numpy as np

from inbundle.errors import CompileError
from inbundle.nets.grammar import NAME, terminals
from inbundle.nets.literals import float_bits, is_float_text
from inbundle.nets.program import Agent, IntLiteral, Net, PortKind
from inbundle.nets.resolve import number_literal
from inbundle.nets.source import Source, Statement
from inbundle.nets.types import Natives

_TOKEN = re.compile(rf"(?:{terminals('SPACE', 'COMMENT')})*({terminals('NAME', 'AGENT', 'NUMBER')}|[a-z]+|><|\S)")

_END = ""


def tokens_of(text: str) -> list[str]:
    """The words of a statement, without blanks and comments; the rest comes out as single characters."""
    return _TOKEN.findall(text)


class NetLoader:
    """Collects the net.

    Attributes:
        wires: number of each name; numbers are given by first occurrence.
        occurrences: of each wire.
    """

    def __init__(self, source: Source, agents: dict[str, Agent], natives: Natives) -> None:
        self.source = source
        self.agents = agents
        self.natives = natives
        self.wires: dict[str, int] = {}
        self.occurrences = bytearray()
        self._words = {name: 2 * index + 1 for index, name in enumerate(agents)}
        self._calls = {name: 1 + index for index, name in enumerate(natives.parameters)}
        self._code = array("q")
        self._starts = array("q")

    def open_names(self) -> list[str]:
        """The names that occur once, by first occurrence."""
        return [name for name, wire in self.wires.items() if self.occurrences[wire] == 1]

    def net(self) -> Net:
        names = {self.wires[name]: name for name in self.open_names()}
        starts = np.array([*self._starts, len(self._code)], np.int64)
        return Net(np.array(self._code, np.int64), starts, names)

    def load(self, statement: Statement, tokens: list[str]) -> None:
        """Adds a statement, whose words are `tokens`."""
        self._starts.append(len(self._code))
        try:
            self._connections([*tokens, _END])
        except _Unexpected as problem:
            raise self._error(statement, problem) from None

    def _connections(self, tokens: list[str]) -> None:
        """plain_net: plain_connection ("," plain_connection)*"""
        at = self._term(tokens, 0, "~")
        while True:
            at = self._term(tokens, at + 1, ",")
            if tokens[at] == _END:
                return
            at = self._term(tokens, at + 1, "~")

    def _term(self, tokens: list[str], at: int, follower: str) -> int:
        """plain_term, and what must follow it. Returns the offset of the follower."""
        enclosing: list[tuple[str, tuple[PortKind, ...], int]] = []  # agent, its ports, the one being read
        kind = PortKind.WIRE
        while True:
            token = tokens[at]
            if kind is not PortKind.WIRE:
                at = self._attribute(tokens, at, kind)
            elif token and tokens[at + 1] == "(" and token[0].isalpha():
                ports = self._agent(tokens, at)
                at += 2
                if ports:
                    enclosing.append((token, ports, 0))
                    kind = ports[0]
                    continue
                at = self._expect(tokens, at, ")")
            elif token and "A" <= token[0] <= "Z":
                self._agent(tokens, at)
                at += 1
            else:
                self._wire(tokens, at)
                at += 1
            while enclosing and tokens[at] == ")":
                name, ports, index = enclosing.pop()
                if index + 1 != len(ports):
                    raise _Unexpected(at, f"`{name}' has {len(ports)} ports, not {index + 1}")
                at += 1
            if not enclosing:
                return self._expect_follower(tokens, at, follower)
            name, ports, index = enclosing.pop()
            at = self._expect(tokens, at, ",")
            if index + 1 == len(ports):
                raise _Unexpected(at, f"`{name}' has {len(ports)} ports, not more")
            kind = ports[index + 1]
            enclosing.append((name, ports, index + 1))

    def _expect(self, tokens: list[str], at: int, token: str) -> int:
        if tokens[at] != token:
            raise _Unexpected(at)
        return at + 1

    def _expect_follower(self, tokens: list[str], at: int, follower: str) -> int:
        if tokens[at] == follower or (follower == "," and tokens[at] == _END):
            return at
        raise _Unexpected(at)

    def _wire(self, tokens: list[str], at: int) -> None:
        name = tokens[at]
        wire = self.wires.get(name)
        if wire is None:
            if not NAME.fullmatch(name):
                raise _Unexpected(at)
            wire = self.wires[name] = len(self.wires)
            self.occurrences.append(0)
        self.occurrences[wire] += 1
        if self.occurrences[wire] > 2:
            raise _Unexpected(at, f"The name `{name}' occurs more than twice")
        self._code.append(2 * wire)

    def _agent(self, tokens: list[str], at: int) -> tuple[PortKind, ...]:
        """The word of an agent; one that no rule has is declared by its arguments here."""
        name = tokens[at]
        word = self._words.get(name)
        if word is None:
            if name[0].islower() and not NAME.fullmatch(name):
                raise _Unexpected(at)
            self.agents[name] = Agent(name, tuple(self._argument_kinds(tokens, at + 1)))
            word = self._words[name] = 2 * len(self._words) + 1
        self._code.append(word)
        ports = self.agents[name].ports
        if ports and tokens[at + 1] != "(":
            raise _Unexpected(at, f"`{name}' has {len(ports)} ports, not 0")
        return ports

    def _argument_kinds(self, tokens: list[str], at: int) -> Iterable[PortKind]:
        depth = 0
        while tokens[at] != _END:
            if tokens[at] == ")":
                depth -= 1
            elif depth == 1 and tokens[at - 1] in ("(", ","):
                yield self._kind(tokens, at)
            depth += tokens[at] == "("
            if depth == 0:
                return
            at += 1

    def _kind(self, tokens: list[str], at: int) -> PortKind:
        token = tokens[at + (tokens[at] == "-")]
        if token[:1].isdigit():
            number = number_literal(token, self.natives.dialect)
            return PortKind.INT if isinstance(number, IntLiteral) else PortKind.FLOAT
        if token[:1].islower() and tokens[at + 1] == "(" and token not in self.agents:
            return self.natives.results.get(token, PortKind.INT)
        return PortKind.WIRE

    def _attribute(self, tokens: list[str], at: int, kind: PortKind) -> int:
        """[MINUS] NUMBER, or a native function with such arguments."""
        name = tokens[at]
        if not (name and "a" <= name[0] <= "z"):
            self._code.append(0)
            return self._literal(tokens, at, kind)
        if not NAME.fullmatch(name):
            raise _Unexpected(at)
        if tokens[at + 1] != "(":
            raise _Unexpected(at, f"a value is expected here, not the wire `{name}'")
        if self.natives.results.setdefault(name, kind) is not kind:
            raise _Unexpected(at, f"the result of `{name}' is no {kind.name.lower()} elsewhere")
        self._code.append(self._calls.setdefault(name, 1 + len(self._calls)))
        return self._arguments(tokens, at)

    def _arguments(self, tokens: list[str], at: int) -> int:
        name = tokens[at]
        values = self._argument_kinds(tokens, at + 1) if name not in self.natives.parameters else ()
        parameters = self.natives.parameters.setdefault(name, list(values))
        at += 2
        for index, kind in enumerate(parameters):
            at = self._literal(tokens, at if index == 0 else self._expect(tokens, at, ","), kind)
        if tokens[at] == ",":
            raise _Unexpected(at, f"`{name}' has {len(parameters)} parameters, not more")
        return self._expect(tokens, at, ")")

    def _literal(self, tokens: list[str], at: int, kind: PortKind) -> int:
        negative = tokens[at] == "-"
        at += negative
        if not tokens[at][:1].isdigit():
            raise _Unexpected(at)
        text = f"-{tokens[at]}" if negative else tokens[at]
        if kind is PortKind.FLOAT:
            self._code.append(float_bits(float(text)))
        elif not is_float_text(tokens[at]) and -(2**63) <= int(text) < 2**63:
            self._code.append(int(text))
        else:
            raise _Unexpected(at, f"an int is expected here, not {tokens[at]}")
        return at + 1

    def _error(self, statement: Statement, problem: _Unexpected) -> CompileError:
        starts = [match.start(1) for match in _TOKEN.finditer(statement.text)]
        at = statement.at + [*starts, len(statement.text)][problem.token]
        return self.source.error(at, problem.message) if problem.message else self.source.unexpected_in_net(at)


class _Unexpected(Exception):
    """A token that does not fit; an empty message means that the grammar has no place for it."""

    def __init__(self, token: int, message: str = "") -> None:
        super().__init__(message)
        self.token = token
        self.message = message
