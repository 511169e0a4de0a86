"""Orders of instructions: the search finds the least, and models come close to it."""

from __future__ import annotations

import functools
import random
import runpy
from pathlib import Path

import numpy as np
import pytest
from ir_programs import Program

from inbundle import passes
from inbundle.frontend.source import model_source
from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.bound import activation_memory
from inbundle.ir.ordering import Problem
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.passes.schedule import schedule_for_memory
from inbundle.ir.verifier import verify
from inbundle.lowering import lower
from inbundle.options import CompileOptions
from ir_interpreter import run
from random_graphs import random_graph, random_inputs


def floats(*shape: int) -> TensorType:
    return TensorType(ElemKind.FLOAT, shape)


def random_problem(rng: random.Random, count: int) -> Problem:
    """Instruction i computes buffer i from earlier ones, and may take over some of them."""
    reads = [rng.sample(range(i), min(i, rng.choice((0, 1, 1, 1, 2, 2, 3)))) for i in range(count)]
    sizes = [rng.choice((1, 2, 3, 5, 8, 13)) for _ in range(count)]
    for index, operands in enumerate(reads):
        if operands and rng.random() < 0.4:
            sizes[index] = sizes[rng.choice(operands)]
    takes = [tuple((i, o) for o in operands if sizes[o] == sizes[i]) for i, operands in enumerate(reads)]
    users = [sum(1 << i for i in range(count) if i == b or b in reads[i]) for b in range(count)]
    before = [sum(1 << operand for operand in operands) for operands in reads]
    touched = tuple((index, *operands) for index, operands in enumerate(reads))
    return Problem(tuple(before), touched, tuple(sizes), tuple(users), tuple(takes))


def moment(problem: Problem, done: frozenset[int], index: int) -> int:
    """Bytes alive while instruction `index` runs after those of `done`, counted from scratch."""
    users = [{i for i in range(len(problem.before)) if mask >> i & 1} for mask in problem.users]
    alive = [b for b, touching in enumerate(users) if (touching & done and touching - done) or b == index]
    takes = any(users[operand] <= done | {index} for _, operand in problem.takes[index])
    return sum(problem.sizes[b] for b in alive) - (problem.sizes[index] if takes else 0)


def least(problem: Problem) -> int:
    """The least peak of all orders, by trying them all."""

    @functools.cache
    def after(done: frozenset[int]) -> int:
        left = [i for i in range(len(problem.before)) if i not in done]
        ready = [i for i in left if not any(problem.before[i] >> earlier & 1 for earlier in left)]
        return min((max(moment(problem, done, i), after(done | {i})) for i in ready), default=0)

    return after(frozenset())


def peak(problem: Problem, order: tuple[int, ...]) -> int:
    return max((moment(problem, frozenset(order[:place]), index) for place, index in enumerate(order)), default=0)


@pytest.mark.parametrize("seed", range(40))
def test_the_search_finds_the_least(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng, rng.randrange(0, 10))
    order = problem.best_order()
    assert order.is_best
    assert sorted(order.indices) == list(range(len(problem.before)))
    for place, index in enumerate(order.indices):
        assert not problem.before[index] & ~sum(1 << earlier for earlier in order.indices[:place])
    assert order.peak == peak(problem, order.indices) == least(problem)


def test_a_search_given_up_still_finds_a_good_order() -> None:
    rng = random.Random(7)
    better = 0
    for _ in range(20):
        problem = random_problem(rng, 14)
        given, found = peak(problem, tuple(range(14))), problem.best_order(most_trials=1)
        assert problem.best_order().peak <= found.peak == peak(problem, found.indices) <= given
        better += found.peak < given
    assert better > 5


def branches() -> Graph:
    """Two branches from a large value down to a small one, in the order that keeps both large values alive."""
    graph = Graph("branches")
    x = graph.add_input("x", floats(64, 2))
    wide = graph.add_constant("w", np.ones((2, 64), np.float32))
    large = [graph.add("Softmax", [graph.add("MatMul", [x, wide]).output], {"axis": 1}).output for _ in range(2)]
    small = [graph.add("ReduceMax", [value], {"axes": (0,), "keepdims": False}).output for value in large]
    graph.outputs["y"] = graph.add("Sub", small).output
    return graph


def test_a_branch_is_finished_before_the_next_one_begins() -> None:
    function = lower(branches())
    schedule_for_memory(function)
    verify(function)
    kinds = [step.kind for step in function.instructions()]
    assert kinds == ["matmul", "softmax", "reducemax", "matmul", "softmax", "reducemax", "sub", "copy"]


def test_an_order_that_is_as_good_stays() -> None:
    program = Program("softmax a x", "transpose b x", "add c a b", "copy y c")
    before = program.text()
    hoist_dealloc(program.function)
    schedule_for_memory(program.function)
    assert program.text() == before


@pytest.mark.parametrize("seed", range(30))
def test_reordering_changes_no_result(seed: int) -> None:
    graph = random_graph(seed, nodes=14)
    inputs = random_inputs(graph, seed)
    function = lower(graph)
    expected = run(function, inputs)
    schedule_for_memory(function)
    verify(function)
    for name, got in run(function, inputs).items():
        np.testing.assert_array_equal(got, expected[name])


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_random_graphs_come_close_to_the_bound(seed: int) -> None:
    memory = activation_memory(lower(random_graph(seed, nodes=20)))
    assert memory.planned <= 1.15 * memory.bound
    assert memory.planned <= memory.before <= memory.own


def check_memory(path: Path) -> None:
    """For targets without vector units and with them, where Winograd convolutions need memory to work in."""
    symbols = {"unk__26": 1} if path.stem == "lenet" else {}
    graph, _ = model_source(path).load(CompileOptions(onnx_define_symbol=symbols))
    passes.optimize(graph)
    for vectors in (False, True):
        memory = activation_memory(lower(graph), vectors=vectors)
        assert memory.is_best
        assert memory.ratio <= 1.15


MODELS = (
    "mnist",
    "lenet",
    "mnist-12",
    "mnist-12-3outputs",
    "mnist-8/mnist-8",
    "micro_kws_m_static_fp32",
    "version-RFB-320",
)


@pytest.mark.parametrize("model", MODELS)
def test_models_come_close_to_the_bound(model: str, shared: Path) -> None:
    check_memory(shared / "data" / f"{model}.onnx")


@pytest.mark.parametrize("model", ["resnet8", "dscnn", "mobilenetv2", "squeezenet"])
def test_networks_with_random_weights_come_close_to_the_bound(model: str, shared: Path, tmp_path: Path) -> None:
    runpy.run_path(str(shared / "bench" / "make_models.py"))[model](tmp_path)
    (path,) = tmp_path.glob("*.onnx")
    check_memory(path)
