"""What one can see of passes: a log line per run, and the unit as text or drawing before and after chosen runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inbundle.graph.diagram import printable
from inbundle.pass_manager import PassResult, PassRun, Unit, UnitKind, Watcher

Say = Callable[[str], None]
"""Prints text that ends in a newline."""

MOST_NAMES = 6
"""Parts that a log line names of each sort; the rest is counted."""


class PassLog(Watcher[Unit]):
    """A line per run: number, pass, parts before and after, time, what was added, removed, changed, moved."""

    def __init__(self, kind: UnitKind[Unit], say: Say) -> None:
        self._kind = kind
        self._say = say

    def after(self, run: PassRun, result: PassResult, unit: Unit) -> None:
        counts = f"{run.count} -> {result.count}" if result.count != run.count else str(run.count)
        line = f"{self._kind.label} pass {run.number} {run.name}: {counts} {self._kind.parts}"
        self._say(f"{line}, {result.seconds * 1e3:.1f} ms{_changes(result)}\n")


def _changes(result: PassResult) -> str:
    sorts = (("added", result.added), ("removed", result.removed), ("changed", result.changed))
    named = "".join(f"; {sort} {_names(names)}" for sort, names in sorts if names)
    return f"{named}; reordered" if result.reordered else named


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(map(printable, names[:MOST_NAMES]))
    return f"{shown} and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else shown


@dataclass(frozen=True)
class Chosen:
    """Passes chosen by name, or all of them."""

    names: tuple[str, ...] = ()
    every: bool = False

    def __contains__(self, name: object) -> bool:
        return self.every or name in self.names

    def __bool__(self) -> bool:
        return self.every or bool(self.names)


class PassDumper(Watcher[Unit]):
    """Shows the unit before and after the runs of chosen passes.

    Args:
        dump: shows a unit; called with the run, `before` or `after`, and the unit.
    """

    def __init__(self, before: Chosen, after: Chosen, dump: Callable[[PassRun, str, Unit], None]) -> None:
        self._before = before
        self._after = after
        self._dump = dump

    def before(self, run: PassRun, unit: Unit) -> None:
        if run.name in self._before:
            self._dump(run, "before", unit)

    def after(self, run: PassRun, result: PassResult, unit: Unit) -> None:
        if run.name in self._after:
            self._dump(run, "after", unit)
