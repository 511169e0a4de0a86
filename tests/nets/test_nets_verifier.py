"""What is no Program, and how the verifier says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_programs import random_program
from scripts import NEURON, TILE

from inbundle.errors import CompileError
from inbundle.nets.canonical import canonical
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import (
    Agent,
    AgentTerm,
    Body,
    Branch,
    Call,
    Head,
    IntLiteral,
    NativeFunction,
    Net,
    PortKind,
    Program,
    Rule,
    Variable,
    Wire,
)
from inbundle.nets.verifier import verify

TASK, READY = Agent("Task", (PortKind.WIRE, PortKind.INT)), Agent("Ready", (PortKind.INT,))
RUN = NativeFunction("run", (PortKind.INT,), PortKind.INT)


def with_rule(body: Body, *, guard: Branch | None = None) -> Program:
    """A program with the one rule `Task(r, t) >< Ready(e) => body`."""
    rule = Rule(Head("Task", ("r", "t")), Head("Ready", ("e",)), (*([guard] if guard else []), Branch(None, body)))
    base = parse("", "bad")
    return replace(base, agents=[*base.agents, TASK, READY], rules=[rule], natives=[RUN])


def ready(value: object) -> AgentTerm:
    return AgentTerm("Ready", (value,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (Body(((Wire("r"), AgentTerm("Go")),)), "agent `Go' is not declared"),
        (Body(((Wire("r"), AgentTerm("Ready")),)), "`Ready' has 1 ports, not 0"),
        (Body(((Wire("r"), ready(Wire("x"))),)), "a port of `Ready' needs a value, not a wire"),
        (Body(((Wire("r"), AgentTerm("Task", (IntLiteral(1), IntLiteral(2)))),)), "a number stands where a wire"),
        (Body(((Wire("r"), ready(Variable("x"))),)), "`x' is no attribute variable"),
        (Body(((Wire("t"), Wire("r")),)), "the attribute variable `t' stands where a wire is expected"),
        (Body(((Wire("r"), ready(Call("walk", ()))),)), "native function `walk' is not declared"),
        (Body(((Wire("r"), ready(Call("run", ()))),)), "`run' has 1 parameters"),
        (Body(((Wire("r"), ready(Variable("t"))),), (("t", IntLiteral(1)),)), "`t' is bound twice"),
        (
            Body(((Wire("q"), ready(Variable("t"))), (Wire("q"), Wire("r")), (Wire("q"), Wire("q")))),
            "`q' is referred not",
        ),
    ],
)
def test_rules_that_are_none(body: Body, message: str) -> None:
    with pytest.raises(CompileError) as error:
        verify(with_rule(body))
    assert message in str(error.value)
    assert "rule Task >< Ready" in str(error.value)


def test_a_guarded_branch_must_not_be_empty() -> None:
    body = Body(((Wire("r"), ready(Variable("e"))),))
    verify(with_rule(body))
    with pytest.raises(CompileError):
        verify(with_rule(body, guard=Branch(Variable("e"), Body())))


def test_natives_are_declared_as_a_reader_of_the_script_would_infer() -> None:
    program = with_rule(Body(((Wire("r"), ready(Call("run", (Variable("t"),)))),)))
    verify(program)
    wrong = replace(program, natives=[NativeFunction("run", (PortKind.FLOAT,), PortKind.INT)])
    with pytest.raises(CompileError, match="`run' is declared otherwise than the rules use it"):
        verify(wrong)


CODE = parse(NEURON, "net").net.code


def changed(index: int, word: int) -> Net:
    program = parse(NEURON, "net")
    program.net.code[index] = word
    return program.net


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (changed(1, 2 * 99 + 1), "statement 1 of the net is malformed"),
        (changed(0, 2 * 0 + 1), "is not the wires that occur once|the interface names are not the wires"),
        (changed(len(CODE) - 1, 0), "the interface names are not the wires that occur once"),
        (Net(CODE, np.array([0, 3, len(CODE)])), "statement 1 of the net is malformed"),
        (Net(CODE, np.array([0, len(CODE) - 1])), "do not cover its code"),
        (Net(CODE, np.array([0, len(CODE)])), "the interface names are not the wires"),
    ],
)
def test_nets_that_are_none(net: Net, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        verify(replace(parse(NEURON, "net"), net=net))


def test_interfaces_that_are_none() -> None:
    program = parse(NEURON, "net")
    for wrong, message in (
        (replace(program, inputs=("x2", "x1")), "not in the order in which the net names them"),
        (replace(program, outputs=()), "inputs and outputs are not the interface names"),
        (replace(program, input_values=np.zeros(3, np.float32)), "not as many input values as inputs"),
        (replace(program, agents=program.agents[1:]), "the built-in agents do not come first"),
        (replace(program, agents=[*program.agents, Agent("9")]), "`9' is no name for an agent"),
        (replace(program, agents=[*program.agents, Agent("x1")]), "`x1' is the name of an agent and"),
        (replace(program, natives=[RUN]), "native function `run' in the float dialect"),
    ):
        with pytest.raises(CompileError, match=message):
            verify(wrong)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_nets_are_refused_and_never_crash(seed: int) -> None:
    """A word changed at random gives another net, which its script says, or a CompileError."""
    random = np.random.default_rng(seed)
    for script in (NEURON, TILE):
        program = parse(script, "net")
        program.net.code[random.integers(len(program.net.code))] = random.integers(-3, 60)
        try:
            verify(program)
        except CompileError:
            continue
        assert parse(to_script(program), "net") == canonical(program)


def test_random_programs_are_well_formed() -> None:
    for seed in range(20):
        verify(random_program(seed, "int"))
