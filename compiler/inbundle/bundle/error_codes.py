"""What the entry of a bundle returns: 0, a status of the engine, or the error of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.ir.memory import ALIGNMENT

# The error e of a kernel is returned as this plus e.
KERNEL_ERROR = 64


@dataclass(frozen=True)
class ErrorCode:
    code: int
    text: str


# ORDER STATUS (inpla_status in runtime_c/include/inpla.h)
_STATUS = (
    "success",
    "no rule for a pair of agents",
    "no free cell left",
    "more pending pairs than the memory holds",
    "a native function reported failure",
    "the net image is cut off or not for this program",
    f"a region is NULL or not aligned to {ALIGNMENT} bytes, or the activations are too small",
    "a result of the net is missing",
)

ERRORS = (
    *(ErrorCode(code, text) for code, text in enumerate(_STATUS)),
    ErrorCode(KERNEL_ERROR + 1, "a kernel got a value out of range, such as an index"),
)


THREADS_ERROR = ErrorCode(KERNEL_ERROR - 1, "more threads than the bundle was compiled for, or none")
"""What NAME_set_threads returns."""

OTHER_ERROR = "unknown error"


def error_text(code: int) -> str:
    """The meaning of a return code."""
    known = {error.code: error.text for error in (*ERRORS, THREADS_ERROR)}
    return known.get(code, f"error {code - KERNEL_ERROR} of a kernel" if code > KERNEL_ERROR else OTHER_ERROR)
