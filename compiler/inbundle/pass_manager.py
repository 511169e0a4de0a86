"""Runs a pipeline of configured passes over a Graph or a Function, and lets watchers look on.

The manager knows neither of them: what a unit is called, how its state is told apart and how it is verified comes as a
`UnitKind`. Which passes there are and in which order they run is said in `passes/` and `ir/passes/`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from inbundle.errors import CompileError

MOST_REPETITIONS = 100
"""A pass that still changes something after so many runs in a row does not converge."""

Unit = TypeVar("Unit")
State = Mapping[str, object]
"""Name of each part (node, instruction, output), in order -> a value that is equal as long as the part is the same."""


@dataclass(frozen=True)
class PassConfig(Generic[Unit]):
    """A pass in a pipeline.

    Attributes:
        name: the pass's id, as `-print-graph-passes` shows it.
        run: changes the unit in place.
        until_fixed_point: run it again and again until it changes nothing.
        dce_before: delete what has no effect before each run, so that values nobody reads do not stand in the way.
    """

    name: str
    run: Callable[[Unit], None]
    until_fixed_point: bool = False
    dce_before: bool = True


@dataclass(frozen=True)
class UnitKind(Generic[Unit]):
    """What the manager must know about what the passes change.

    Attributes:
        label: `graph` or `IR`, for messages.
        parts: what the unit is made of, for messages: `nodes`.
        state: see `State`.
        count: the number of parts that messages state.
        verify: called with the unit and the name of the pass before; raises an error that names both when the unit
            breaks a rule.
        dce: what `PassConfig.dce_before` runs; None where there is no such pass.
    """

    label: str
    parts: str
    state: Callable[[Unit], State]
    count: Callable[[Unit], int]
    verify: Callable[[Unit, str], None]
    dce: PassConfig[Unit] | None = None


@dataclass(frozen=True)
class PassRun:
    """One run of a pass, before it starts.

    Attributes:
        number: counts the runs of a compilation, from 1.
        repetition: counts the runs of a pass on its way to a fixed point, from 0.
        count: parts of the unit.
    """

    name: str
    number: int
    repetition: int
    count: int


@dataclass(frozen=True)
class PassResult:
    """What a run did.

    Attributes:
        added, removed, changed: names of parts of the unit.
        reordered: whether parts that stay have another order.
        count: parts after the run.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    reordered: bool
    count: int
    seconds: float

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.reordered)


class Watcher(Generic[Unit]):
    """Looks on while passes run; by default without a word."""

    def before(self, run: PassRun, unit: Unit) -> None:
        """A pass starts."""

    def after(self, run: PassRun, result: PassResult, unit: Unit) -> None:
        """A pass is done, and the unit is verified."""


class PassManager(Generic[Unit]):
    """Runs pipelines over one unit.

    Args:
        stop_after: number of runs after which no pass runs any more; None for no limit (`-stop-…-passes-after-num`).
    """

    def __init__(
        self, kind: UnitKind[Unit], watchers: Sequence[Watcher[Unit]] = (), *, stop_after: int | None = None
    ) -> None:
        self._kind = kind
        self._watchers = watchers
        self._stop_after = stop_after
        self._runs = 0
        self._clean = False

    def run(self, unit: Unit, pipeline: Iterable[PassConfig[Unit]]) -> None:
        """Run the passes in order, and the verifier after each that changed something.

        Raises:
            CompileError: a pass does not converge; names the pass. An invalid unit: see `UnitKind.verify`.
        """
        for config in pipeline:
            repetition = 0
            while self._run_configured(unit, config, repetition) and config.until_fixed_point:
                repetition += 1
                if repetition == MOST_REPETITIONS:
                    message = f"the pass still changes something after {MOST_REPETITIONS} runs"
                    raise CompileError(message, where=(self._place(config),), hint="it may undo its own work")

    def _run_configured(self, unit: Unit, config: PassConfig[Unit], repetition: int) -> bool:
        """One run, after a DCE where that is configured and due. Returns whether the pass changed something."""
        if config.dce_before and self._kind.dce and not self._clean:
            self._run_once(unit, self._kind.dce, 0)
        return self._run_once(unit, config, repetition)

    def _run_once(self, unit: Unit, config: PassConfig[Unit], repetition: int) -> bool:
        if self._stop_after is not None and self._runs >= self._stop_after:
            return False
        self._runs += 1
        run = PassRun(config.name, self._runs, repetition, self._kind.count(unit))
        for watcher in self._watchers:
            watcher.before(run, unit)
        result = self._timed(unit, config)
        self._clean = config is self._kind.dce or (self._clean and not result.is_change)
        if result.is_change:
            self._kind.verify(unit, self._place(config))
        for watcher in self._watchers:
            watcher.after(run, result, unit)
        return result.is_change

    def _timed(self, unit: Unit, config: PassConfig[Unit]) -> PassResult:
        old = self._kind.state(unit)
        start = time.perf_counter()
        config.run(unit)
        seconds = time.perf_counter() - start
        new = self._kind.state(unit)
        return PassResult(
            added=tuple(name for name in new if name not in old),
            removed=tuple(name for name in old if name not in new),
            changed=tuple(name for name in new if name in old and new[name] != old[name]),
            reordered=[name for name in new if name in old] != [name for name in old if name in new],
            count=self._kind.count(unit),
            seconds=seconds,
        )

    def _place(self, config: PassConfig[Unit]) -> str:
        return f"{self._kind.label} pass {config.name}"
