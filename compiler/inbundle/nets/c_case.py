"""One rule as a case of an agent function in C (c_agent.py): the ports of its partner, its guards."""

from __future__ import annotations

from collections.abc import Iterator

from inbundle.nets.agent_functions import AgentFunction
from inbundle.nets.c_branch import BranchWriter
from inbundle.nets.c_function import CHECKED, OF_PARTNER, OF_VALUE, CaseFacts, Context, Shape
from inbundle.nets.c_names import Names
from inbundle.nets.c_rule import NO_CELL, alternatives, with_distinct_terms
from inbundle.nets.c_words import constant
from inbundle.nets.call_plan import CallPlan, Planner
from inbundle.nets.program import Body, Branch, Head, PortKind, Rule
from inbundle.nets.script_rules import untyped_scope


class Case:
    """Writes a rule of an agent function.

    Attributes:
        facts: what is known of it.
        plans: its branches' bodies and what becomes of them.

    Args:
        sides: the agent's head and its partner's.
        lacks: what may be wrong with ports (compiled_lack) in all cases of the function; writing a case adds to it.
    """

    def __init__(
        self,
        context: Context,
        function: AgentFunction,
        number: int,
        rule: Rule,
        sides: tuple[Head, Head],
        lacks: list[str],
    ) -> None:
        own, partner = sides
        self._lacks = lacks
        self._scope = untyped_scope(own, partner)
        self._parameters = {own.ports[i]: f"p{i}" for i, kind in function.parameters() if own.kinds[i] is kind}
        self.facts = CaseFacts(context, function, number, rule, own, partner, Names("v_", self._parameters))
        ports = frozenset(own.ports + partner.ports)
        self._planner = Planner(function, context.callable, ports, self.facts.results)
        self.plans = [self._plan(branch) for branch in rule.branches]

    def _plan(self, branch: Branch) -> tuple[Body, CallPlan]:
        body = with_distinct_terms(branch.body)
        scope = self.facts.context.natives.scope_of(branch, self._scope)
        natives = self.facts.context.natives
        return body, self._planner.plan(body.connections, lambda expression: natives.kind_of(expression, scope))

    # --- guards ----------------------------------------------------------------------------------------------------

    def lines(self, shape: Shape) -> Iterator[str]:
        """The statements of the case; each branch leaves the function or jumps to `again`."""
        branches = [
            list(BranchWriter(self.facts, self._scope, shape, branch, *plan).lines())
            for branch, plan in zip(self.facts.rule.branches, self.plans, strict=True)
        ]
        conditions = self.facts.expressions(self._scope)
        guards = [conditions.condition(branch.guard) for branch in self.facts.rule.branches if branch.guard is not None]
        yield from alternatives(guards, branches, self._ports, lambda: self.facts.check(shape))

    # --- ports -----------------------------------------------------------------------------------------------------

    def _ports(self, used: set[str]) -> Iterator[str]:
        """Locals for what the case uses and is no parameter as it is. Numbers are looked at, used or not."""
        own, partner = self.facts.own, self.facts.partner
        before = 0 if self.facts.own_first else len(partner.ports)
        known = {*self._parameters, *self.facts.results}
        for index, name in enumerate(own.ports):
            if name not in known:
                yield from self._read(name, f"p{index}", before + index, used)
        before = len(own.ports) if self.facts.own_first else 0
        for index, name in enumerate(partner.ports):
            content = "right" if partner.agent in NO_CELL else f"inpla_ports(right)[{index}].cell"
            yield from self._read(name, content, before + index, used)

    def _read(self, name: str, content: str, place: int, used: set[str]) -> Iterator[str]:
        variable, kind = self.facts.names[name], self._scope.get(name, PortKind.WIRE)
        is_used = variable in used
        if self.facts.partner.agent in OF_PARTNER and content == "right":
            content = OF_PARTNER[self.facts.partner.agent]
        elif kind is not PortKind.WIRE:
            yield from self._check_number(content, place, kind)
            content = OF_VALUE[kind].format(content)
        if is_used:
            yield f"{constant(kind)} {variable} = {content};"

    def _check_number(self, content: str, place: int, kind: PortKind) -> Iterator[str]:
        """The port holds a number then, or the agent waits. The address of a parameter is not taken: it would have to
        be in memory for that."""
        is_number, failure = CHECKED[kind]
        yield f"if (inpla_unlikely(!{is_number}({content}))) {{"
        yield f"    inpla_cell *port = {content};"
        yield "    compiled_follow(worker, &port);"
        yield f"    {content} = port;"
        yield f"    if (!{is_number}(port)) {{"
        yield f"        lack = &lacks[{len(self._lacks)}];"
        yield "        goto suspended;"
        yield "    }"
        yield "}"
        self._lacks.append(f"{{{failure}, {self.facts.number}, {place}}}")
