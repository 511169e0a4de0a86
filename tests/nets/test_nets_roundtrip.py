"""Printing and parsing are inverse: for random Programs, and for what the translations make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_programs import random_program
from scripts import NEURON, NUMBERS, TILE, WIRES

from inbundle import passes
from inbundle.frontend import load_graph
from inbundle.ir import passes as ir_passes
from inbundle.ir.planner import plan
from inbundle.ir.tasks import schedule
from inbundle.ir.tiling import tilings
from inbundle.lowering import lower
from inbundle.nets import neuron, tile
from inbundle.nets.canonical import canonical
from inbundle.nets.cgen import generate
from inbundle.nets.image import encode
from inbundle.nets.parser import parse
from inbundle.nets.printer import script_parts, to_script
from inbundle.nets.verifier import verify
from inbundle.options import CompileOptions


@pytest.mark.parametrize("dialect", ["int", "float"])
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int, dialect: str) -> None:
    program = random_program(seed, dialect)
    verify(program)
    again = parse(to_script(program), program.name)
    assert again.agents == program.agents
    assert again.rules == program.rules
    assert again.natives == program.natives
    assert again.net == program.net
    assert again == program
    assert to_script(again) == to_script(program)
    assert canonical(program) == program


@pytest.mark.parametrize("seed", range(10))
def test_input_values_come_back(seed: int) -> None:
    program = random_program(seed, "float", bound=True)
    names = {wire: name.replace("w", "v") for wire, name in program.net.names.items()}
    renamed = replace(
        program,
        net=replace(program.net, names=names),
        inputs=tuple(name.replace("w", "v") for name in program.inputs),
        outputs=tuple(name.replace("w", "v") for name in program.outputs),
    )
    again = parse(to_script(renamed), renamed.name)
    assert again == renamed


@pytest.mark.parametrize("script", [NEURON, TILE, NUMBERS, WIRES])
def test_scripts(script: str) -> None:
    program = parse(script, "script")
    again = parse(to_script(program, ["a fact"]), "script")
    assert again == program
    assert generate(again) == generate(program)
    assert encode(again).data == encode(program).data


def test_a_value_of_a_private_wire_is_part_of_the_net() -> None:
    bound = parse("x ~ Concrete(0.5); Add(y, x) ~ Concrete(1.5); y;", "bound")
    assert bound.inputs == ("x",)
    assert bound.input_values is not None
    assert bound.input_values.tolist() == [0.5]
    private = parse("w1 ~ Concrete(0.5); Add(y, w1) ~ Concrete(1.5); y;", "private")
    assert private.inputs == ()
    assert private.input_values is None


def test_values_for_some_inputs_only_are_part_of_the_net() -> None:
    program = parse("x ~ Concrete(0.5); Add(y, x) ~ Mul(z, Concrete(1.5)); y;", "some")
    assert program.inputs == ("z",)
    assert program.input_values is None
    assert len(program.net.starts) == 3


def test_the_parts_of_a_big_script_are_the_script() -> None:
    count = 70_000
    code = np.zeros((count, 4), np.int64)
    code[:, 0] = 5
    code[:, 2] = np.arange(count, dtype=np.float32).view(np.uint32)
    code[:, 3] = 1
    program = parse("Concrete(1.5) ~ Eraser;", "big")
    net = replace(program.net, code=code.ravel(), starts=np.arange(count + 1) * 4)
    program = canonical(replace(program, net=net))
    text = to_script(program)
    assert text == "".join(script_parts(program))
    assert text.count(";\n") == count
    assert f"Concrete({count - 1}.0) ~ Eraser;" in text
    assert parse(text, "big") == program


ACAS = "ACASXU_run2a_1_1_batch_2000"


@pytest.mark.parametrize(
    ("model", "kind"), [(ACAS, "tile"), (ACAS, "region"), (ACAS, "inline"), ("mnist-12", "tile"), ("mnist", "tile")]
)
def test_real_models(shared: Path, model: str, kind: str) -> None:
    options = CompileOptions()
    graph = load_graph(shared / "data" / f"{model}.onnx", options)
    passes.optimize(graph)
    function = lower(graph)
    if kind == "tile":
        ir_passes.optimize(function)
        program = tile.translate(schedule(function, plan(function), tilings(function, 4)), name=model, threads=4)
    else:
        program = neuron.translate(function, plan(function), name=model, weights=kind)
    verify(program)
    assert parse(to_script(program), model) == program
