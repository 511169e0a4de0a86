"""From syntax to untyped rules: any rule of the language, with the constants that are known where it stands.

What is wrong with a rule is found here as the language's front end finds it. A rule that this module objects to is not
compiled to C; what becomes of it is the front end's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from inbundle.errors import CompileError
from inbundle.nets.natives import NATIVES
from inbundle.nets.program import (
    FLOAT_NUMBER,
    FUNCTION,
    INT_NUMBER,
    WILDCARD,
    AgentTerm,
    Argument,
    Binary,
    Body,
    Branch,
    Expr,
    FloatLiteral,
    Head,
    IntLiteral,
    PortKind,
    Rule,
    Unary,
    Variable,
    Wire,
)
from inbundle.nets.resolve import negated, number_literal
from inbundle.nets.routes import wires_of
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
    TypedSyntax,
    head_of,
)
from inbundle.nets.types import Natives, Scope

Literal = IntLiteral | FloatLiteral

_NUMBERS = (INT_NUMBER, FLOAT_NUMBER)


class ScriptRules:
    """Reads the rules of one script.

    Attributes:
        constants: of `const` commands so far; the caller adds to them.
        agents: those that rules have been read for.
    """

    def __init__(self, dialect: str, constants: Mapping[str, Literal] | None = None) -> None:
        self.constants: dict[str, Literal] = dict(constants or {})
        self.agents: set[str] = set()
        self.dialect = dialect
        self.natives = Natives(dialect)

    def rule(self, source: Source, syntax: RuleSyntax) -> Rule:
        """Raises CompileError for what is no rule, or is one that cannot be compiled."""
        heads = head_of(source, syntax.left), head_of(source, syntax.right)
        left, right = (self._head(source, head) for head in heads)
        if {left.agent, right.agent} <= {*_NUMBERS, WILDCARD}:
            raise source.error(heads[0].at, "one side of a rule must be an agent")
        if syntax.refusal:
            raise source.error(heads[0].at, syntax.refusal)
        self.agents |= {left.agent, right.agent}
        reader = _RuleReader(source, self, (left, right))
        branches = tuple(reader.branch(guard, body) for guard, body in syntax.choices)
        rule = Rule(left, right, branches)
        _check_linearity(source, heads[0].at, rule)
        return rule

    def _head(self, source: Source, head: HeadSyntax) -> Head:
        kinds = tuple(kind for kind, _ in head.ports)
        if head.agent in self.constants and not head.ports:
            raise source.error(head.at, f"the constant `{head.agent}' cannot be one side of a rule")
        return Head(head.agent, tuple(name for _, name in head.ports), kinds)


class _RuleReader:
    """Reads the branches of one rule."""

    def __init__(self, source: Source, script: ScriptRules, heads: tuple[Head, Head]) -> None:
        self._source = source
        self._script = script
        self._ports = {name for head in heads for name in head.ports}
        self._heads = untyped_scope(*heads)

    def branch(self, guard: ExprSyntax | None, body: BodySyntax) -> Branch:
        condition = None if guard is None else self._expression(guard, self._heads)
        scope = dict(self._heads)
        bindings = []
        for name, value in body.bindings:
            if name.text in scope or name.text in self._ports:
                raise self._source.error(name.at, f"`{name.text}' has been already defined")
            expression = self._expression(value, scope)
            scope[name.text] = self._script.natives.kind_of(expression, scope)
            bindings.append((name.text, expression))
        connections = tuple((self._term(a, scope), self._term(b, scope)) for a, b in body.connections)
        return Branch(condition, Body(connections, tuple(bindings)))

    def _term(self, term: ExprSyntax, scope: Scope) -> Argument:
        if isinstance(term, NameSyntax) and term.text not in scope:
            return Wire(term.text)
        if isinstance(term, FunctionSyntax):
            return AgentTerm(FUNCTION + term.agent)
        if isinstance(term, Application) and not self._is_constant(term):
            if term.head in NATIVES and not term.is_bare and term.head not in self._script.agents:
                raise self._source.error(term.at, f"cannot compile a call of the native function `{term.head}'")
            return AgentTerm(term.head, tuple(self._term(a, scope) for a in term.arguments), term.reuse)
        return self._expression(term, scope)

    def _is_constant(self, term: Application) -> bool:
        return term.is_bare and term.head in self._script.constants

    def _expression(self, syntax: ExprSyntax, scope: Scope) -> Expr:
        if isinstance(syntax, NumberSyntax):
            return number_literal(syntax.text, self._script.dialect)
        if isinstance(syntax, NameSyntax):
            if syntax.text in scope:
                return Variable(syntax.text)
            raise self._source.error(syntax.at, f"`{syntax.text}' is no attribute variable")
        if isinstance(syntax, Operation):
            operands = [self._expression(operand, scope) for operand in syntax.operands]
            if syntax.operator == "-" and len(operands) == 1:
                return negated(operands[0])
            return Unary(syntax.operator, *operands) if len(operands) == 1 else Binary(syntax.operator, *operands)
        if isinstance(syntax, Application) and self._is_constant(syntax):
            return self._script.constants[syntax.head]
        raise self._source.error(syntax.at, _no_value(syntax))


def _no_value(syntax: ExprSyntax) -> str:
    """Why an expression that is none cannot be compiled."""
    if isinstance(syntax, Application) and not syntax.is_bare and syntax.head[0].islower():
        if syntax.head in NATIVES:
            return f"cannot compile a call of the native function `{syntax.head}'"
        return f"there is no native function `{syntax.head}', and an agent is no value"
    what = "an int or float declaration" if isinstance(syntax, TypedSyntax) else "an agent"
    return f"{what} stands where a value is expected"


def untyped_scope(left: Head, right: Head) -> Scope:
    """The attribute variables of an untyped rule's heads."""
    ports = [pair for head in (left, right) for pair in zip(head.ports, head.kinds, strict=True)]
    return {name: kind for name, kind in ports if kind is not PortKind.WIRE}


def _check_linearity(source: Source, at: int, rule: Rule) -> None:
    """A head name without `int` occurs once in each branch, any other name twice."""
    names = rule.left.ports + rule.right.ports
    if len(set(names)) != len(names):
        raise source.error(at, "two ports have one name")
    attributes = untyped_scope(rule.left, rule.right)
    for branch in rule.branches:
        sides = [side for connection in branch.body.connections for side in connection]
        count = Counter(name for side in sides for name in wires_of(side))
        once = [name for name in names if name not in attributes]
        for name in once:
            if count[name] != 1:
                raise _not_linear(source, at, name, "once")
        for name, times in count.items():
            if name not in once and times != 2:
                raise _not_linear(source, at, name, "twice")


def _not_linear(source: Source, at: int, name: str, times: str) -> CompileError:
    return source.error(at, f"`{name}' is referred not {times} in the right-hand side of the rule")
