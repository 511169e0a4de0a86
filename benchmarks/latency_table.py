"""The figures of a comparison: from the times of single calls to ratios, remarks and the table. Knows no program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-4
"""Largest difference from the reference, as a part of the reference's largest absolute value."""

SCALES = 1.1
"""Peers scale where one of them is so many times as fast with several threads as with one."""


def relative_difference(actual: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest difference of outputs as a part of the largest value of its tensor; infinite for another number of
    elements or for what is no number."""
    if [array.size for array in actual] != [array.size for array in expected]:
        return float("inf")
    worst = 0.0
    for left, right in zip(actual, expected, strict=True):
        difference = np.abs(left.astype(np.float64).ravel() - right.astype(np.float64).ravel()).max(initial=0.0)
        scale = np.abs(right.astype(np.float64)).max(initial=0.0)
        worst = max(worst, float("inf") if not np.isfinite(difference) else float(difference / (scale or 1.0)))
    return worst


@dataclass(frozen=True)
class Block:
    """Calls one after the other: microseconds of each, and of the processor's time in the mean."""

    calls: np.ndarray
    processor: float


FIGURES: dict[str, Callable[[Sequence[Block]], float]] = {
    "median": lambda blocks: float(np.median(np.concatenate([block.calls for block in blocks]))),
    "best": lambda blocks: min(float(block.calls.min()) for block in blocks),
    "cpu": lambda blocks: min(block.processor for block in blocks),
}
"""What the blocks of a contender come to: the median of all calls, the shortest call, the block that took least of the
processor's time."""


@dataclass(frozen=True)
class Line:
    """A model with a number of threads: figures of ours, by compiler and caller, and of peers, by name."""

    model: str
    threads: int
    ours: Mapping[str, float]
    peers: Mapping[str, float]

    @property
    def best_peer(self) -> str:
        """The name of the fastest peer; empty without any."""
        return min(self.peers, key=lambda name: self.peers[name], default="")

    @property
    def ratios(self) -> dict[str, float]:
        """Our figures divided by the fastest peer's: below 1, ours is faster."""
        best = self.peers.get(self.best_peer)
        return {name: figure / best for name, figure in self.ours.items()} if best else {}


def peers_scaling(line: Line, single: Line) -> float | None:
    """How many times as fast as with one thread the peer is that gains most from its threads; None without peers."""
    gains = [single.peers[name] / figure for name, figure in line.peers.items() if name in single.peers]
    return max(gains, default=None)


def remark(line: Line, lines: Sequence[Line]) -> str:
    """Of a line with several threads: how it and the peers scale, and whether it counts."""
    single = next((each for each in lines if (each.model, each.threads) == (line.model, 1)), None)
    if line.threads == 1 or single is None:
        return ""
    own = [f"{name} x{single.ours[name] / figure:.2f}" for name, figure in line.ours.items() if name in single.ours]
    gain = peers_scaling(line, single)
    if gain is None:
        return ", ".join(own)
    verdict = "" if gain >= SCALES else ": DOES NOT COUNT, peers do not scale"
    return f"{', '.join(own)}, peers x{gain:.2f}{verdict}"


def table(lines: Sequence[Line]) -> str:
    """The table in Markdown: microseconds, and below them the ratios."""
    ours, peers = ([*dict.fromkeys(name for line in lines for name in group(line))] for group in (_ours, _peers))
    headings = ["model", "threads", *ours, *peers, *(f"{name} / best" for name in ours if peers), "remark"]
    rows = [_row(line, lines, ours, peers) for line in lines]
    aligned = ["---", *("--:" for _ in headings[1:-1]), "---"]
    return "".join(f"| {' | '.join(row)} |\n" for row in [headings, aligned, *rows])


def _ours(line: Line) -> Mapping[str, float]:
    return line.ours


def _peers(line: Line) -> Mapping[str, float]:
    return line.peers


def _row(line: Line, lines: Sequence[Line], ours: Sequence[str], peers: Sequence[str]) -> list[str]:
    figures = [_microseconds(line.ours.get(name)) for name in ours] + [
        f"**{_microseconds(line.peers[name])}**" if name == line.best_peer else _microseconds(line.peers.get(name))
        for name in peers
    ]
    ratios = [f"{line.ratios[name]:.2f}" if name in line.ratios else "-" for name in ours if peers]
    return [line.model, str(line.threads), *figures, *ratios, remark(line, lines)]


def _microseconds(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,.1f}"
