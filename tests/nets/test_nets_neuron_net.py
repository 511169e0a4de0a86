"""The net as a whole: interface, order of statements, live cells, what a Program declares."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neuron_runs import MODES, Model, check_limits, floats
from reducer import Reducer

from inbundle.errors import CompileError
from inbundle.ir.passes import hoist_dealloc
from inbundle.ir.planner import plan
from inbundle.nets.canonical import canonical
from inbundle.nets.neuron import translate
from inbundle.nets.parser import parse
from inbundle.nets.printer import to_script
from inbundle.nets.program import Program

NAME = re.compile(r"[a-z][A-Za-z0-9_'.]*")


def translated(model: Model, weights: str = "inline", **arguments: object) -> Program:
    hoist_dealloc(model.function)
    return translate(model.function, plan(model.function), name="m", weights=weights, **arguments)  # type: ignore[arg-type]


def two_layers(model: Model, width: int = 6) -> None:
    hidden = model.emit("matmul", (1, width), [model.input(1, 5), model.constant(model.array(5, width))])
    hidden = model.emit("relu", (1, width), [hidden])
    model.output(model.emit("matmul", (1, 3), [hidden, model.constant(model.array(width, 3))]))


# --- interface ---------------------------------------------------------------------------------------------------


def test_inline_names_are_tensor_and_element() -> None:
    model = Model()
    model.output(model.emit("relu", (2,), [model.input(2, name="data_0")]), "softmax_1")
    program = translated(model)
    assert program.inputs == ("data_0_0", "data_0_1")
    assert program.outputs == ("softmax_1_0", "softmax_1_1")
    assert sorted(program.net.names.values()) == sorted((*program.inputs, *program.outputs))
    assert program.dialect == "float"


def test_inline_names_are_legal_and_unique() -> None:
    model = Model()
    for name in ("a:0", "a_0", "A/0", "0", "é", "a_0_2x", "Input3"):
        model.output(model.emit("relu", (1,), [model.input(1, name=name)]), f"{name}.out")
    program = model.check(modes=("inline",))["inline"]
    names = (*program.inputs, *program.outputs)
    assert all(NAME.fullmatch(name) for name in names)
    assert len(set(names)) == len(names) == 14


def test_inputs_are_named_in_the_order_of_the_net() -> None:
    model = Model()
    first, second = model.input(3, name="first"), model.input(3, name="second")
    model.output(model.emit("sub", (3,), [second, first]))
    program = translated(model)
    in_net = [program.net.names[wire] for wire in sorted(program.net.names)]
    assert [name for name in in_net if name in program.inputs] == list(program.inputs)


def test_region_programs_end_in_one_token() -> None:
    model = Model()
    two_layers(model)
    program = model.check(modes=("region",))["region"]
    assert program.inputs == ()
    assert program.outputs == ("done",)
    assert program.dialect == "int"


def test_a_failing_output_reaches_done() -> None:
    model = Model()
    model.output(model.emit("relu", (5,), [model.input(5)]))
    program = translated(model, "region")
    natives = {"input": lambda i: 1.0, "output": lambda i, value: 7 if i % 16 == 3 else 0}
    reducer = Reducer(program, natives)
    reducer.run()
    assert reducer.value("done") == 7


def test_input_values_stand_in_the_order_of_the_names() -> None:
    model = Model()
    a, b = model.input(2, name="a"), model.input(1, 2, name="b")
    model.output(model.emit("add", (1, 2), [a, b]))
    values = {"b": np.array([[3.0, 4.0]], np.float32), "a": np.array([1.0, 2.0], np.float32)}
    program = translated(model, inputs=values)
    assert program.input_values is not None
    assert program.input_values.dtype == np.float32
    assert dict(zip(program.inputs, program.input_values, strict=True)) == {"a_0": 1, "a_1": 2, "b_0": 3, "b_1": 4}


# --- corner cases ------------------------------------------------------------------------------------------------


def test_inputs_and_constants_that_are_outputs() -> None:
    model = Model()
    x = model.input(2)
    model.output(x, "same")
    model.output(x, "again")
    model.output(model.constant(model.array(2)), "fixed")
    model.check()


def test_elements_that_nobody_uses_are_erased() -> None:
    model = Model()
    unread = model.emit("relu", (3,), [model.input(3, name="u")])
    model.output(model.emit("extracttensor", (1,), [unread], Offsets=(1,), Steps=(1,)))
    model.input(2, name="v")
    program = model.check()["inline"]
    erasers = np.count_nonzero(program.net.code == 1)
    assert erasers == 2 + 2


def test_no_outputs_and_no_elements() -> None:
    for shape in ((), (0,)):
        model = Model()
        if shape:
            model.output(model.emit("relu", shape, [model.input(*shape)]))
        model.check()


def test_a_buffer_written_again_keeps_what_was_read_before() -> None:
    """Instructions may also share buffers, as they do after the IR passes."""
    model = Model()
    x = model.input(3)
    buffer = model.function.alloc("buffer", floats(3))
    model.function.emit("neg", "first", [buffer, x])
    product = model.emit("mul", (3,), [buffer, x])
    model.function.emit("relu", "second", [buffer, buffer])
    model.output(model.emit("add", (3,), [buffer, product]))
    model.check()


def test_a_model_that_is_too_large_is_refused() -> None:
    model = Model()
    weights = model.constant(np.zeros((5000, 5000), np.float32))
    model.output(model.emit("matmul", (1, 5000), [model.input(1, 5000), weights]))
    with pytest.raises(CompileError, match=r"^the model has 25 million.*-granularity=tile"):
        translated(model)


def test_all_nodes_without_translation_are_named_at_once() -> None:
    model = Model()
    x = model.input(2)
    y = model.emit("tanh", (2,), [model.emit("sigmoid", (2,), [x])])
    model.output(model.emit("relu", (2,), [y]))
    with pytest.raises(CompileError, match=r"2 nodes.*sigmoid_node.*tanh_node.*use -inpla-weights=region"):
        translated(model)
    numbers = model.constant(np.arange(2))
    model.output(model.emit("convertto", (2,), [numbers]), "z")
    with pytest.raises(CompileError, match=r"3 nodes.*convertto_node.*use -granularity=tile"):
        translated(model)


# --- order and memory --------------------------------------------------------------------------------------------


def test_live_cells_are_partial_sums_not_products() -> None:
    """A layer of 64 x 64 never holds more than a logarithm's number of values per output."""
    model = Model()
    model.output(model.emit("matmul", (1, 64), [model.input(1, 64), model.constant(model.array(64, 64))]))
    program = translated(model, "region")
    assert program.net.live is not None
    assert program.net.live.max() <= 2 * (64 * 7 + 64)
    assert program.net.live[-1] == 2


