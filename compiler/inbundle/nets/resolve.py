"""From syntax to the rules of a typed Program: what is an agent, a native function, a wire, an attribute variable.

Rule heads declare agents and the kinds of their ports. An agent that heads no rule is declared by its first occurrence:
ports that hold an expression are attributes.
"""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.errors import CompileError
from inbundle.nets.literals import is_float_text, read_float
from inbundle.nets.program import (
    BUILTIN_AGENTS,
    CONS,
    FLOAT_NUMBER,
    INT_NUMBER,
    NIL,
    TUPLE,
    WILDCARD,
    Agent,
    AgentTerm,
    Binary,
    Body,
    Branch,
    Call,
    Expr,
    FloatLiteral,
    Head,
    IntLiteral,
    PortKind,
    Rule,
    Term,
    Unary,
    Variable,
    Wire,
)
from inbundle.nets.source import Source
from inbundle.nets.syntax import (
    Application,
    BodySyntax,
    ExprSyntax,
    FunctionSyntax,
    HeadSyntax,
    NameSyntax,
    NumberSyntax,
    Operation,
    RuleSyntax,
    head_of,
)
from inbundle.nets.types import Natives, Scope, head_scope

_MOST_DIGITS = len(str(2**62))


def number_literal(text: str, dialect: str) -> IntLiteral | FloatLiteral:
    """What a number without a sign means: in the float dialect every number is a float.

    Raises:
        CompileError: an int of more digits than any has.
    """
    if dialect == "float" or is_float_text(text):
        return FloatLiteral(read_float(text))
    digits = text.lstrip("0")
    if len(digits) > _MOST_DIGITS:
        raise CompileError(f"the number {digits[:_MOST_DIGITS]}... is above 2^62 - 1")
    return IntLiteral(int(digits or "0"))


def dialect_of(agents: Sequence[Agent]) -> str:
    """`float` for agents with float ports and no int port: the float dialect knows no ints. Else `int`."""
    kinds = {kind for agent in agents for kind in agent.ports}
    return "float" if PortKind.FLOAT in kinds and PortKind.INT not in kinds else "int"


def negated(operand: Expr) -> Expr:
    """`-` and a literal is a literal."""
    if isinstance(operand, IntLiteral):
        return IntLiteral(-operand.value)
    return FloatLiteral(-operand.value) if isinstance(operand, FloatLiteral) else Unary("-", operand)


_NOT_TYPED = {
    CONS: "lists",
    NIL: "lists",
    TUPLE: "tuples",
    INT_NUMBER: "a number that is no port of an agent",
    FLOAT_NUMBER: "a number that is no port of an agent",
    WILDCARD: "wildcards",
}
"""What an agent without a signature is, for messages."""


