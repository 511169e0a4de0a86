"""The cells of a rule's body in C: which are new, which are those of the pair made another, what is in their ports.

Cells are built in one or more steps: all steps are added, then each is taken and filled. A cell that the rule owns and
does not need is given back before new ones are taken. What a port of a cell that is built in holds already is not
written once more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inbundle.nets.c_expression import ExpressionWriter
from inbundle.nets.c_names import AgentNames, plain_name
from inbundle.nets.c_words import C_TYPE
from inbundle.nets.program import FUNCTION, Agent, AgentTerm, Argument, Expr, PortKind, Variable, Wire


@dataclass
class Spare:
    """A cell that the body may build in: one of the pair.

    Attributes:
        variable: its C name.
        agent: what it is, and how many ports it has.
        held: per port, the name in the rule of what the port holds.
        mark: the reuse mark that asks for it.
    """

    variable: str
    agent: str
    ports: int
    held: tuple[str, ...] = ()
    mark: str = ""


@dataclass
class CellWriter:
    """Writes the cells of one branch, in one or more steps.

    Args:
        values: writes the expressions in ports.
        signatures: of the agents of a typed Program, None for an untyped one.
        far_end: what an argument leads to.
        failure: the statement that leaves the function when the heap is exhausted.
        results: wires that are values of calls.

    Attributes:
        hoisted: declarations of numbers whose computation may fail; they belong in front of everything else.
    """

    agents: AgentNames
    values: ExpressionWriter
    signatures: Mapping[str, Agent] | None
    spares: list[Spare]
    far_end: Callable[[Argument], Argument]
    failure: str = "return INPLA_ERROR_HEAP;"
    results: Collection[str] = ()
    hoisted: list[str] = field(default_factory=list)
    _variables: dict[int, str] = field(default_factory=dict)  # id of a term -> C name of its cell
    _built_in: dict[int, Spare] = field(default_factory=dict)
    _terms: list[AgentTerm] = field(default_factory=list)

    def add(self, *terms: Argument) -> list[AgentTerm]:
        """Names the cells of terms and of what they lead to: one step of building. Those named before are left out."""
        step: list[AgentTerm] = []
        waiting = list(terms)
        while waiting:
            term = self.far_end(waiting.pop(0))
            if isinstance(term, AgentTerm) and id(term) not in self._variables:
                self._variables[id(term)] = self._new_name(term)
                step.append(term)
                waiting = [*term.arguments, *waiting]
        self._terms += step
        return step

    def _new_name(self, term: AgentTerm) -> str:
        plain = "new_" + plain_name(term.agent)
        taken = set(self._variables.values())
        candidates = (plain, *(f"{plain}_{i}" for i in range(2, len(taken) + 3)))
        return next(name for name in candidates if name not in taken)

    def variable(self, term: AgentTerm) -> str:
        """The C name of a term's cell."""
        return self._variables[id(term)]

    def is_built_in(self, term: AgentTerm, variable: str) -> bool:
        """Whether the term's cell is one of the pair, by its C name."""
        spare = self._built_in.get(id(term))
        return spare is not None and spare.variable == variable

    def value(self, argument: AgentTerm | Expr) -> str:
        """A term or, in an untyped Program, a number, as one side of a connection."""
        if isinstance(argument, AgentTerm):
            return self.variable(argument)
        return self._number(argument, self.values.kind_of(argument))[1]

    def take(self, step: Sequence[AgentTerm], wires: Sequence[str] = ()) -> Iterator[str]:
        """Takes the cells of a step, and wires with these C names."""
        new = []
        for term in step:
            spare = self._built_in.get(id(term))
            if spare is None:
                new.append((self.variable(term), f"inpla_new(worker, {self._header(term)})"))
            elif _is_same_agent(spare, term):
                yield f"inpla_cell *const {self.variable(term)} = {spare.variable};"
            else:
                header = f"{spare.variable}, {self._header(term)}"
                yield f"inpla_cell *const {self.variable(term)} = inpla_reuse({header});"
        new += [(wire, "inpla_wire(worker)") for wire in wires]
        for name, taken in new:
            yield f"inpla_cell *const {name} = {taken};"
        if new:
            yield f"if ({' || '.join(f'{name} == NULL' for name, _ in new)})"
            yield f"    {self.failure}"

    def give_back(self) -> Iterator[str]:
        """Decides which cell is built where, once all steps are known, and gives back the pair's cells that are not
        needed, so that they can be taken again."""
        for fits in (_is_same_agent, _is_asked_for, _is_same_size):
            for term in self._terms:
                self._reuse(term, fits)
        for spare in self.spares:
            yield f"inpla_free(worker, {spare.variable}, {spare.ports});"

    def _reuse(self, term: AgentTerm, fits: Callable[[Spare, AgentTerm], bool]) -> None:
        if id(term) in self._built_in:
            return
        for spare in self.spares:
            if _is_same_size(spare, term) and fits(spare, term):
                self._built_in[id(term)] = spare
                self.spares.remove(spare)
                return

    def fill(self, step: Sequence[AgentTerm], end: Callable[[Argument], str]) -> Iterator[str]:
        """Fills the ports of a step. `end` is the C text of what an argument leads to, empty to leave it open."""
        for term in step:
            yield from self._fill(term, end)

    # --- which cell for which agent --------------------------------------------------------------------------------

    def _header(self, term: AgentTerm) -> str:
        if term.agent.startswith(FUNCTION):
            return "AGENT_PERCENT, 1"
        return f"{self.agents.number(term.agent, len(term.arguments))}, {len(term.arguments)}"

    # --- ports -----------------------------------------------------------------------------------------------------

    def _fill(self, term: AgentTerm, end: Callable[[Argument], str]) -> Iterator[str]:
        cell = self.variable(term)
        if term.agent.startswith(FUNCTION):
            yield f"inpla_ports({cell})[0].cell = compiled_function(worker, {self.agents.number(term.agent[1:], 0)});"
        spare = self._built_in.get(id(term))
        held = spare.held if spare else ()
        for index, argument in enumerate(term.arguments):
            if not (index < len(held) and self._is_held(argument, held[index], term, index)):
                yield from self._store(cell, index, term, argument, end)

    def _is_held(self, argument: Argument, name: str, term: AgentTerm, index: int) -> bool:
        """Whether the port called `name`, whatever agent it was of, holds what is to be in a term's port. An untyped
        one that is declared as a float may hold an int."""
        if isinstance(argument, Variable):
            kind = PortKind.INT if self.signatures is None else self.signatures[term.agent].ports[index]
            return argument.name == name and self.values.kind_of(argument) is kind
        return isinstance(argument, Wire) and argument.name == name

    def _store(
        self, cell: str, index: int, term: AgentTerm, argument: Argument, end: Callable[[Argument], str]
    ) -> Iterator[str]:
        port = f"inpla_ports({cell})[{index}]"
        if isinstance(argument, (Wire, AgentTerm)):
            if text := end(argument):
                yield from self._store_end(port, argument, text)
            return
        kind = self.values.kind_of(argument) if self.signatures is None else self.signatures[term.agent].ports[index]
        assert kind is not PortKind.WIRE
        member, text = self._number(argument, kind)
        yield f"{port}.{member} = {text};"

    def _store_end(self, port: str, argument: Argument, text: str) -> Iterator[str]:
        """What a wire leads to may be a number, which stays behind a wire."""
        if not self.may_be_number(argument):
            yield f"{port}.cell = {text};"
            return
        yield f"{port}.cell = compiled_behind_wire(worker, {text});"
        yield f"if ({port}.cell == NULL)"
        yield f"    {self.failure}"

    def may_be_number(self, argument: Argument) -> bool:
        """Whether it is a name that leads to the value of an expression or of a call."""
        reached = self.far_end(argument)
        if not isinstance(argument, Wire) or isinstance(reached, AgentTerm):
            return False
        return not isinstance(reached, Wire) or reached.name in self.results

    def number(self, expression: Expr, kind: PortKind) -> str:
        """A number as a C expression."""
        text = self.values.value(expression, kind)
        if "&failed" not in text:
            return text
        self.hoisted.append(f"const {C_TYPE[kind]} number_{len(self.hoisted)} = {text};")
        return f"number_{len(self.hoisted) - 1}"

    def _number(self, expression: Expr, kind: PortKind) -> tuple[str, str]:
        return self.values.words.member(kind, self.number(expression, kind))


def _port_count(term: AgentTerm) -> int:
    return 1 if term.agent.startswith(FUNCTION) else len(term.arguments)


def _size_class(ports: int) -> int:
    """INPLA_CLASS of inpla_cell.h."""
    return max(0, ports - 2)


def _is_same_size(spare: Spare, term: AgentTerm) -> bool:
    return _size_class(spare.ports) == _size_class(_port_count(term))


def _is_same_agent(spare: Spare, term: AgentTerm) -> bool:
    return (spare.agent, spare.ports) == (term.agent, _port_count(term))


def _is_asked_for(spare: Spare, term: AgentTerm) -> bool:
    return bool(spare.mark) and spare.mark == term.reuse
