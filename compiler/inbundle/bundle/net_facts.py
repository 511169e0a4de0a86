"""Facts of a net that its Program does not hold ready: what the manifest says about where reduction starts."""

from __future__ import annotations

import numpy as np

from inbundle.nets.program import Program
from inbundle.nets.scan import Role, Scan, Separator, scan_blocks

_ENDS = (Separator.TILDE, Separator.CONNECTION, Separator.STATEMENT)


def initial_pairs(program: Program) -> int:
    """The connections of two agents: the pairs that are active as soon as the net is loaded, before any is reduced.

    What meets through a wire (`x ~ A, x ~ B`) is not counted; the translations write no such nets.
    """
    return sum(map(_pairs, scan_blocks(program)))


def _pairs(block: Scan) -> int:
    """Terms of connections start the block and stand behind the separators of terms, in twos."""
    ends = np.flatnonzero(np.isin(block.separator, _ENDS))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    is_agent = block.role[starts] == Role.AGENT
    return int((is_agent[0::2] & is_agent[1::2]).sum())