def test_live_cells_of_a_deep_model_are_those_of_one_layer() -> None:
    shallow, deep = Model(), Model()
    peaks = []
    for model, layers in ((shallow, 2), (deep, 8)):
        value = model.input(1, 16)
        for _ in range(layers):
            product = model.emit("matmul", (1, 16), [value, model.constant(model.array(16, 16))])
            value = model.emit("relu", (1, 16), [product])
        model.output(value)
        live = translated(model, "region").net.live
        assert live is not None
        peaks.append(live.max())
    assert peaks[0] == peaks[1]


def test_known_names_stand_on_the_side() -> None:
    """Where operations commute, a name from an earlier statement is one side of a connection, never inside a term."""
    model = Model()
    two_layers(model, 40)
    program = translated(model)
    known = {wire for wire, name in program.net.names.items() if name in program.inputs}
    words_of = {agent.name: 2 * number + 1 for number, agent in enumerate(program.agents)}
    wires = {words_of["Add"]: 2, words_of["MulCheckConcrete"]: 1}
    for words in np.split(program.net.code, program.net.starts[1:-1]):
        statement = words.tolist()
        for index, word in enumerate(statement):
            ports = statement[index + 1 : index + 1 + wires.get(word, 0)]
            assert not known & {port // 2 for port in ports if port % 2 == 0}
        known |= {word // 2 for word in statement if word % 2 == 0}


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_random_graphs(seed: int) -> None:
    """Element-wise operations on randomly chosen earlier tensors: every pattern of uses."""
    model = Model(seed)
    pool = [model.input(3, name="x"), model.input(3, name="z"), model.constant(model.array(3))]
    for _ in range(int(model.random.integers(1, 14))):
        kind = str(model.random.choice(["add", "mul", "sub", "max", "min", "prelu", "relu", "abs", "neg"]))
        operands = [
            pool[int(model.random.integers(len(pool)))] for _ in range(1 if kind in ("relu", "abs", "neg") else 2)
        ]
        pool.append(model.emit(kind, (3,), operands))
    for index in range(int(model.random.integers(1, 4))):
        model.output(pool[-1 - index], f"y{index}")
    model.check(seed=seed)


def test_long_chains_are_cut_into_statements() -> None:
    model = Model()
    value, other = model.input(1), model.input(1, name="z")
    for _ in range(120):
        value = model.emit("mul", (1,), [model.emit("abs", (1,), [value]), other])
    model.output(value)
    check_limits(translated(model))


# --- declarations ------------------------------------------------------------------------------------------------


def test_only_what_is_used_is_declared() -> None:
    model = Model()
    model.output(model.emit("relu", (1,), [model.input(1)]))
    program = translated(model, "region")
    assert [agent.name for agent in program.agents] == ["Eraser", "Dup", "ReLU", "Concrete", "Store", "Ready"]
    assert [native.name for native in program.natives] == ["output", "input"]


@pytest.mark.parametrize("weights", MODES)
def test_programs_are_canonical(weights: str) -> None:
    """What is printed and read back is the same program, numbers of agents and natives included."""
    for build in (two_layers, unused_and_fixed, unused_only):
        model = Model()
        build(model)
        program = translated(model, weights)
        assert canonical(program) == program
        if program.rules:  # else nothing in the script says what Concrete holds
            assert parse(to_script(program), program.name) == program


def unused_and_fixed(model: Model) -> None:
    model.input(2)
    model.output(model.constant(model.array(2)))


def unused_only(model: Model) -> None:
    model.input(2)


def test_the_same_model_gives_the_same_program() -> None:
    programs = []
    for _ in range(2):
        model = Model()
        two_layers(model)
        programs.append(translated(model, "region"))
    assert programs[0] == programs[1]


@pytest.mark.parametrize("model", ["lenet"])
def test_a_real_model_is_translated_whole(model: str, shared: object) -> None:
    """lenet.onnx has about 280,000 products."""
    from inbundle.frontend import load_graph
    from inbundle.lowering import lower
    from inbundle.options import CompileOptions

    path = shared / "data" / f"{model}.onnx"  # type: ignore[operator]
    function = lower(load_graph(path, CompileOptions(onnx_define_symbol={"unk__26": 1})))
    program = translate(function, plan(function), name=model, weights="region")
    products = 6 * 576 * 25 + 16 * 64 * 150 + 256 * 120 + 120 * 84 + 84 * 10
    assert program.net.interactions is not None
    assert program.net.interactions > 4 * products
    assert program.net.live is not None
    assert program.net.live.max() < 20_000
