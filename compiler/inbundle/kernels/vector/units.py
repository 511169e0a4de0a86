"""What stands in front of all vector kernels of a file: types, attributes, and which units the processor has."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.kernels import templates
from inbundle.kernels.vector.machines import Machine


def units(machines: Sequence[Machine]) -> str:
    """The C text for these vector units, best first."""
    return templates.render("vector/units.c.j2", machines=machines)
