"""Agent functions in C: the rules of one agent with all its partners, ports in variables instead of cells.

    static inpla_cell *reduce_insert_2(inpla_worker *worker, const char *floor, inpla_cell *into, inpla_int p1,
                                       inpla_cell *right)

reduces the pair of `insert(result, p1)` and `right`, and what comes of it as far as it goes, and returns what `result`
is connected to: a number, an agent or a wire. NULL: the net is lost. `into`, if it is not NULL, is what `result` leads
to: where the function needs a wire for the result it takes that, and returns COMPILED_DONE.

    static int reduce_split_2(inpla_worker *worker, const char *floor, compiled_result *d0, compiled_result *d1,
                              inpla_cell *right)

has two results, which go to ends (compiled_rule.h); it returns 0 when the net is lost.

Where a function cannot go on, as the partner is not there yet, the C stack has no room for a further call, or another
worker waits for work, the agent becomes a cell that is connected to its partner like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from inbundle.nets.agent_functions import AgentFunction, cases_of
from inbundle.nets.c_case import Case
from inbundle.nets.c_function import CHECKED, OF_VALUE, Context, Shape, function_name, returns_value
from inbundle.nets.c_names import plain_name
from inbundle.nets.c_words import C_TYPE, Values
from inbundle.nets.program import FLOAT_NUMBER, INT_NUMBER, PortKind
from inbundle.nets.rule_text import rule_text
from inbundle.nets.script import Script

_IS_PARTNER = {INT_NUMBER: "inpla_is_int(right)", FLOAT_NUMBER: "inpla_is_number(right)"}


class AgentWriter:
    """Writes the function of one agent, and the rules' functions of pairs, which call it.

    Args:
        script: where its rules are.
    """

    def __init__(self, context: Context, function: AgentFunction, script: Script) -> None:
        self.context = context
        self.function = function
        self._lacks: list[str] = []
        self.cases = [
            Case(context, function, script.numbers[index], rule, (own, partner), self._lacks)
            for index, rule, own, partner in cases_of(function, script.program.rules)
        ]
        plans = [plan for case in self.cases for _, plan in case.plans]
        self.calls = {call.function.key for plan in plans for call in (*plan.calls, plan.last) if call}
        nested = [call.function for plan in plans for call in plan.calls]
        nested += [plan.last.function for plan in plans if plan.last and plan.last.function is not function]
        self.shape = Shape(
            loops=any(plan.last and plan.last.function is function for plan in plans),
            is_leaf=not any(callee.rules for callee in nested),
            has_ends=not returns_value(function) or any(plan.holes for plan in plans),
            failure="NULL" if returns_value(function) else "0",
        )

    def declaration(self) -> str:
        return f"{self._signature()};\n"

    def text(self) -> str:
        """The function, with its rules above it as a comment."""
        rules = "\n".join(rule_text(case.facts.rule, {}) for case in self.cases)
        comment = rules.replace("\n", "\n * ").replace("*/", "* /")
        body = "".join(line if line.endswith(":\n") and " " not in line else f"    {line}" for line in self._lines())
        return f"/* {comment} */\n{self._signature()}\n{{\n{body}}}\n"

    def _signature(self) -> str:
        function = self.function
        ends = [f"compiled_result *d{index}" for index in range(len(function.results))]
        ports = [f"{_declared(kind)}p{port}" for port, kind in function.parameters()]
        given = ["inpla_cell *into"] if returns_value(function) else ends
        arguments = ["inpla_worker *worker", "const char *floor", *given, *ports, "inpla_cell *right"]
        kind = "inpla_cell *" if returns_value(function) else "int "
        return f"static {kind}{function_name(function)}({', '.join(arguments)})"

    def _number(self) -> str:
        return self.context.agents.number(self.function.agent, self.function.ports)

    # --- the function ----------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[str]:
        dispatch = list(self._dispatch())
        for line in (*self._start(), *dispatch, *self._suspended()):
            yield f"{line}\n"

    def _start(self) -> Iterator[str]:
        if self.shape.has_ends and returns_value(self.function):
            yield "COMPILED_RESULT(end, into);"
            yield "compiled_result *const d0 = &end;"
        if self.shape.loops:
            yield "uintptr_t rounds = 0;"
        if self._lacks:
            yield f"static const compiled_lack lacks[] = {{{', '.join(self._lacks)}}}, *lack = NULL;"
        if self.shape.is_leaf:
            yield "(void)floor;"
        else:
            yield "if (COMPILED_MUST_STOP(worker, floor, 0))"
            yield "    goto suspended;"
        yield "again:"

    def _dispatch(self) -> Iterator[str]:
        for case in self.cases:
            if case.facts.partner.agent in _IS_PARTNER:
                yield from self._case(_IS_PARTNER[case.facts.partner.agent], case)
        yield "if (!inpla_is_number(right)) {"
        agents = [case for case in self.cases if case.facts.partner.agent not in _IS_PARTNER]
        if agents:
            yield "    const uintptr_t head = inpla_head_of(right);"
        for case in agents:
            ports = len(case.facts.partner.ports)
            head = f"inpla_head({self.context.agents.number(case.facts.partner.agent, ports)}, {ports})"
            yield from (f"    {line}" for line in self._case(f"head == {head}", case))
        yield "    inpla_cell *const reached = inpla_reach(worker, right);"
        yield "    if (reached != right) {"
        yield "        right = reached;"
        yield "        goto again;"
        yield "    }"
        yield "}"

    def _case(self, condition: str, case: Case) -> Iterator[str]:
        yield f"if ({condition}) {{"
        if self.shape.loops:
            yield "    rounds++;"
        yield from (f"    {line}" for line in case.lines(self.shape))
        yield "}"

    def _suspended(self) -> Iterator[str]:
        """The agent becomes a cell."""
        function = self.function
        if not self.shape.is_leaf or self.shape.loops or self._lacks:
            yield "suspended:"
        yield "{"
        yield f"    inpla_cell *const waiting = inpla_new(worker, {self._number()}, {function.ports});"
        opens = [f"open{index}" for index in range(len(function.results))]
        for index, name in enumerate(opens):
            made = f"compiled_open_result(worker, d{index})"
            made = made if self.shape.has_ends else "into != NULL ? into : inpla_wire(worker)"
            yield f"    inpla_cell *const {name} = {made};"
        yield f"    if ({' || '.join(f'{name} == NULL' for name in ('waiting', *opens))})"
        yield f"        {self.shape.fail}"
        for port, name in zip(function.results, opens, strict=True):
            yield f"    inpla_ports(waiting)[{port}].cell = {name};"
        for port, kind in function.parameters():
            text = f"p{port}" if kind is PortKind.WIRE else Values().member(kind, f"p{port}")[1]
            yield f"    inpla_ports(waiting)[{port}].cell = {text};"
        if self.shape.loops:
            yield "    worker->interactions += rounds;"
        yield f"    if ({self._wait()} != INPLA_OK)"
        yield f"        {self.shape.fail}"
        yield f"    return {self._open_value()};"
        yield "}"

    def _wait(self) -> str:
        """The waiting agent meets its partner, or says what it lacks."""
        if not self._lacks:
            return "inpla_connect(worker, waiting, right)"
        count = 0 if self.shape.loops else 1
        return f"compiled_wait(worker, waiting, right, lack, {count})"

    def _open_value(self) -> str:
        if not returns_value(self.function):
            return "1"
        return "compiled_value(d0)" if self.shape.has_ends else "open0 == into ? COMPILED_DONE : open0"

    # --- functions of pairs ----------------------------------------------------------------------------------------

    def pair_functions(self) -> Iterator[tuple[int, str, str]]:
        """Per rule its number, the name of its function of a pair, and the text that defines it."""
        pair = f"pair_{plain_name(self.function.agent)}_{self.function.ports}"
        shared = self._pair_function(pair)
        for case in self.cases:
            own_first = case.facts.own_first
            name = f"rule_{case.facts.number}_{plain_name(case.facts.own.agent)}_{plain_name(case.facts.partner.agent)}"
            sides = "left, right" if own_first else "right, left"
            before = 0 if own_first else len(case.facts.partner.ports)
            yield (
                case.facts.number,
                name,
                f"{shared}static inpla_status {name}(inpla_worker *worker, inpla_cell *left, inpla_cell *right)\n{{\n"
                f"    return {pair}(worker, {sides}, {case.facts.number}, {before});\n}}\n",
            )
            shared = ""

    def _pair_function(self, name: str) -> str:
        body = "".join(f"    {line}\n" for line in self._pair_lines())
        arguments = "inpla_worker *worker, inpla_cell *left, inpla_cell *right, uint32_t rule, uint32_t before"
        return f"static inpla_status {name}({arguments})\n{{\n{body}}}\n\n"

    def _pair_lines(self) -> Iterator[str]:
        function = self.function
        if all(kind is PortKind.WIRE for _, kind in function.parameters()):
            yield "(void)rule, (void)before;"
        arguments = []
        for port, kind in function.parameters():
            yield from self._pair_port(port, kind)
            arguments.append(OF_VALUE[kind].format(f"p{port}"))
        for index, port in enumerate(function.results):
            yield f"inpla_cell *const r{index} = inpla_ports(left)[{port}].cell;"
        yield f"inpla_free(worker, left, {function.ports});"
        yield from self._pair_call(arguments)

    def _pair_port(self, port: int, kind: PortKind) -> Iterator[str]:
        content = f"inpla_ports(left)[{port}].cell"
        if kind is PortKind.WIRE:
            yield f"inpla_cell *const p{port} = {content};"
            return
        take = {PortKind.INT: "compiled_int", PortKind.FLOAT: "compiled_float"}[kind]
        failure = CHECKED[kind][1]
        yield f"inpla_cell *const p{port} = {take}(worker, {content});"
        yield f"if (p{port} == NULL)"
        yield f"    return compiled_fail(worker, left, right, {failure}, rule, before + {port});"

    def _pair_call(self, arguments: list[str]) -> Iterator[str]:
        """The pair itself is counted by the caller."""
        name, results = function_name(self.function), range(len(self.function.results))
        if returns_value(self.function):
            given = ["worker", "compiled_start(worker)", "r0", *arguments, "right"]
            yield f"inpla_cell *const value = {name}({', '.join(given)});"
            yield "worker->interactions--;"
            yield "return compiled_give(worker, r0, value);"
            return
        for index in results:
            yield f"COMPILED_RESULT(d{index}, r{index});"
        given = ["worker", "compiled_start(worker)", *(f"&d{index}" for index in results), *arguments, "right"]
        yield f"if (!{name}({', '.join(given)}))"
        yield "    return compiled_lost(worker);"
        yield "worker->interactions--;"
        for index in results[:-1]:
            yield f"if (compiled_give_result(worker, &d{index}) != INPLA_OK)"
            yield "    return compiled_lost(worker);"
        yield f"return compiled_give_result(worker, &d{results[-1]});" if results else "return compiled_end(worker);"


def _declared(kind: PortKind) -> str:
    return C_TYPE[kind] if C_TYPE[kind].endswith("*") else f"{C_TYPE[kind]} "
