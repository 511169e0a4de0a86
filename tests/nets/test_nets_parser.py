"""What the parser takes, what it makes of it, and what it says of the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import LarkError
from random_programs import random_program

from inbundle.errors import CompileError
from inbundle.nets.grammar import grammar
from inbundle.nets.net_loader import tokens_of
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import Agent, NativeFunction, PortKind

WIRE, INT, FLOAT = PortKind.WIRE, PortKind.INT, PortKind.FLOAT


def test_agents_get_their_ports_from_rule_heads_and_first_occurrences() -> None:
    program = parse("A(r, int i) >< B(float x) => r ~ C(i, x * 2, D); e ~ E(-1.5, 3, F(y), run(2));", "net")
    signatures = {agent.name: agent.ports for agent in program.agents}
    assert signatures == {
        "Eraser": (),
        "Dup": (WIRE, WIRE),
        "A": (WIRE, INT),
        "B": (FLOAT,),
        "C": (INT, FLOAT, WIRE),
        "D": (),
        "E": (FLOAT, INT, WIRE, INT),
        "F": (WIRE,),
    }
    assert program.inputs == ("e", "y")


def test_in_the_float_dialect_every_number_is_a_float() -> None:
    program = parse("A(r) >< B(float x) => r ~ C(1); A(y) ~ D(2); y;", "net")
    assert program.dialect == "float"
    assert Agent("C", (FLOAT,)) in program.agents
    assert Agent("D", (FLOAT,)) in program.agents


def test_signatures_of_native_functions_follow_from_their_calls() -> None:
    script = """
    A(r, int i) >< B(float x) => r ~ C(scale(i, 2.5) * x, z) where y = get(x) z = run(i, y, 1);
    C(float a, int b) >< D => E(weight(3)) ~ E(now());
    E(float a) >< D => D ~ E(weight(4));
    """
    assert parse(script, "net").natives == [
        NativeFunction("scale", (INT, FLOAT), FLOAT),
        NativeFunction("get", (FLOAT,), INT),
        NativeFunction("run", (INT, INT, INT), INT),
        NativeFunction("weight", (INT,), FLOAT),
        NativeFunction("now", (), FLOAT),
    ]


def test_if_and_nested_guards_become_guards_in_order() -> None:
    nested = "A(r) >< B(int i) | i > 0 => | i > 9 => r ~ X | _ => r ~ Y | _ => r ~ Z;"
    choice = "A(r) >< B(int i) => if i > 0 then if i > 9 then r ~ X else r ~ Y else r ~ Z;"
    flat = "A(r) >< B(int i) | (i > 0) and (i > 9) => r ~ X | i > 0 => r ~ Y | _ => r ~ Z;"
    rules = [parse(script, "net").rules for script in (nested, choice, flat)]
    assert rules[0] == rules[1] == rules[2]


def test_comments_and_blanks_may_stand_anywhere() -> None:
    program = parse("/* ; >< */ x // ~ ;\n ~ /* ~ */ A ( 1 ,\r\n y ) ; ; // the end\n x y ;\n// no more", "net")
    assert program == parse("x~A(1,y);x y;", "net")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("A >< B => C;", "1:12: syntax error, unexpected `;'"),
        ("A >< B => ;\n A ~ B(x", "2:2: syntax error, this statement has no `;' at its end"),
        ("x ~\n [1];", "2:2: a bundle cannot hold lists"),
        ("x ~ A(y);\ny ~ end;", "2:5: syntax error, unexpected `end'"),
        ("let a = 1 in y ~ A end;", "1:1: a bundle cannot hold `let`"),
        ("const N = 5;", "1:1: a bundle cannot hold this command"),
        ("x ~ (A, B);", "1:5: a bundle cannot hold tuples"),
        ("x ~ %f;", "1:5: a bundle cannot hold function values"),
        ("r << F(x);", "1:1: a bundle cannot hold the abbreviation `<<`"),
        ("A(r) >< B => r ~ (*L)C;", "a bundle cannot hold reuse marks"),
        ("x ~ 3;", "1:5: a bundle cannot hold a number"),
        ("A(int i) >< B => x ~ i;", "1:22: a bundle cannot hold a number"),
        ("f(r) >< (int a) => r ~ A(a);", "1:10: a bundle cannot hold a number"),
        ("f(r) >< x => r ~ x;", "1:9: a bundle cannot hold wildcards"),
        ("A ~ B; A >< B =>;", "1:8: a bundle cannot hold a rule after the net"),
        ("x ~ A; x; y ~ B;", "1:11: a bundle cannot hold statements after"),
        ("x ~ A; y;", "1:8: `y' is not the one end"),
        ("x ~ A; x x;", "is not the one end"),
        ("x ~ y, y ~ x, A ~ x;", "1:19: The name `x' occurs more than twice"),
        ("x ~ A(y); z ~ A;", "1:15: `A' has 1 ports, not 0"),
        ("x ~ A(y); z ~ A(p, q);", "`A' has 1 ports, not more"),
        ("A(int i) >< B => ; A(x) ~ B;", "1:22: a value is expected here, not the wire `x'"),
        ("A(int i) >< B => ; A(1.5) ~ B;", "1:22: an int is expected here, not 1.5"),
        ("A(int i) >< B => C ~ A(j);", "1:24: `j' is no attribute variable"),
        ("A(r, r) >< B => r ~ r;", "two ports have one name"),
        ("A(r) >< B => ;", "rule A >< B: `r' is referred not once"),
        ("A(r) >< B => r ~ C(q);", "`q' is referred not twice"),
        ("A >< B => ; B >< A => ;", "two rules for this pair"),
        ("A >< B => ; A(x) >< C => x ~ C;", "1:13: `A' has other ports here than before"),
        ("A(int i) >< B(float x) => A(x) ~ B(x);", "a float stands in an int port"),
        ("A(int i) >< B(float x) => A(run(x)) ~ B(run(x));", "is used as an int and as a float"),
        ("A(int i) >< B | i > 0 => | _ => A(1) ~ B;", "syntax error"),
        ("x ~ a(1); x ~ B(a);", "is the name of an agent and of an interface name"),
        ("A(float x) >< B => A(weight(1)) ~ B;", "native function `weight' in the float dialect"),
        ("/* never closed", "1:1: this comment is not closed"),
        ("A ~ B(f(1)); C ~ D(f(1, 2));", "`f' has 1 parameters, not more"),
    ],
)
def test_errors_say_where(script: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        parse(script, "bad")
    assert message in str(error.value)
    assert str(error.value).startswith("bad")


WORDS = ["a", "b", "A", "B", "(", ")", ",", "~", "-", "1", "2.5", "f"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
def test_nets_are_read_as_the_grammar_says(words: list[str]) -> None:
    """Where lark takes a statement, the loader takes it or objects to its meaning, and where it does not, neither does
    the loader."""
    text = " ".join(["x", "~", *words])
    try:
        grammar().parse(text, start="plain_net")
        is_net = True
    except LarkError:
        is_net = False
    try:
        parse(f"{text};", "net")
        message = ""
    except CompileError as error:
        message = error.message
    if not is_net:
        assert message
    else:
        assert not message.startswith("syntax error")


@pytest.mark.parametrize("seed", range(5))
def test_printed_nets_are_nets_of_the_grammar(seed: int) -> None:
    for line in to_script(random_program(seed, "int")).splitlines():
        tokens = tokens_of(line)
        if "~" in tokens and not {"><", "=>", "|"} & set(tokens) and line.endswith(";"):
            grammar().parse(line[:-1], start="plain_net")
