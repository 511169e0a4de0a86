"""Orders of instructions and the bytes they keep alive: a search for the order whose fullest moment is smallest.

The search is best first over sets of finished instructions, by the fullest moment so far: the first complete set it
meets is reached by a best order. Instructions that can run without a new fullest moment and leave no more bytes alive
than before are run at once, as no order gains by putting them off. Most models are decided without a branch.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inbundle.ir.dependencies import Access, dependencies, own_bytes
from inbundle.ir.function import AllocActivation, Function, Instruction, IRValue, storage
from inbundle.ir.memory import align
from inbundle.ir.stacks import operands_to_take
from inbundle.ir.uses import touched_buffers

# Instructions that are tried, in any state, before the search is given up.
MOST_TRIALS = 100_000
# Orders that are followed side by side then, in models of up to a thousand instructions.
BEAM = 24


@dataclass(frozen=True)
class Order:
    """Indices of instructions; `peak` are the bytes alive at its fullest moment, and `is_best` says that no order has
    fewer."""

    indices: tuple[int, ...]
    peak: int
    is_best: bool


@dataclass(frozen=True)
class Problem:
    """What the search knows of a function. Sets of instructions are bit sets.

    Attributes:
        before: per instruction, those it waits for.
        touched: per instruction, its buffers.
        sizes, users: per buffer, its bytes and the instructions that touch it.
        takes: per instruction, pairs of its result and an operand whose bytes the result takes over if it is the last
            one to touch the operand.
    """

    before: tuple[int, ...]
    touched: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    users: tuple[int, ...]
    takes: tuple[tuple[tuple[int, int], ...], ...]

    @staticmethod
    def of(function: Function) -> Problem:
        """The problem of a function whose buffers are not shared yet."""
        instructions = function.instructions()
        numbers: dict[IRValue, int] = {}
        touched = [_buffers(instruction, numbers) for instruction in instructions]
        users = [0] * len(numbers)
        for index, buffers in enumerate(touched):
            for buffer in buffers:
                users[buffer] |= 1 << index
        waits = dependencies([Access.of(instruction, own_bytes) for instruction in instructions])
        return Problem(
            tuple(sum(1 << earlier for earlier in after) for after in waits),
            tuple(touched),
            tuple(align(value.type.bytes) for value in numbers),
            tuple(users),
            tuple(_takes(instruction, numbers) for instruction in instructions),
        )

    def best_order(self, most_trials: int = MOST_TRIALS) -> Order:
        """The best order found: program order where that is one."""
        count, floor = len(self.before), self._floor()
        given = self._follow(range(count))
        if given.peak == floor:
            return Order(given.order(), given.peak, True)
        found, is_best = self._search(given, floor, most_trials)
        if not is_best:
            beam = self._beam()
            found = beam if beam.peak < found.peak else found
        return Order(found.order(), found.peak, is_best or found.peak == floor)

    def _floor(self) -> int:
        """What the largest instruction alone touches: no order has less."""
        return max((self._alone(index) for index in range(len(self.before))), default=0)

    def _alone(self, index: int) -> int:
        taken = max((self.sizes[result] for result, _ in self.takes[index]), default=0)
        return sum(self.sizes[buffer] for buffer in self.touched[index]) - taken

    def _follow(self, order: Sequence[int] | range) -> _State:
        state = _State(self)
        for index in order:
            state = state.after(index)
        return state

    def _search(self, given: _State, floor: int, trials: int) -> tuple[_State, bool]:
        """The best state with all instructions finished, `given` if there is no better one, and whether the search came
        to its end."""
        start = _State(self, peak=floor).settled()
        waiting = [(start.peak, -start.count, 0, start)]
        seen, number = {start.done: start.peak}, itertools.count(1)
        while waiting and trials > 0:
            *_, state = heapq.heappop(waiting)
            if state.is_complete:
                return state, True
            for index in state.ready():
                further = state.after(index)
                trials -= 1
                if further.peak < given.peak:
                    further = further.settled()
                    trials -= further.count - state.count - 1
                    if further.peak < seen.get(further.done, given.peak):
                        seen[further.done] = further.peak
                        heapq.heappush(waiting, (further.peak, -further.count, next(number), further))
        return given, not waiting

    def _beam(self) -> _State:
        """A good order, by following the best few side by side."""
        states, width = [_State(self)], max(1, BEAM * 1000 // max(1000, len(self.before)))
        for _ in self.before:
            further: dict[int, _State] = {}
            for state in states:
                for index in state.ready():
                    after = state.after(index)
                    if after.done not in further or after.peak < further[after.done].peak:
                        further[after.done] = after
            states = sorted(further.values(), key=lambda state: (state.peak, state.live))[:width]
        return states[0]


class _State:
    """A set of finished instructions, the bytes alive after them, and the fullest moment on the way."""

    def __init__(self, problem: Problem, *, peak: int = 0) -> None:
        self.problem = problem
        self.done, self.count, self.live, self.peak = 0, 0, 0, peak
        self._last = -1
        self._earlier: _State | None = None

    @property
    def is_complete(self) -> bool:
        return self.count == len(self.problem.before)

    def ready(self) -> Iterator[int]:
        """Instructions that may be the next, in program order."""
        missing = ~self.done & (1 << len(self.problem.before)) - 1
        while missing:
            index = (missing & -missing).bit_length() - 1
            missing &= missing - 1
            if not self.problem.before[index] & ~self.done:
                yield index

    def after(self, index: int) -> _State:
        """The state when one more instruction is finished."""
        born, dying = self._change(index)
        state = _State(self.problem, peak=max(self.peak, self._moment(index, born)))
        state.done, state.count = self.done | 1 << index, self.count + 1
        state.live = self.live + born - dying
        state._last, state._earlier = index, self
        return state

    def settled(self) -> _State:
        """The state after everything that costs nothing."""
        state = self
        while (index := next(filter(state._is_free, state.ready()), None)) is not None:
            state = state.after(index)
        return state

    def order(self) -> tuple[int, ...]:
        """The instructions in the order in which they were finished."""
        indices: list[int] = []
        state: _State | None = self
        while state is not None and state._earlier is not None:
            indices.append(state._last)
            state = state._earlier
        return tuple(reversed(indices))

    def _is_free(self, index: int) -> bool:
        born, dying = self._change(index)
        return born <= dying and self._moment(index, born) <= self.peak

    def _change(self, index: int) -> tuple[int, int]:
        """Bytes that come to life with an instruction, and bytes that nobody needs after it."""
        born = dying = 0
        for buffer in self.problem.touched[index]:
            users, size = self.problem.users[buffer], self.problem.sizes[buffer]
            born += 0 if users & self.done else size
            dying += 0 if users & ~self.done & ~(1 << index) else size
        return born, dying

    def _moment(self, index: int, born: int) -> int:
        """Bytes alive while an instruction runs; its result may take over an operand that dies with it."""
        users, rest = self.problem.users, ~self.done & ~(1 << index)
        taken = (
            self.problem.sizes[result]
            for result, operand in self.problem.takes[index]
            if not users[operand] & rest and not users[result] & self.done
        )
        return self.live + born - max(taken, default=0)


def _buffers(instruction: Instruction, numbers: dict[IRValue, int]) -> tuple[int, ...]:
    """The buffers of an instruction by number; new ones get the next number."""
    return tuple(numbers.setdefault(buffer, len(numbers)) for buffer in touched_buffers(instruction))


def _takes(instruction: Instruction, numbers: dict[IRValue, int]) -> tuple[tuple[int, int], ...]:
    result = instruction["Dest"]
    if not isinstance(result, AllocActivation):
        return ()
    bases = dict.fromkeys(storage(operand.value)[0] for operand in operands_to_take(instruction))
    return tuple((numbers[result], numbers[base]) for base in bases)
