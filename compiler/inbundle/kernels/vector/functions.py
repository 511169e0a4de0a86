"""Support functions of vector kernels: `templates/kernels/vector/functions/NAME.c`, written for a vector unit.

The files say `floats`, `ints`, `words` and `vector_NAME` whatever the unit; in C each of these words has the unit's
name behind it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from inbundle.kernels import templates
from inbundle.kernels.vector.machines import Machine

_OF_A_UNIT = re.compile(r"\b(floats|ints|words|unaligned|vector_\w+)\b")
_CALL = re.compile(r"\b(vector_\w+)(?=\()")


def for_machine(text: str, machine: Machine) -> str:
    """C text that is written for any vector unit, for this one."""
    return re.sub(r"\bKERNEL\b", f"KERNEL_{machine.name.upper()}", _OF_A_UNIT.sub(rf"\1_{machine.name}", text))


def vector_functions(text: str, machines: Sequence[Machine]) -> list[str]:
    """The C texts of the support functions that `text` calls for these units, directly or not, callees first."""
    words = set(_CALL.findall(text))
    return [
        templates.render("vector/function.c.j2", machine=machine, text=for_machine(_sources()[name], machine).rstrip())
        for machine in machines
        for name in _with_callees([name for name in _sources() if f"{name}_{machine.name}" in words])
    ]


@functools.cache
def _sources() -> dict[str, str]:
    """Name -> C text of every function, ordered by name."""
    files = sorted((templates.folder() / "vector" / "functions").glob("*.c"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def _with_callees(names: Sequence[str]) -> list[str]:
    order: list[str] = []
    for name in names:
        callees = [callee for callee in _CALL.findall(_sources()[name]) if callee != name]
        order += [one for one in [*_with_callees(callees), name] if one not in order]
    return order
