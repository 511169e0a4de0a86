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
        gcc_options: without which GCC computes lane by lane, for the kernels alone.
    """

    name: str
    lanes: int
    registers: int
    pixels: dict[int, int]
    target: str = ""
    macro: str = ""
    gcc_options: tuple[str, ...] = ()

    @property
    def most_vectors(self) -> int:
        """The widest register tile, in vectors of channels."""
        return max(self.pixels)


_OF_32_REGISTERS = {4: 6, 3: 8, 2: 12, 1: 16}
_OF_32_SHORT_REGISTERS = {4: 6, 2: 12, 1: 16}
_OF_16_REGISTERS = {2: 6, 1: 12}

# Armv7's NEON takes subnormal numbers for zeros, which GCC uses it for only when it may. No other liberties.
_FLUSHING = ("unsafe-math-optimizations", "no-associative-math", "no-reciprocal-math", "signed-zeros", "trapping-math")

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
        Machine("neonv7", 4, 16, _OF_16_REGISTERS, gcc_options=_FLUSHING),
        # Registers have 128 bits or more: with vectors of 128 an object runs on all processors that have them.
        Machine("rvv", 4, 32, _OF_32_SHORT_REGISTERS),
    )
}
"""All vector units, by name."""
