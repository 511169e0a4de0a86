"""The net image: the initial net as bytes, as runtime_c/include/inpla_image.h describes them.

Wires become slots: the interface's first, then private ones, which are used again once both ends of a wire have
occurred. The net is cut into sections, so that what is loaded at once stays small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inbundle.nets.program import Program
from inbundle.nets.scan import Role, Scan, Separator, called_natives, scan_all

MAGIC = b"INet"
VERSION = 1
# ORDER IMAGE OP (enum inpla_image_op in runtime_c/include/inpla_image.h)
_END, _SECTION, _CONNECT = range(3)

# A section is small enough for a fast cache. Several workers have to meet at its end, so theirs are larger.
_SECTION_CELLS, _SHARED_SECTION_CELLS = 2048, 16384
_CELLS_PER_INPUT = 2  # the value and a wire
_SMALL = 2  # cells of up to two ports, wires too, are one size


@dataclass(frozen=True)
class NetImage:
    """An encoded net and what the engine's memory depends on.

    Attributes:
        data: the bytes.
        slots: wire slots that the loader needs.
        sections: how many times the engine reduces to normal form.
        peaks: per number of ports, a bound of the cells that are alive once a section is loaded. 2 is for all cells of
            up to 2 ports, and for wires.
        cells: agents and wires of the net.
        connections: of the net.
    """

    data: bytes
    slots: int
    sections: int
    peaks: dict[int, int]
    cells: int
    connections: int


def section_size(threads: int) -> int:
    """Cells per section for a net that so many threads reduce."""
    return _SECTION_CELLS if threads == 1 else _SHARED_SECTION_CELLS


def encode(program: Program, *, section_cells: int = _SECTION_CELLS) -> NetImage:
    """The image of a program's net.

    Args:
        section_cells: a section ends with the statement that takes it to this many cells; at least 1.
    """
    assert section_cells > 0
    scan = scan_all(program)
    slots, slot_count = _slots(program, scan)
    sizes = _CellCounts(program, scan)
    ends = _section_ends(sizes.per_statement(), section_cells)
    natives = called_natives([scan])
    body = _Encoder(program, slots, natives).body(scan, ends)
    header = [slot_count, len(program.agents), len(natives), len(body)]
    data = MAGIC + bytes([VERSION]) + _varints(np.array(header, np.uint64)).tobytes() + body
    return NetImage(
        data=data,
        slots=slot_count,
        sections=len(ends),
        peaks=sizes.peaks(ends, program.net.live, _CELLS_PER_INPUT * len(program.inputs)),
        cells=int(sizes.per_statement().sum()),
        connections=int(_is_connection_start(scan).sum()),
    )


# --- slots -------------------------------------------------------------------------------------------------------


def _slots(program: Program, scan: Scan) -> tuple[np.ndarray, int]:
    """The slot of each wire, and how many there are.

    The slot of an input is free for others after the wire's one occurrence, as the host has connected its value before.
    """
    number = {name: wire for wire, name in program.net.names.items()}
    wires = scan.code[scan.role == Role.WIRE] >> 1
    slots = [-1] * (int(wires.max(initial=-1)) + 1)
    for slot, name in enumerate((*program.inputs, *program.outputs)):
        slots[number[name]] = slot
    keeps_slot = np.zeros(len(slots), bool)
    keeps_slot[[number[name] for name in program.outputs]] = True
    count = len(program.inputs) + len(program.outputs)
    free: list[int] = []
    for wire in wires[~keeps_slot[wires]].tolist():
        if slots[wire] >= 0:
            free.append(slots[wire])
        elif free:
            slots[wire] = free.pop()
        else:
            slots[wire] = count
            count += 1
    return np.array(slots, np.int64), count


# --- sections ----------------------------------------------------------------------------------------------------


class _CellCounts:
    """How many cells of which size each statement makes. A wire's cell is made at its first occurrence."""

    def __init__(self, program: Program, scan: Scan) -> None:
        self._scan = scan
        arity = np.array([len(agent.ports) for agent in program.agents])
        wires = np.flatnonzero(scan.role == Role.WIRE)
        _, first = np.unique(scan.code[wires], return_index=True)
        agents = np.flatnonzero(scan.role == Role.AGENT)
        ports = np.maximum(arity[scan.code[agents] >> 1], _SMALL)
        self._made = {size: self._count(agents[ports == size]) for size in np.unique(ports).tolist()}
        self._made[_SMALL] = self._made.get(_SMALL, 0) + self._count(wires[first])

    def _count(self, at: np.ndarray) -> np.ndarray:
        statement = np.searchsorted(self._scan.starts, at, side="right") - 1
        return np.bincount(statement, minlength=len(self._scan.starts) - 1)

    def per_statement(self) -> np.ndarray:
        total: np.ndarray = sum(self._made.values(), np.zeros(len(self._scan.starts) - 1, np.int64))
        return total

    def peaks(self, ends: np.ndarray, live: np.ndarray | None, given: int) -> dict[int, int]:
        """Per size, the most cells that may be alive: what earlier sections left, which `live` bounds, and the new.
        `given` cells are there before the first section."""
        peaks = {}
        for size, made in self._made.items():
            total = np.concatenate([[0], np.cumsum(made)[ends - 1]]) if len(ends) else np.zeros(1, np.int64)
            left = total[:-1] + (given if size == _SMALL else 0)
            if live is not None and len(ends):
                left = np.minimum(left, np.concatenate([[given], live[ends[:-1] - 1]]))
            peaks[size] = int((left + np.diff(total)).max(initial=given if size == _SMALL else 0))
        return peaks


