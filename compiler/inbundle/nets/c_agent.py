"""Agent functions in C: the rules of one agent with all its partners, ports in variables instead of cells.

    static inpla_cell *reduce_insert_2(inpla_worker *worker, unsigned depth, inpla_cell *into, inpla_int p1,
                                       inpla_cell *right)

reduces the pair of `insert(result, p1)` and `right`, and what comes of it as far as it goes, and returns what `result`
is connected to: a number, an agent or a wire. NULL: the net is lost. `into`, if it is not NULL, is what `result` leads
to: where the function needs a wire for the result it takes that, and returns COMPILED_DONE.

Where it cannot go on, as the partner is not there yet, the calls are `depth` deep, or another worker waits for work,
the agent becomes a cell that is connected to its partner like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from inbundle.nets.agent_functions import AgentFunction, cases_of
from inbundle.nets.c_case import CHECKED, OF_VALUE, Case, Context, Shape, function_name
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
        self.cases = [
            Case(context, function, script.numbers[index], rule, (own, partner))
            for index, rule, own, partner in cases_of(function, script.program.rules)
        ]
        plans = [plan for case in self.cases for _, plan in case.plans]
        self.shape = Shape(
            loops=any(plan.last and plan.last.function is function for plan in plans),
            has_holes=any(plan.hole for plan in plans),
        )
        calls = [call.function for plan in plans for call in (*plan.calls, plan.last) if call]
        self.calls = {(callee.agent, callee.ports) for callee in calls}
        self._is_leaf = not any(callee.rules and callee is not function for callee in calls) and not any(
            call.function is function for plan in plans for call in plan.calls
        )

    def declaration(self) -> str:
        return f"{self._signature()};\n"

    def text(self) -> str:
        """The function, with its rules above it as a comment."""
        rules = "\n".join(rule_text(case.rule, {}) for case in self.cases)
        comment = rules.replace("\n", "\n * ").replace("*/", "* /")
        body = "".join(f"    {line}\n" for line in self._lines())
        body = body.replace("    again:\n", "again:\n").replace("    suspended:\n", "suspended:\n")
        return f"/* {comment} */\n{self._signature()}\n{{\n{body}}}\n"

    def _signature(self) -> str:
        into = ["inpla_cell *into"] if self.function.has_result else []
        ports = [f"{_declared(kind)}p{index}" for index, kind in self._parameters()]
        arguments = ["inpla_worker *worker", "unsigned depth", *into, *ports, "inpla_cell *right"]
        return f"static inpla_cell *{function_name(self.function)}({', '.join(arguments)})"

    def _parameters(self) -> Iterator[tuple[int, PortKind]]:
        """The ports that the C function is given."""
        first = 1 if self.function.has_result else 0
        yield from enumerate(self.function.parameters(), first)

    def _number(self) -> str:
        return self.context.agents.number(self.function.agent, self.function.ports)

    # --- the function ----------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[str]:
        if self.shape.has_holes:
            yield "inpla_cell *result = NULL, **hole = &result;"
        if self.shape.loops:
            yield "uintptr_t rounds = 0;"
        if self._is_leaf:
            yield "(void)depth;"
        else:
            yield "if (inpla_unlikely(depth == 0))"
            yield "    goto suspended;"
        yield "again:"
        numbers = [case for case in self.cases if case.partner.agent in _IS_PARTNER]
        for case in numbers:
            yield from self._case(_IS_PARTNER[case.partner.agent], case)
        yield "if (!inpla_is_number(right)) {"
        for case in self.cases:
            if case.partner.agent not in _IS_PARTNER:
                ports = len(case.partner.ports)
                head = f"inpla_head({self.context.agents.number(case.partner.agent, ports)}, {ports})"
                yield from (f"    {line}" for line in self._case(f"right->head == {head}", case))
        yield "    inpla_cell *const reached = compiled_reach(worker, right);"
        yield "    if (reached != right) {"
        yield "        right = reached;"
        yield "        goto again;"
        yield "    }"
        yield "}"
        yield from self._suspended()

    def _case(self, condition: str, case: Case) -> Iterator[str]:
        yield f"if ({condition}) {{"
        if self.shape.loops:
            yield "    rounds++;"
        yield from (f"    {line}" for line in case.lines(self.shape))
        yield "}"

    def _suspended(self) -> Iterator[str]:
        """The agent becomes a cell."""
        function = self.function
        if not self._is_leaf or self.shape.loops:
            yield "suspended:"
        yield "{"
        yield f"    inpla_cell *const waiting = inpla_new(worker, {self._number()}, {function.ports});"
        if function.has_result:
            into = "hole == &result && into != NULL" if self.shape.has_holes else "into != NULL"
            yield f"    inpla_cell *const open = {into} ? into : inpla_wire(worker);"
        yield f"    if (waiting == NULL{' || open == NULL' if function.has_result else ''})"
        yield "        return NULL;"
        if function.has_result:
            yield "    inpla_ports(waiting)[0].cell = open;"
        for index, kind in self._parameters():
            text = f"p{index}" if kind is PortKind.WIRE else Values().member(kind, f"p{index}")[1]
            yield f"    inpla_ports(waiting)[{index}].cell = {text};"
        if self.shape.has_holes:
            yield "    *hole = open;"
        if self.shape.loops:
            yield "    worker->interactions += rounds;"
        yield "    if (inpla_connect(worker, waiting, right) != INPLA_OK)"
        yield "        return NULL;"
        if function.has_result:
            yield f"    return open == into ? COMPILED_DONE : {'result' if self.shape.has_holes else 'open'};"
        else:
            yield "    return COMPILED_DONE;"
        yield "}"

    # --- functions of pairs ----------------------------------------------------------------------------------------

    def pair_functions(self) -> Iterator[tuple[int, str, str]]:
        """Per rule its number, the name of its function of a pair, and the text that defines it."""
        pair = f"pair_{plain_name(self.function.agent)}_{self.function.ports}"
        shared = self._pair_function(pair)
        for case in self.cases:
            own_first = case.own is case.rule.left or case.partner.agent in _IS_PARTNER
            name = f"rule_{case.number}_{plain_name(case.own.agent)}_{plain_name(case.partner.agent)}"
            sides = "left, right" if own_first else "right, left"
            before = 0 if own_first else len(case.partner.ports)
            yield (
                case.number,
                name,
                f"{shared}static inpla_status {name}(inpla_worker *worker, inpla_cell *left, inpla_cell *right)\n{{\n"
                f"    return {pair}(worker, {sides}, {case.number}, {before});\n}}\n",
            )
            shared = ""

    def _pair_function(self, name: str) -> str:
        lines = list(self._pair_lines())
        body = "".join(f"    {line}\n" for line in lines)
        arguments = "inpla_worker *worker, inpla_cell *left, inpla_cell *right, uint32_t rule, uint32_t before"
        return f"static inpla_status {name}({arguments})\n{{\n{body}}}\n\n"

    def _pair_lines(self) -> Iterator[str]:
        function = self.function
        if all(kind is PortKind.WIRE for kind in function.parameters()):
            yield "(void)rule, (void)before;"
        if function.has_result:
            yield "inpla_cell *const into = inpla_ports(left)[0].cell;"
        arguments = []
        for index, kind in self._parameters():
            content = f"inpla_ports(left)[{index}].cell"
            if kind is not PortKind.WIRE:
                checked, failure = CHECKED[kind]
                content = f"{checked}(worker, {content})"
            yield f"inpla_cell *const p{index} = {content};"
            if kind is not PortKind.WIRE:
                yield f"if (p{index} == NULL)"
                yield f"    return compiled_fail(worker, left, right, {failure}, rule, before + {index});"
            arguments.append(OF_VALUE[kind].format(f"p{index}"))
        yield f"inpla_free(worker, left, {function.ports});"
        into = ["into"] if function.has_result else []
        call = (
            f"{function_name(function)}({', '.join(['worker', 'compiled_depth(worker)', *into, *arguments, 'right'])})"
        )
        yield f"inpla_cell *const value = {call};"
        yield "worker->interactions--; /* the pair itself is counted by the caller */"
        yield f"return compiled_give(worker, {'into' if function.has_result else 'NULL'}, value);"


def _declared(kind: PortKind) -> str:
    return C_TYPE[kind] if C_TYPE[kind].endswith("*") else f"{C_TYPE[kind]} "
