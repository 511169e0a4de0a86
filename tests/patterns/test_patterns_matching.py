"""Graph patterns: which sub-graphs they match, compared with Python's regular expressions on the paths of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from pattern_graphs import LETTERS, X, chain, letters, random_web

from inbundle.graph.graph import Graph, Node
from inbundle.graph.types import ElemKind, TensorType
from inbundle.patterns import Match, Pattern, Rule, apply_rule, wrapped
from inbundle.patterns.functions import BUILT_IN, predicate
from inbundle.patterns.matcher import MOST_PER_START

SEQUENCES = {
    "Relu": "R",
    "Relu -> Exp": "RE",
    "Relu+": "R+",
    "Relu+ -> Exp": "R+E",
    "Relu* -> Exp": "R*E",
    "Relu -> Exp* -> Tanh": "RE*T",
    "Relu? -> Exp? -> Tanh": "R?E?T",
    "(Relu -> Exp)+": "(RE)+",
    "(Relu -> Exp?)+ -> Tanh": "(RE?)+T",
    "Add -> (Relu? -> Exp+ -> Tanh)* -> Add": "A(R?E+T)*A",
    "((Relu -> Add)+ -> Exp)+ -> Tanh*": "((RA)+E)+T*",
}


def _paths(graph: Graph, node: Node) -> Iterator[list[Node]]:
    """All paths from `node` on, along the arrows."""
    yield [node]
    readers = graph.users()
    for reader in dict.fromkeys(readers[node.output]):
        for path in _paths(graph, reader):
            yield [node, *path]


def _nodes(matches: list[Match]) -> list[str]:
    return [letters(match.nodes) for match in matches]


@pytest.mark.parametrize("pattern", SEQUENCES)
@pytest.mark.parametrize("seed", range(8))
def test_sequences_are_regular_expressions_on_paths(pattern: str, seed: int) -> None:
    """Every match is a path that fits, and every start with a path that fits has a match."""
    graph = random_web(seed)
    matches = Pattern(pattern, exclusive=False).matches(graph)
    expected = re.compile(SEQUENCES[pattern])
    fitting = {tuple(path) for node in graph.nodes for path in _paths(graph, node) if expected.fullmatch(letters(path))}
    assert {match.nodes for match in matches} <= fitting
    closed = {path for path in fitting if _is_closed(graph, path)}
    assert {path[0] for path in closed} <= {match.nodes[0] for match in matches}


def _is_closed(graph: Graph, path: tuple[Node, ...]) -> bool:
    """Whether no value of the path but the last is read outside of it; such paths are never in the way of others."""
    readers = graph.users()
    inner = [node.output for node in path[:-1]]
    return all(set(readers[value]) <= set(path) and value not in graph.outputs.values() for value in inner)


def test_repetition_takes_as_many_as_there_are() -> None:
    graph, nodes = chain("RRRE")
    assert [match.nodes for match in Pattern("Relu+").matches(graph)] == [tuple(nodes[i:3]) for i in range(3)]
    assert _nodes(Pattern("Relu* -> Exp").matches(graph)) == ["RRRE", "RRE", "RE", "E"]


def test_repetition_gives_back_what_the_rest_needs() -> None:
    graph, _ = chain("RRR")
    assert _nodes(Pattern("Relu+ -> Relu").matches(graph)) == ["RRR", "RR"]


def test_long_chains_need_no_recursion() -> None:
    graph, _ = chain("R" * 5000)
    (match,) = Pattern("First -> Relu+", {"First": "getType($[0]) == 'Placeholder'"}).matches(graph)
    assert len(match.nodes) == 5000


def test_nested_repetition_takes_no_exponential_time() -> None:
    graph, nodes = chain("R" * 60)
    assert not Pattern("((Relu+)+)+ -> Exp").matches(graph)
    assert Pattern("((Relu+)+)+").matches(graph)[0].nodes == tuple(nodes)


def test_where_the_longest_is_not_accepted_a_shorter_one_is_tried() -> None:
    graph, nodes = chain("RRR")
    graph.outputs["inner"] = nodes[1].output
    assert [match.nodes for match in Pattern("Relu+").matches(graph)] == [tuple(nodes[:2]), (nodes[1],), (nodes[2],)]
    assert _nodes(Pattern("Exp -> Tanh?", when="!exists(Tanh)").matches(chain("RET")[0])) == ["E"]


def _diamond() -> tuple[Graph, dict[str, Node]]:
    """x -> Relu -> (Exp, Tanh) -> Add."""
    graph = Graph("diamond")
    relu = graph.add("Relu", [graph.add_input("x", X)])
    exp, tanh = graph.add("Exp", [relu.output]), graph.add("Tanh", [relu.output])
    add = graph.add("Add", [exp.output, tanh.output])
    graph.outputs = {"y": add.output}
    return graph, {"relu": relu, "exp": exp, "tanh": tanh, "add": add}


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("Relu#1 -> Exp -> Add#2; Relu#1 -> Tanh -> Add#2", 4),
        ("Exp -> Add#2; Relu#1 -> Tanh -> Add#2", None),  # Exp reads Relu, which is matched only by the other branch
        ("Exp -> Add#2; Tanh -> Add#2", 3),
        ("Tanh -> Add#2; Relu* -> Exp -> Add#2", 4),
        ("Exp -> Add#2; Exp? -> Tanh -> Add#2", 3),
        ("Exp -> Add#2; (Relu -> Tanh)+ -> Add#2", None),
        ("Relu#1 -> Exp; Relu#1 -> Exp", 0),
        ("%x -> Exp -> Add#2; %x -> Tanh -> Add#2", 3),
        ("%x -> Exp; %x -> Tanh", 2),
        ("%x -0> Exp -0> Add#2; %x -> Tanh -1> Add#2", 3),
        ("%x -0> Exp -1> Add#2; %x -> Tanh -> Add#2", 0),
    ],
)
def test_branches_share_nodes_and_values(pattern: str, covered: int | None) -> None:
    """`covered`: nodes of the one match; 0: there is none; None: all four, by way of the first branch."""
    graph, _ = _diamond()
    matches = Pattern(pattern, exclusive=False).matches(graph)
    assert [len(match.nodes) for match in matches] == ([] if covered == 0 else [4 if covered is None else covered])


def test_keys_and_values_of_a_match() -> None:
    graph, nodes = _diamond()
    (match,) = Pattern("%x -> Relu#r -> Exp -> Add#2; Relu#r -> Tanh -> Add#2").matches(graph)
    assert match["Relu#r"] is nodes["relu"]
    assert match["Add#2"] is nodes["add"]
    assert match["Exp"] is nodes["exp"]
    assert match.values == {"%x": graph.inputs[0]}
    (repeated,) = Pattern("Relu+ -> Exp", exclusive=False).matches(graph)
    assert repeated.keys["Relu"] == (nodes["relu"],)


def test_optional_node_may_be_absent() -> None:
    for kinds, found in (("RE", False), ("RTE", True)):
        graph, _ = chain(kinds)
        (match,) = Pattern("Relu -> Tanh? -> Exp").matches(graph)
        assert (match.optional("Tanh") is not None) == found


def test_results_inside_have_no_other_readers() -> None:
    graph, _ = _diamond()
    assert not Pattern("Relu -> Exp").matches(graph)
    assert len(Pattern("Relu -> Exp", exclusive=False).matches(graph)) == 1
    shown, nodes = chain("RE")
    shown.outputs["also"] = nodes[0].output
    assert not Pattern("Relu -> Exp").matches(shown)


def test_no_path_may_leave_the_match_and_come_back() -> None:
    graph, _ = _diamond()
    assert not Pattern("Relu -> Tanh -> Add", exclusive=False).matches(graph)


def _two_operands(same: bool) -> Graph:
    graph = Graph("operands")
    x = graph.add_input("x", X)
    y = x if same else graph.add_input("y", X)
    graph.outputs = {"z": graph.add("Mul", [x, y]).output}
    return graph


def test_each_value_is_an_operand_of_its_own() -> None:
    square = Pattern("%x -> Mul#m; %x -> Mul#m")
    assert len(square.matches(_two_operands(True))) == 1
    assert not square.matches(_two_operands(False))
    assert len(Pattern("%a -0> Mul#m; %b -1> Mul#m").matches(_two_operands(False))) == 1


def test_values_come_from_outside() -> None:
    graph, nodes = chain("RE")
    assert not Pattern("Relu#1 -> Exp#2; %x -> Exp#2").matches(graph)
    (match,) = Pattern("%x -> Exp").matches(graph)
    assert match.values["%x"] is nodes[0].output


CONDITIONS = {
    "getType($) == 'Conv' && !($.group == 1)": False,
    "$.group == 1": True,
    "$.group != 2 || false": True,
    "$.strides == [2, 1]": True,
    "$.strides[0] > $.strides[-1] && $.strides[5] == none": True,
    "$.nothing == 1": False,
    "$.nothing": False,
    "$.nothing < 1 || 1 + $.nothing > 0": False,
    "shape($) == [1, 4, 3, 5]": True,
    "shape($[1])[2] * 2 - 1 == 5 && -rank($) / 2 == -2": True,
    "elem($[0]) == 'float' && elements($[2]) == 4": True,
    "isConstant($[1]) && !isConstant($[0]) && getType($[0]) == 'Placeholder'": True,
    "value($[2]) == 0.5 && value($[1]) == none": True,
    "close(value($[2]), 0.5000001)": True,
    "exists($[2]) && !exists($[3])": True,
    "readers($) == 2 && isOutput($) && readers($[0]) == 1": True,
    'len($.pads) == 4 && name($[0]) == "x"': True,
    "isLarge($)": True,
    "1 < inf && -inf < 1 && !(nan == nan)": True,
}


def _convolution() -> Graph:
    graph = Graph("conv")
    rng = np.random.default_rng(0)
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (1, 2, 6, 6)))
    weights = graph.add_constant("w", rng.normal(size=(4, 2, 3, 4)).astype(np.float32))
    bias = graph.add_constant("b", np.full(4, 0.5, np.float32))
    window = {"kernel_shape": (3, 4), "strides": (2, 1), "pads": (1, 1, 1, 1), "dilations": (1, 1)}
    conv = graph.add("Conv", [x, weights, bias], window)
    graph.outputs = {"y": graph.add("Relu", [conv.output]).output, "z": conv.output}
    return graph


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS.items())
def test_conditions_on_nodes(condition: str, expected: bool) -> None:
    functions = {**BUILT_IN, "isLarge": predicate(lambda node: node.output.type.elements > 50)}
    pattern = Pattern("N", {"N": f"getType($) == 'Conv' && ({condition})"}, functions=functions)
    assert bool(pattern.matches(_convolution())) is expected


def test_conditions_on_values_and_on_all_keys() -> None:
    graph = _convolution()
    pattern = "%x -0> Conv -> Relu"
    assert Pattern(pattern, {"%x": "rank($) == 4"}, exclusive=False).matches(graph)
    assert not Pattern(pattern, {"%x": "isConstant($)"}, exclusive=False).matches(graph)
    assert Pattern(pattern, when="shape(Conv) == shape(Relu) && rank(%x) == 4", exclusive=False).matches(graph)
    assert not Pattern(pattern, when="shape(Conv) == shape(%x)", exclusive=False).matches(graph)


def test_conditions_of_single_keys_and_of_all_of_a_name() -> None:
    graph, nodes = chain("RRE")
    first = Pattern("Relu#1 -> Relu#2", {"Relu#1": "getType($[0]) == 'Placeholder'"})
    assert [match["Relu#1"] for match in first.matches(graph)] == nodes[:1]
    assert not Pattern("Relu#1 -> Relu#2", {"Relu": "getType($[0]) == 'Placeholder'"}).matches(graph)


def test_every_letter_is_a_kind_of_its_own() -> None:
    assert len(set(LETTERS.values())) == len(LETTERS)


def test_a_node_with_many_readers_has_so_many_matches_and_no_more() -> None:
    """Each combination of readers is a match; they share their first node, so one of them is rewritten."""
    graph, (relu,) = chain("R")
    graph.outputs = {f"y{n}": graph.add(("Exp", "Tanh")[n % 2], [relu.output]).output for n in range(20)}
    pattern = Pattern("Relu#1 -> Exp; Relu#1 -> Tanh", exclusive=False)
    assert len(pattern.matches(graph)) == MOST_PER_START
    assert apply_rule(graph, Rule("Once", pattern, wrapped("Once"))) == 1
