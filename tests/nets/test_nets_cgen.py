"""Rules compiled to C compute what the language says, on the engine and in the memory that the compiler states."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from engine_run import WARNINGS, run_on_engine
from random_programs import random_program
from reducer import Reducer
from scripts import NEURON, NUMBERS, TILE, WIRES

from inbundle.nets.cgen import generate
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.resources import engine

COMPILERS = [("gcc", "-std=c11"), ("clang", "-std=c11"), ("g++", "-std=c++17", "-x", "c++")]


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: compiler[0])
def test_neuron_rules(tmp_path: Path, compiler: tuple[str, ...]) -> None:
    program = parse(NEURON, "neuron")
    reducer = Reducer(program, {})
    for name, value in zip(program.inputs, (2.0, -0.5), strict=True):
        reducer.put(name, value)
    reducer.run()
    run = run_on_engine(program, tmp_path, inputs=(2.0, -0.5), compiler=compiler)
    assert run.outputs == [1.75] == [reducer.value("y")]
    assert run.interactions == reducer.interactions
    assert run.live_cells == 0


@pytest.mark.parametrize("section_cells", [1, 10, 65536])
def test_sections_change_nothing(tmp_path: Path, section_cells: int) -> None:
    run = run_on_engine(parse(NEURON, "neuron"), tmp_path, inputs=(2.0, -0.5), section_cells=section_cells)
    assert run.outputs == [1.75]
    assert run.live_cells == 0
    assert run.heap_bytes <= run.limits.heap_bytes


TILE_NATIVES = """
static inpla_int native_conv1(void *user, inpla_int t) { (void)user; return t * 0; }
static inpla_int native_fail2(void *user, inpla_int t) { (void)user; return t + 7; }
static inpla_int native_start(void *user) { (void)user; return 0; }
static inpla_int native_never(void *user, inpla_int t) { (void)user; (void)t; return 99; }
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_tile_rules_call_natives_and_pass_errors_on(tmp_path: Path, threads: int) -> None:
    run = run_on_engine(parse(TILE, "tile"), tmp_path, natives=TILE_NATIVES, results={"done": "Ready"}, threads=threads)
    assert run.outputs == [7]
    assert run.live_cells == 0


def test_ints_guards_and_bindings(tmp_path: Path) -> None:
    program = parse(NUMBERS, "numbers")
    names = dict.fromkeys(program.outputs, "R") | {"half": "F", "rest": "F", "many": "F"}
    run = run_on_engine(program, tmp_path, results=names)
    assert dict(zip(program.outputs, run.outputs, strict=True)) == {
        "gcd": 14,
        "quotient": -3,
        "remainder": -1,
        "wrapped": 2**63 - 1,
        "negated": -(2**63),
        "truth": 1,
        "both": 0,
        "not_seven": 0,
        "half": 3.5,
        "rest": 1.5,
        "many": -1.25,
    }
    assert run.live_cells == 0


@pytest.mark.parametrize("operation", ["Quotient(z, 7) ~ R(0)", "Remainder(z, 7) ~ R(0)", "Gate(z, 7) ~ R(0)"])
def test_division_by_zero_is_an_error_with_the_agents(tmp_path: Path, operation: str) -> None:
    rules = NUMBERS[: NUMBERS.index("// The net.")]
    run = run_on_engine(parse(f"{rules} {operation}; z;", "zero"), tmp_path, results={"z": "R"})
    assert run.error.startswith("error 4 ")
    assert operation.split("(")[0] in run.error


def test_wires_inside_rules(tmp_path: Path) -> None:
    """Aliases, wires between ports, loops without an agent, agents of many ports, more cells than the pair had."""
    program = parse(WIRES, "wires")
    reducer = Reducer(program, {})
    reducer.run()
    program.net.interactions = reducer.interactions
    run = run_on_engine(program, tmp_path, results=dict.fromkeys("abc", "R"))
    assert run.outputs == [3, 1, 2] == [reducer.value(name) for name in "abc"]
    assert run.interactions == reducer.interactions
    assert run.live_cells == 0
    assert run.heap_bytes <= run.limits.heap_bytes


@pytest.mark.parametrize("script", [NEURON, TILE, NUMBERS, WIRES])
def test_a_script_read_back_gives_the_same_c(script: str) -> None:
    program = parse(script, "same")
    assert generate(parse(to_script(program), "same")) == generate(program)


RANDOM_NATIVES = """
#include "inpla_rule.h"
static float native_weight(void *user, inpla_int i) { (void)user; return (float)i; }
static inpla_int native_run(void *user, inpla_int i, float x) { (void)user; return i + (inpla_int)x; }
static inpla_int native_now(void *user) { (void)user; return 1; }
"""
# What meaningless rules may draw: warnings on the meaning, not on the form.
MEANING = [
    "unknown-warning-option",
    "tautological-compare",
    "bool-compare",
    "logical-not-parentheses",
    "unused-function",
    "unused-const-variable",
]


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda compiler: compiler[0])
def test_rules_of_any_form_compile_without_warnings(tmp_path: Path, compiler: tuple[str, ...]) -> None:
    for seed in range(8):
        program = random_program(seed, "int" if seed % 2 else "float")
        source = tmp_path / f"random{seed}.c"
        source.write_text(RANDOM_NATIVES + generate(program) + "extern const inpla_program *p;\n")
        options = [*WARNINGS, *(f"-Wno-{name}" for name in MEANING), f"-I{engine() / 'include'}", "-fsyntax-only"]
        subprocess.run([*compiler, *options, source], check=True)


def test_names_that_c_does_not_have(tmp_path: Path) -> None:
    script = """
    A'(auto, int x.y) >< A.(while', while_) => auto ~ A_(x.y), while' ~ A_(worker), while_ ~ A_(left)
        where worker = x.y + 1 left = worker + 1;
    A'(a, 1) ~ A.(b, c); a b c;
    """
    program = parse(script, "names")
    program.net.interactions = 1
    run = run_on_engine(program, tmp_path, results=dict.fromkeys("abc", "A_"))
    assert run.outputs == [1, 2, 3]
