"""Rules of the whole language: what is read, what is refused, and that printing and reading are inverse."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rules import RuleMaker

from inbundle.errors import CompileError
from inbundle.nets.grammar import parse_statement
from inbundle.nets.program import (
    CONS,
    INT_NUMBER,
    NIL,
    TUPLE,
    WILDCARD,
    AgentTerm,
    Binary,
    FloatLiteral,
    Head,
    IntLiteral,
    PortKind,
    Rule,
    Variable,
    Wire,
)
from inbundle.nets.rule_text import rule_text
from inbundle.nets.script_rules import ScriptRules
from inbundle.nets.source import Source
from inbundle.nets.syntax import NetSyntax, RuleSyntax, UseSyntax

WIRE, INT, FLOAT = PortKind.WIRE, PortKind.INT, PortKind.FLOAT


def read(text: str, dialect: str = "int", **constants: int) -> Rule:
    source = Source(text, "rules.in")
    (statement,) = source.statements()
    syntax = parse_statement(source, statement, dialect)
    assert isinstance(syntax, RuleSyntax)
    known = {name: IntLiteral(value) for name, value in constants.items()}
    return ScriptRules(dialect, known).rule(source, syntax)


@pytest.mark.parametrize("dialect", ["int", "float"])
@settings(deadline=None)
@given(seed=st.integers(0, 2**32))
def test_printed_rules_read_back_as_they_were(dialect: str, seed: int) -> None:
    rule = RuleMaker(random.Random(seed), dialect).rule()
    assert read(rule_text(rule, {}), dialect) == rule


def test_heads() -> None:
    rule = read("f(r, int a) >< (int x) : xs => r ~ (a + x) : xs;")
    assert rule.left == Head("f", ("r", "a"), (WIRE, INT))
    assert rule.right == Head(CONS, ("x", "xs"), (INT, WIRE))
    assert read("f(r) >< [] => r ~ [];").right == Head(NIL)
    assert read("(float a, b) >< f(r) => r ~ b;").left == Head(TUPLE, ("a", "b"), (FLOAT, WIRE))
    assert read("f(r) >< int i => r ~ i;").right == Head(INT_NUMBER, ("i",), (INT,))
    assert read("f(r) >< other => r ~ other;").right == Head(WILDCARD, ("other",), (WIRE,))


def test_terms() -> None:
    (branch,) = read("f(r) >< g() => r ~ (*L)[1, (A, B(%f)) | t], t ~ 2.5;".replace("1, ", "")).branches
    pair = AgentTerm(TUPLE, (AgentTerm("A"), AgentTerm("B", (AgentTerm("%f"),))))
    assert branch.body.connections == (
        (Wire("r"), AgentTerm(CONS, (pair, Wire("t")), "L")),
        (Wire("t"), FloatLiteral(2.5)),
    )


def test_abbreviations() -> None:
    def connections(body: str) -> object:
        return read(f"f(a, b) >< Go => {body};").branches[0].body.connections

    assert connections("a, b << F(1, 2)") == connections("F(a, b, 1) ~ 2")
    assert connections("a << Append(1, b)") == connections("Append(a, b) ~ 1")
    assert connections("a << Merger(1, b)") == connections("Merger(a) ~ (1, b)")
    assert connections("a << (*L)F(b)") == connections("(*L)F(a) ~ b")


def test_the_three_ways_to_bind() -> None:
    rules = [
        read(f"f(r) >< (int n) => {body};")
        for body in (
            "r ~ P(s, t) where s = n + n t = s * n",
            "let s = n + n; t = s * n; in r ~ P(s, t) end",
            "{s = n + n; t = s * n} r ~ P(s, t)",
        )
    ]
    assert rules[0] == rules[1] == rules[2]


def test_constants_stand_for_numbers_where_they_have_no_arguments() -> None:
    rule = read("f(r) >< (int n) | n < N => r ~ N(N) | _ => r ~ M;", N=5)
    guard, body = rule.branches[0].guard, rule.branches[0].body
    assert guard == Binary("<", Variable("n"), IntLiteral(5))
    assert body.connections == ((Wire("r"), AgentTerm("N", (IntLiteral(5),))),)
    assert rule.branches[1].body.connections == ((Wire("r"), AgentTerm("M")),)


def test_in_the_float_dialect_int_is_a_name() -> None:
    rule = read("f(int, float x) >< A => int ~ B(1, x);", "float")
    assert rule.left == Head("f", ("int", "x"), (WIRE, FLOAT))
    assert rule.branches[0].body.connections == ((Wire("int"), AgentTerm("B", (FloatLiteral(1.0), Variable("x")))),)


def test_a_block_of_bindings_and_a_string_are_no_ends_of_statements() -> None:
    source = Source('use "a;b\\".in"; let a=1; b=2 in x~(a,b) end; {a=1;} y~a; letter.let ~ z;', "s.in")
    read_back = [parse_statement(source, statement) for statement in source.statements()]
    assert read_back[0] == UseSyntax('a;b".in')
    assert [type(statement) for statement in read_back[1:]] == [NetSyntax] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(A(x)) >< B => x ~ C;", "1:3: a port of a rule's head must be a name"),
        ("f(r) >< 3 => r ~ C;", "1:9: this cannot be one side of a rule"),
        ("f(r) >< (*L)A => r ~ C;", "1:13: this cannot be one side"),
        ("f(r) ><\n N => r ~ C;", "2:2: the constant `N' cannot be one side"),
        ("x >< (int i) => x ~ i;", "1:1: one side of a rule must be an agent"),
        ("f(a, a) >< A => ;", "1:1: two ports have one name"),
        ("f(r) >< A => ;", "1:1: `r' is referred not once"),
        ("f(r) >< (int i) | i > 0 => r ~ i | _ => r ~ B, r ~ C;", "1:1: `r' is referred not once"),
        ("f(r) >< A => r ~ B(extra);", "1:1: `extra' is referred not twice"),
        ("f(r) >< (int n) => r ~ n +\n m;", "2:2: `m' is no attribute variable"),
        ("f(r) >< (int n) => r ~ n + k(1);", "1:28: there is no native function `k', and an agent is no value"),
        ("f(r) >< (int n) => r ~ n + exp(1);", "1:28: cannot compile a call of the native function `exp'"),
        ("f(r) >< (int n) => r ~ n + A;", "1:28: an agent stands where a value"),
        ("f(r) >< (int n) => r ~ A(int m);", "1:26: an int or float declaration"),
        ("f(r) >< (int n) => r ~ n where n = 1;", "1:32: `n' has been already defined"),
        ("f(r) >< (int n) | rand(2) == 0 => | n > 0 => r ~ 1 | _ => r ~ 2 | _ => r ~ 3;", "around other guards"),
        ("f(r) >< (int n) => r ~ 2*-3;", "1:26: syntax error, unexpected `-'"),
        ("f(r) >< (int n) => r ~ n*LIMIT;", "1:25: syntax error"),
        ("f(r) >< A => r ~ (*R)x:xs;", "1:23: syntax error, unexpected `:'"),
        ("f(r) >< A => r ~ [1,2|3];", "1:22: syntax error, unexpected `|'"),
        ("f(r) >< (int n) | n > 0 => | _ => r ~ n;", "syntax error"),
        ("f(r) >< A => let a = 1; in r ~ a end", "1:1: syntax error, this statement has no `;'"),
    ],
)
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        read(text, N=1)
    assert message in str(error.value)
    assert str(error.value).startswith("rules.in:")
