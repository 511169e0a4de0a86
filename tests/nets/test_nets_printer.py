"""The text of scripts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbundle.errors import CompileError
from inbundle.nets.literals import float_text, read_float
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import Binary, Call, FloatLiteral, IntLiteral, Unary, Variable
from inbundle.nets.rule_text import expression_text

A, B, C = Variable("a"), Variable("b"), Variable("c")


def test_layout() -> None:
    script = """
    Concrete(float k) >< ReLU(out) | k > 0 => out ~ Concrete(k) | _ => out ~ Concrete(-0.5);
    x ~ Concrete(2); x ~ ReLU(v); Scale(y, v, 3) ~ Go(), Eraser ~ y2;
    y y2;
    """
    assert to_script(parse(script, "net"), ["granularity: neuron"]) == (
        "// net: an interaction net (Inpla, float dialect).\n"
        "// granularity: neuron\n"
        "\n"
        "Concrete(float k) >< ReLU(out)\n"
        "| k > 0.0 => out ~ Concrete(k)\n"
        "| _ => out ~ Concrete(-0.5);\n"
        "\n"
        "// The net.\n"
        "x ~ Concrete(2.0);\n"
        "x ~ ReLU(w1);\n"
        "Scale(y, w1, 3.0) ~ Go, Eraser ~ y2;\n"
        "\n"
        "// The outputs.\n"
        "y y2;\n"
    )


def test_private_wires_avoid_names_of_the_interface_and_of_agents() -> None:
    text = to_script(parse("w1(w0, w) ~ A(x), B(x) ~ C(w); w0;", "net"))
    assert "w1(w0, ww1) ~ A(ww2), B(ww2) ~ C(ww1);" in text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Binary("-", Binary("-", A, B), C), "a - b - c"),
        (Binary("-", A, Binary("-", B, C)), "a - (b - c)"),
        (Binary("*", Binary("+", A, B), C), "(a + b) * c"),
        (Binary("+", A, Binary("*", B, C)), "a + b * c"),
        (Binary("/", Unary("-", A), B), "-a / b"),
        (Unary("-", Binary("/", A, B)), "-(a / b)"),
        (Binary("*", A, IntLiteral(-2)), "a * (-2)"),
        (Binary("+", FloatLiteral(-0.5), A), "-0.5 + a"),
        (Binary("-", A, Unary("-", B)), "a - (-b)"),
        (Binary("or", Binary("==", A, B), Binary("<", B, C)), "(a == b) or b < c"),
        (Binary("==", Binary("and", A, B), C), "(a and b) == c"),
        (Binary("==", Binary("==", A, B), C), "a == b == c"),
        (Binary("and", A, Unary("not", Binary("or", B, C))), "a and (not (b or c))"),
        (Call("f", (A, Binary("+", A, B))), "f(a, a + b)"),
    ],
)
def test_expressions_have_the_parentheses_they_need(expression: Binary, text: str) -> None:
    assert expression_text(expression) == text


@given(st.floats(width=32, allow_nan=False))
def test_float_literals_read_back(value: float) -> None:
    text = float_text(value)
    assert np.float32(read_float(text)).tobytes() == np.float32(value).tobytes()
    assert "." in text or "e" in text


@pytest.mark.parametrize(
    ("value", "text"), [(0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (1e10, "1e+10"), (np.inf, "1e39")]
)
def test_float_literals_are_short(value: float, text: str) -> None:
    assert float_text(value) == text


def test_nan_has_no_literal() -> None:
    program = parse("Concrete(1.5) ~ Eraser;", "net")
    program.net.code[2] = 0x7FC00000
    with pytest.raises(CompileError, match="NaN has no literal"):
        to_script(program)
