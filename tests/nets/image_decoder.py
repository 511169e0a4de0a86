"""Reads net images as runtime_c/include/inpla_image.h describes them, back into prefix code."""

from __future__ import annotations

from dataclasses import dataclass, field

from inbundle.nets.program import PortKind, Program
from inbundle.nets.scan import called_natives, scan_blocks


@dataclass
class Decoded:
    """What an image says.

    Attributes:
        connections: words of each connection; wires have the numbers of the program again.
        section_starts: numbers of the connections that begin a section, but for the first.
        open_slots: slot -> wire, for the wires that wait in a slot at the end.
    """

    slots: int = 0
    connections: list[list[int]] = field(default_factory=list)
    section_starts: list[int] = field(default_factory=list)
    open_slots: dict[int, int] = field(default_factory=dict)


class Decoder:
    def __init__(self, program: Program, data: bytes) -> None:
        self.program = program
        self.data = data
        self.at = 0
        self.wires = 0
        self.natives = called_natives(scan_blocks(program))
        self.result = Decoded()

    def decode(self) -> Decoded:
        """Wires are numbered by first occurrence again; an input's slot is filled from the start."""
        assert self._bytes(4) == b"INet"
        assert self._bytes(1) == b"\x01"
        self.result.slots = self._varint()
        assert self._varint() == len(self.program.agents)
        assert self._varint() == len(self.natives)
        assert self._varint() == len(self.data) - self.at
        self._put = set(range(len(self.program.inputs)))
        while (operation := self._bytes(1)[0]) != 0:
            if operation == 1:
                self.result.section_starts.append(len(self.result.connections))
            else:
                assert operation == 2
                words: list[int] = []
                self._term(words)
                self._term(words)
                self.result.connections.append(words)
        assert self.at == len(self.data)
        return self.result

    def _term(self, words: list[int]) -> None:
        word = self._varint()
        if word % 2 == 0:
            words.append(2 * self._wire(word // 2))
            return
        words.append(word)
        for kind in self.program.agents[word // 2].ports:
            if kind is PortKind.WIRE:
                self._term(words)
            else:
                self._attribute(words, kind)

    def _attribute(self, words: list[int], kind: PortKind) -> None:
        selector = self._varint()
        if selector == 0:
            words += [0, self._literal(kind)]
            return
        number = self.natives[selector - 1]
        parameters = self.program.natives[number].parameters
        words += [1 + number, *(self._literal(parameter) for parameter in parameters)]

    def _wire(self, slot: int) -> int:
        assert slot < self.result.slots
        if slot in self.result.open_slots:
            return self.result.open_slots.pop(slot)
        wire = self.wires
        self.wires += 1
        if slot in self._put:
            self._put.remove(slot)
        else:
            self.result.open_slots[slot] = wire
        return wire

    def _literal(self, kind: PortKind) -> int:
        if kind is PortKind.FLOAT:
            return int.from_bytes(self._bytes(4), "little")
        zigzag = self._varint()
        return (zigzag >> 1) ^ -(zigzag & 1)

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._bytes(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]
