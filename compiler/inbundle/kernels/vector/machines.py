"""Vector units: what a kernel must know of the machine it is written for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """A vector unit.

    Attributes:
        name: suffix of the C functions written for it.
        lanes: floats in a vector.
        registers: vectors that it holds.
        pixels: vectors of channels in a register tile -> pixels beside them; what the registers hold. The vectors are
            whole panels, or parts into which a panel can be divided.
        target: instruction sets that the C compiler must be allowed for it, empty where every processor of the
            architecture has them.
        macro: the predefined macros that say that the whole bundle is compiled for such a processor.
    """

    name: str
    lanes: int
    registers: int
    pixels: dict[int, int]
    target: str = ""
    macro: str = ""

    @property
    def most_vectors(self) -> int:
        """The widest register tile, in vectors of channels."""
        return max(self.pixels)


_OF_32_REGISTERS = {4: 6, 3: 8, 2: 12, 1: 14}
_OF_32_SHORT_REGISTERS = {4: 6, 2: 12, 1: 14}
_OF_16_REGISTERS = {2: 6, 1: 12}

MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            "avx512",
            16,
            32,
            _OF_32_REGISTERS,
            "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma",
            "defined(__AVX512F__) && defined(__AVX512VL__)",
        ),
        Machine("avx2", 8, 16, _OF_16_REGISTERS, "avx2,fma", "defined(__AVX2__) && defined(__FMA__)"),
        Machine("sse2", 4, 16, _OF_16_REGISTERS),
        Machine("neon", 4, 32, _OF_32_SHORT_REGISTERS),
    )
}
"""All vector units, by name."""
