"""Statements of a script, by lark and grammar.lark: text -> syntax.py.

In the float dialect `int` is an ordinary name and `float` a keyword; nothing else differs between the dialects here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from lark import Lark, Token, Transformer_NonRecursive, UnexpectedInput, UnexpectedToken, v_args
from lark.lexer import TerminalDef

from inbundle.nets.program import CONS, NIL, TUPLE, PortKind
from inbundle.nets.source import Source, Statement
from inbundle.nets.syntax import (
    Application,
    Bindings,
    BodySyntax,
    Choices,
    CommandSyntax,
    Connections,
    ConstSyntax,
    ExitSyntax,
    ExprSyntax,
    FunctionSyntax,
    NameSyntax,
    NetSyntax,
    NumberSyntax,
    Operation,
    PrintSyntax,
    RuleSyntax,
    StatementSyntax,
    TypedSyntax,
    UseSyntax,
    parts_of,
)


@cache
def grammar(dialect: str = "int") -> Lark:
    """The grammar of a dialect, with start symbols `statement` and `plain_net`."""
    return Lark(
        files("inbundle.nets").joinpath("grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        start=["statement", "plain_net"],
        maybe_placeholders=True,
        edit_terminals=_for_float_dialect if dialect == "float" else None,
    )


def _for_float_dialect(terminal: TerminalDef) -> None:
    pattern = terminal.pattern
    if terminal.name == "MODIFIER":
        pattern.value = r"float(?![A-Za-z0-9_'.])"
    elif terminal.name == "NAME":
        pattern.value = pattern.value.replace(r"(?!float[ \t\r\n]+[a-z])", "").replace("(?:int|", "(?:float|")


def terminals(*names: str) -> str:
    """A regular expression for any of these terminals of the grammar."""
    return "|".join(grammar().get_terminal(name).pattern.to_regexp() for name in names)


NAME = re.compile(terminals("NAME"))
AGENT = re.compile(terminals("AGENT", "NAME"))
"""What an agent may be called; a name in small letters is an agent where parentheses follow."""


def parse_statement(source: Source, statement: Statement, dialect: str = "int") -> StatementSyntax:
    """What a statement says. Raises CompileError, with its place, for a syntax error."""
    try:
        tree = grammar(dialect).parse(statement.text, start="statement")
    except UnexpectedInput as error:
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        raise source.unexpected(statement.at + (len(statement.text) if ended else error.pos_in_stream or 0)) from None
    return cast(StatementSyntax, _Syntax(statement.at).transform(tree))


_SPELLING = {"!": "not", "&&": "and", "||": "or"}
_KIND = {"int": PortKind.INT, "float": PortKind.FLOAT}
_MOST_JOINED = 10_000
"""Guards with the ones around them: of n that nest there are n * n / 2."""
_LAST_ARGUMENT_FIRST = ("Append", "Merger")


@v_args(inline=True)
class _Syntax(Transformer_NonRecursive[Token, Any]):
    """One method per rule of the grammar."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base
        self._joined = 0
        self._refusal = ""

    def _at(self, token: Token) -> int:
        return self.base + (token.start_pos or 0)

    # --- terms ---------------------------------------------------------------------------------------------------

    def name(self, token: Token) -> NameSyntax:
        return NameSyntax(str(token), self._at(token))

    def number(self, token: Token) -> NumberSyntax:
        return NumberSyntax(str(token), self._at(token))

    def typed(self, modifier: Token, name: Token) -> TypedSyntax:
        return TypedSyntax(_KIND[modifier], str(name), self._at(modifier))

    def function(self, percent: Token, agent: Token) -> FunctionSyntax:
        return FunctionSyntax(str(agent), self._at(percent))

    def constant(self, token: Token) -> Application:
        return Application(str(token), (), self._at(token), is_bare=True)

    def application(self, token: Token, arguments: tuple[ExprSyntax, ...] | None) -> Application:
        return Application(str(token), arguments or (), self._at(token))

    def terms(self, *terms: ExprSyntax) -> tuple[ExprSyntax, ...]:
        return terms

    def tuple_term(self, opening: Token, terms: tuple[ExprSyntax, ...] | None) -> ExprSyntax:
        terms = terms or ()
        return terms[0] if len(terms) == 1 else Application(TUPLE, terms, self._at(opening))

    def list_term(self, opening: Token, terms: tuple[ExprSyntax, ...] | None) -> Application:
        result = Application(NIL, (), self._at(opening))
        for term in reversed(terms or ()):
            result = Application(CONS, (term, result), term.at)
        return result

    def cons(self, head: ExprSyntax, tail: ExprSyntax) -> Application:
        return Application(CONS, (head, tail), head.at)

    def reuse(self, mark: Token) -> str:
        return str(mark)[1:]

    def marked(self, reuse: str, term: ExprSyntax) -> ExprSyntax:
        """A mark says something to agents only; before a number it says nothing."""
        return replace(term, reuse=reuse) if isinstance(term, Application) else term

    def unary(self, operator: Token, operand: ExprSyntax) -> Operation:
        return Operation(_SPELLING.get(operator, str(operator)), (operand,), self._at(operator))

    def binary(self, left: ExprSyntax, operator: Token, right: ExprSyntax) -> Operation:
        return Operation(_SPELLING.get(operator, str(operator)), (left, right), self._at(operator))

    # --- connections ---------------------------------------------------------------------------------------------

    def connection(self, left: ExprSyntax, right: ExprSyntax) -> tuple[ExprSyntax, ExprSyntax]:
        return left, right

    def abbreviation(
        self,
        results: tuple[ExprSyntax, ...] | None,
        reuse: str | None,
        agent: Token,
        arguments: tuple[ExprSyntax, ...],
    ) -> tuple[ExprSyntax, ExprSyntax]:
        """`a << F(b, c)` is `F(a, b) ~ c`. The last argument of all is the partner, but for two built-in agents."""
        partner, others = arguments[-1], arguments[:-1]
        if agent in _LAST_ARGUMENT_FIRST and len(arguments) == 2:
            partner, others = self._natural_order(agent, arguments)
        return Application(str(agent), (*(results or ()), *others), self._at(agent), reuse=reuse or ""), partner

    def _natural_order(
        self, agent: Token, arguments: tuple[ExprSyntax, ...]
    ) -> tuple[ExprSyntax, tuple[ExprSyntax, ...]]:
        if agent == "Merger":
            return Application(TUPLE, arguments, self._at(agent)), ()
        return arguments[0], arguments[1:]

    def binding(self, name: Token, value: ExprSyntax) -> tuple[NameSyntax, ExprSyntax]:
        return self.name(name), value

    def connections(self, *connections: tuple[ExprSyntax, ExprSyntax]) -> Connections:
        return connections

    def bindings(self, *bindings: tuple[NameSyntax, ExprSyntax]) -> Bindings:
        return bindings

    def block(self, *bindings: tuple[NameSyntax, ExprSyntax] | None) -> Bindings:
        return tuple(binding for binding in bindings if binding is not None)

    def body(self, connections: Connections, bindings: Bindings | None) -> BodySyntax:
        return BodySyntax(connections, bindings or ())

    def bound_body(self, bindings: Bindings | None, connections: Connections) -> BodySyntax:
        return BodySyntax(connections, bindings or ())

    # --- rules ---------------------------------------------------------------------------------------------------

    def guarded(self, guard: ExprSyntax, branch: BodySyntax | Choices | None) -> Choices:
        choices = _choices(branch)
        self._joined += len(choices) - 1
        if self._joined > _MOST_JOINED:
            self._refusal = "cannot compile guards that are nested this deeply"
            return choices[:1]
        if len(choices) > 1 and _draws(guard):
            self._refusal = "cannot compile a guard with `rand` around other guards"
        return [(_both(guard, inner), body) for inner, body in choices]

    def guards(self, *branches: Choices | BodySyntax) -> Choices:
        return [choice for branch in branches for choice in _choices(branch)]

    def choice(
        self, condition: ExprSyntax, then: BodySyntax | Choices | None, otherwise: BodySyntax | Choices | None
    ) -> Choices:
        return [*self.guarded(condition, then), *_choices(otherwise)]

    def rule(self, left: ExprSyntax, right: ExprSyntax, outcome: BodySyntax | Choices | None) -> RuleSyntax:
        return RuleSyntax(left, right, _choices(outcome), self._refusal)

    # --- other statements ----------------------------------------------------------------------------------------

    def net(self, body: BodySyntax) -> NetSyntax:
        return NetSyntax(body)

    def print_names(self, *names: Token) -> PrintSyntax:
        return PrintSyntax(tuple(self.name(name) for name in names))

    def define(self, _const: Token, agent: Token, minus: Token | None, number: Token) -> ConstSyntax:
        return ConstSyntax(str(agent), f"{minus or ''}{number}")

    def use(self, _use: Token, text: Token) -> UseSyntax:
        return UseSyntax(re.sub(r"\\(.)", _escaped, str(text)[1:-1]))

    def exit(self, _exit: Token) -> ExitSyntax:
        return ExitSyntax()

    def command(self, *_words: Token | None) -> CommandSyntax:
        return CommandSyntax()


def _choices(branch: BodySyntax | Choices | None) -> Choices:
    return branch if isinstance(branch, list) else [(None, branch or BodySyntax())]


def _both(outer: ExprSyntax, inner: ExprSyntax | None) -> ExprSyntax:
    return outer if inner is None else Operation("and", (outer, inner), outer.at)


def _draws(expression: ExprSyntax) -> bool:
    """Whether its value is another one each time."""
    is_rand = isinstance(expression, Operation) and expression.operator == "rand"
    return is_rand or any(map(_draws, parts_of(expression)))


def _escaped(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(match[1], match[1])
