"""How much memory the engine needs for a program: the limits that a bundle gives to inpla_open.

The formulas are those of runtime_c/include/inpla.h (INPLA_MEMORY_BYTES and the comment at `inpla_limits`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inbundle.errors import CompileError
from inbundle.nets.image import NetImage
from inbundle.nets.program import Agent, AgentTerm, Body, Expr, PortKind, Program, Rule, Term
from inbundle.nets.routes import Routes

# ORDER MEMORY (INPLA_NET_BYTES, INPLA_WORKER_BYTES, INPLA_SLACK_WORDS in runtime_c/include/inpla.h)
NET_BYTES = 384
WORKER_BYTES = 384
SLACK_WORDS = 2688

_SMALLEST = 2  # ports that every cell has room for
_MESSAGES_PER_WIRE = 2


@dataclass(frozen=True)
class EngineLimits:
    """The fields of `inpla_limits`, and what they add up to.

    Attributes:
        heap_bytes: bytes of cells, for the target's word size.
        pairs: pending pairs per worker.
        slots: wires open between statements of the image.
        workers: threads that reduce the net.
        memory_bytes: INPLA_MEMORY_BYTES of the others.
    """

    heap_bytes: int
    pairs: int
    slots: int
    workers: int
    memory_bytes: int


def engine_limits(program: Program, image: NetImage, *, threads: int, word_bytes: int) -> EngineLimits:
    """The limits for the net of `image`. `word_bytes` is 4 or 8."""
    heap = _heap_words(program, image, threads) * word_bytes
    pairs = _pairs(image)
    total = memory_bytes(heap, pairs, image.slots, threads, word_bytes=word_bytes)
    return EngineLimits(heap, pairs, image.slots, threads, total)


def memory_bytes(heap_bytes: int, pairs: int, slots: int, workers: int, *, word_bytes: int) -> int:
    """INPLA_MEMORY_BYTES: bytes of the engine's memory for these limits."""
    worker = WORKER_BYTES + 2 * word_bytes * pairs
    slack = workers * SLACK_WORDS * word_bytes if workers > 1 else 0
    return NET_BYTES + workers * worker + word_bytes * slots + heap_bytes + slack


# --- cells -------------------------------------------------------------------------------------------------------


def _heap_words(program: Program, image: NetImage, threads: int) -> int:
    """Words of the heap: cells of each size at its worst moment.

    A section starts with the cells that were counted when it was loaded. No rule makes more cells than its pair had, so
    the number of all cells only falls; of a size that rules make, there may be as many as of all sizes together.
    Built-in agents are taken to meet agents without wire ports, as they do in translated nets. With several workers,
    each end of a wire may be in a message besides, a cell of the smallest size.
    """
    agents = {agent.name: agent for agent in program.agents}
    total = sum(image.peaks.values())
    growing: set[int] = set()
    for rule in program.rules:
        for branch in rule.branches:
            change = _change(rule, branch.body, agents)
            if sum(change.values()) > 0:
                total += _more_cells(program, rule, sum(change.values()))
            growing |= {size for size, count in change.items() if count > 0}
    # Dup copies agents without wire ports in exchange for itself.
    growing |= {_size(agent) for agent in program.agents if PortKind.WIRE not in agent.ports} - {_SMALLEST}
    sizes = {size: total if size in growing else image.peaks[size] for size in {*image.peaks, *growing}}
    if threads > 1:
        sizes[_SMALLEST] = sizes.get(_SMALLEST, 0) * (1 + _MESSAGES_PER_WIRE)
    return sum(count * (size + 1) for size, count in sizes.items())


def _more_cells(program: Program, rule: Rule, count: int) -> int:
    """A bound for what a rule adds that makes `count` more cells than its pair had."""
    if program.net.interactions is None:
        raise CompileError(
            f"the heap has no bound: rule {rule.left.agent} >< {rule.right.agent} makes more cells than it takes",
            where=(program.name,),
        )
    return count * program.net.interactions


def _change(rule: Rule, body: Body, agents: Mapping[str, Agent]) -> Counter[int]:
    """Per size of cells: how many more there are after the rule; a wire is a cell of the smallest size."""
    change: Counter[int] = Counter()
    for connection in body.connections:
        change.update(_size(agents[name]) for term in connection for name in _agents_of(term))
    change[_SMALLEST] += len(Routes(rule.left.ports + rule.right.ports, body.connections).inner_wires())
    change.subtract(_size(agents[head.agent]) for head in (rule.left, rule.right))
    return change


def _agents_of(term: Term | Expr) -> Iterator[str]:
    if isinstance(term, AgentTerm):
        yield term.agent
        for argument in term.arguments:
            yield from _agents_of(argument)


def _size(agent: Agent) -> int:
    return max(_SMALLEST, len(agent.ports))


def _pairs(image: NetImage) -> int:
    """Pending pairs: every agent is in one at most."""
    return sum(image.peaks.values()) // 2 + 1