class Resolver:
    """Resolves all rules of a script.

    Attributes:
        agents: the agents declared so far, built-in ones first.
        dialect: of the script, once the heads are known.
    """

    def __init__(self, source: Source, rules: Sequence[RuleSyntax]) -> None:
        self.source = source
        self.agents = {agent.name: agent for agent in BUILTIN_AGENTS}
        self._syntax = rules
        self._heads = [(head_of(source, rule.left), head_of(source, rule.right)) for rule in rules]
        for pair in self._heads:
            for head in pair:
                self._declare_head(head)
        self.dialect = dialect_of(list(self.agents.values()))
        self._natives = Natives(self.dialect)
        self._sides = {
            side.head
            for rule in rules
            for _, body in rule.choices
            for connection in body.connections
            for side in connection
            if isinstance(side, Application)
        }

    def rules(self) -> list[Rule]:
        return [self._rule(rule, *heads) for rule, heads in zip(self._syntax, self._heads, strict=True)]

    def _declare_head(self, head: HeadSyntax) -> None:
        if head.agent in _NOT_TYPED:
            raise self.source.not_typed(head.at, _NOT_TYPED[head.agent])
        agent = Agent(head.agent, tuple(kind for kind, _ in head.ports))
        if self.agents.setdefault(head.agent, agent) != agent:
            raise self.source.error(head.at, f"`{head.agent}' has other ports here than before")

    def _rule(self, rule: RuleSyntax, *heads: HeadSyntax) -> Rule:
        left, right = (Head(head.agent, tuple(name for _, name in head.ports)) for head in heads)
        scope = head_scope(Rule(left, right, ()), self.agents)
        branches = tuple(self._branch(guard, body, scope) for guard, body in rule.choices)
        return Rule(left, right, branches)

    def _branch(self, guard: ExprSyntax | None, body: BodySyntax, heads: Scope) -> Branch:
        condition = None if guard is None else self._expression(guard, heads)
        scope = dict(heads)
        bindings = []
        for name, value in body.bindings:
            expression = self._expression(value, scope)
            scope[name.text] = self._natives.kind_of(expression, scope)
            bindings.append((name.text, expression))
        connections = tuple((self._term(a, scope), self._term(b, scope)) for a, b in body.connections)
        return Branch(condition, Body(connections, tuple(bindings)))

    def _term(self, term: ExprSyntax, scope: Scope) -> Term:
        if isinstance(term, NameSyntax) and term.text not in scope:
            return Wire(term.text)
        if isinstance(term, Application):
            return self._agent(term, scope)
        if isinstance(term, FunctionSyntax):
            raise self.source.not_typed(term.at, "function values (`%f`)")
        raise self.source.not_typed(term.at, _NOT_TYPED[INT_NUMBER])

    def _agent(self, term: Application, scope: Scope) -> AgentTerm:
        if term.head in _NOT_TYPED:
            raise self.source.not_typed(term.at, _NOT_TYPED[term.head])
        if term.reuse:
            raise self.source.not_typed(term.at, "reuse marks")
        if term.head not in self.agents:
            kinds = tuple(self._kind(argument, scope) for argument in term.arguments)
            self.agents[term.head] = Agent(term.head, kinds)
        ports = self.agents[term.head].ports
        if len(ports) != len(term.arguments):
            raise self.source.error(term.at, f"`{term.head}' has {len(ports)} ports, not {len(term.arguments)}")
        arguments = [
            self._term(argument, scope) if kind is PortKind.WIRE else self._expression(argument, scope)
            for kind, argument in zip(ports, term.arguments, strict=True)
        ]
        return AgentTerm(term.head, tuple(arguments))

    def _kind(self, argument: ExprSyntax, scope: Scope) -> PortKind:
        """The kind of a port whose agent is not declared, from what stands in it."""
        if isinstance(argument, NameSyntax):
            return scope.get(argument.text, PortKind.WIRE)
        if isinstance(argument, FunctionSyntax):
            return PortKind.WIRE
        if isinstance(argument, Application) and not self._is_native(argument.head):
            return PortKind.WIRE
        return self._natives.kind_of(self._expression(argument, scope), scope)

    def _is_native(self, name: str) -> bool:
        return name[0].islower() and name not in self.agents and name not in self._sides

    def _expression(self, syntax: ExprSyntax, scope: Scope) -> Expr:
        if isinstance(syntax, NumberSyntax):
            return number_literal(syntax.text, self.dialect)
        if isinstance(syntax, NameSyntax):
            if syntax.text not in scope:
                raise self._no_attribute(syntax)
            return Variable(syntax.text)
        if isinstance(syntax, Operation):
            if syntax.operator == "rand":
                raise self.source.not_typed(syntax.at, "`rand`")
            operands = [self._expression(operand, scope) for operand in syntax.operands]
            if syntax.operator == "-" and len(operands) == 1:
                return negated(operands[0])
            return Unary(syntax.operator, *operands) if len(operands) == 1 else Binary(syntax.operator, *operands)
        if not isinstance(syntax, Application) or not self._is_native(syntax.head):
            what = f"the agent `{syntax.head}'" if isinstance(syntax, Application) else "this"
            raise self.source.error(syntax.at, f"{what} stands where a value is expected")
        return Call(syntax.head, tuple(self._expression(argument, scope) for argument in syntax.arguments))

    def _no_attribute(self, name: NameSyntax) -> CompileError:
        return self.source.error(name.at, f"`{name.text}' is no attribute variable", "declare it in a rule head")
