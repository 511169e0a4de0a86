"""How many bytes of the activations region the engine needs, computed as `INPLA_MEMORY_BYTES` of inpla.h does.

The numbers of that formula are read from the header; the generated C asserts that the result suffices.
"""

from __future__ import annotations

import re
from functools import cache

from inbundle.bundle.parts import EngineLimits
from inbundle.resources import engine


@cache
def _constant(name: str) -> int:
    """The value of `#define NAME number` in inpla.h."""
    text = (engine() / "include" / "inpla.h").read_text(encoding="utf-8")
    found = re.search(rf"^#define {name} (\d+)$", text, re.MULTILINE)
    assert found, f"inpla.h does not define {name} as a number"
    return int(found[1])


def engine_bytes(limits: EngineLimits, word_bytes: int) -> int:
    """Bytes of memory for a net with these limits on a machine with words of `word_bytes`."""
    worker = _constant("INPLA_WORKER_BYTES") + limits.pairs * 2 * word_bytes
    slack = _constant("INPLA_SLACK_WORDS") * word_bytes if limits.workers > 1 else 0
    heap = -(-limits.heap_bytes // word_bytes) * word_bytes
    return _constant("INPLA_NET_BYTES") + limits.workers * (worker + slack) + limits.slots * word_bytes + heap