def _section_ends(cells: np.ndarray, most: int) -> np.ndarray:
    """Statement counts at which sections end; the last is that of the whole net."""
    total = np.cumsum(cells)
    ends = []
    end = 0
    while end < len(total):
        loaded = total[end - 1] if end else 0
        end = min(int(np.searchsorted(total, loaded + most)) + 1, len(total))
        ends.append(end)
    return np.array(ends, np.int64)


# --- bytes -------------------------------------------------------------------------------------------------------


def _is_connection_start(scan: Scan) -> np.ndarray:
    """The words with which connections begin: those behind a connection or a statement."""
    ends = np.isin(scan.separator, (Separator.CONNECTION, Separator.STATEMENT))
    return np.concatenate([[True], ends[:-1]]) if len(ends) else ends


class _Encoder:
    """Writes the ops of the body.

    Args:
        slots: of each wire.
        natives: the native functions that the net calls, in the order of the image's numbers.
    """

    def __init__(self, program: Program, slots: np.ndarray, natives: list[int]) -> None:
        self._slots = slots
        self._native_number = np.zeros(len(program.natives) + 1, np.int64)
        self._native_number[np.array(natives, np.int64) + 1] = np.arange(len(natives)) + 1

    def body(self, scan: Scan, ends: np.ndarray) -> bytes:
        begins_section = np.zeros(len(scan.starts), bool)
        begins_section[ends[:-1]] = True
        parts = [
            self._ops(block, block.starts[:-1][begins_section[first : first + len(block.starts) - 1]])
            for first, block in scan.blocks()
        ]
        return b"".join([*parts, bytes([_END])])

    def _ops(self, scan: Scan, sections: np.ndarray) -> bytes:
        """The connections of some statements; `sections` are the words with which sections begin."""
        elements = self._elements(scan)
        is_float = scan.role == Role.FLOAT
        starts = _is_connection_start(scan)
        length = np.where(is_float, 4, _varint_lengths(elements))
        prefix = starts.astype(np.int64)
        prefix[sections] += 1
        offset = np.cumsum(length + prefix) - length
        data = np.zeros(int((length + prefix).sum()), np.uint8)
        data[offset[starts] - 1] = _CONNECT
        data[offset[sections] - 2] = _SECTION
        _put_varints(data, offset[~is_float], elements[~is_float], length[~is_float])
        floats = elements[is_float]
        for byte in range(4):
            data[offset[is_float] + byte] = (floats >> np.uint64(8 * byte)).astype(np.uint8)
        return data.tobytes()

    def _elements(self, scan: Scan) -> np.ndarray:
        """The image's element for each word."""
        elements: np.ndarray = scan.code.astype(np.uint64).view(np.int64)
        at = {role: np.flatnonzero(scan.role == role) for role in (Role.WIRE, Role.INT, Role.CALL)}
        elements[at[Role.WIRE]] = 2 * self._slots[elements[at[Role.WIRE]] >> 1]
        ints = elements[at[Role.INT]]
        elements[at[Role.INT]] = (ints << 1) ^ (ints >> 63)
        elements[at[Role.CALL]] = self._native_number[elements[at[Role.CALL]]]
        return elements.view(np.uint64)


def _varint_lengths(values: np.ndarray) -> np.ndarray:
    length = np.ones(len(values), np.int64)
    for group in range(1, 10):
        length += values >= np.uint64(1) << np.uint64(7 * group)
    return length


def _put_varints(data: np.ndarray, offset: np.ndarray, values: np.ndarray, length: np.ndarray) -> None:
    """Writes unsigned LEB128 numbers at offsets of `data`."""
    group = 0
    while len(values):
        more = length > group + 1
        byte = (values & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        data[offset + group] = byte
        offset, values, length = offset[more], values[more] >> np.uint64(7), length[more]
        group += 1


def _varints(values: np.ndarray) -> np.ndarray:
    length = _varint_lengths(values)
    data = np.zeros(int(length.sum()), np.uint8)
    _put_varints(data, np.cumsum(length) - length, values, length)
    return data
