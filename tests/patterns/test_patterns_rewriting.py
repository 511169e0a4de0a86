"""Rewriting: what rules do to a graph, and that a graph computes the same before and after wrapping and expanding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pattern_graphs import X, chain, letters, random_web

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.ops.meta import body_of, is_meta
from inbundle.graph.verifier import verify
from inbundle.ir.passes import optimize as optimize_ir
from inbundle.lowering import lower
from inbundle.passes.cse import merge_equal_values
from inbundle.passes.dce import delete_unused
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rule, apply_rules, expanded, removed, wrapped
from inbundle.patterns.pattern_file import PatternFile
from ir_interpreter import run
from random_graphs import random_inputs

PAIRS = Rule("Pair", Pattern("N#1 -> N#2", {"N": "true"}), wrapped("Pair"))
EXPAND = Rule("Expand", Pattern("Pair", {"Pair": "getType($) == 'Pair'"}), expanded)


def _results(graph: Graph) -> list[np.ndarray]:
    function = lower(graph)
    return list(run(function, random_inputs(graph, 0)).values())


def _names(graph: Graph) -> list[str]:
    return [value.name for value in graph.outputs.values()]


@pytest.mark.parametrize("seed", range(20))
def test_wrapping_and_expanding_change_no_result(seed: int) -> None:
    graph = random_web(seed)
    before, names = _results(graph), _names(graph)
    count = len(graph.nodes)
    wraps = apply_rule(graph, PAIRS)
    verify(graph)
    assert len(graph.nodes) == count - wraps
    assert sum(map(is_meta, graph.nodes)) == wraps
    np.testing.assert_equal(_results(graph), before)
    assert apply_rule(graph, EXPAND) == wraps
    verify(graph)
    assert (len(graph.nodes), _names(graph)) == (count, names)
    np.testing.assert_equal(_results(graph), before)


def test_meta_nodes_are_opaque() -> None:
    graph, _ = chain("RERE")
    assert apply_rule(graph, Rule("f", Pattern("Relu -> Exp"), wrapped("RE"))) == 2
    assert not Pattern("Relu").matches(graph)
    assert not Pattern("Exp").matches(graph)
    assert len(Pattern("Pair+", {"Pair": "getType($) == 'RE'"}).matches(graph)) == 2
    assert [letters(body_of(node).nodes) for node in graph.nodes] == ["RE", "RE"]


def test_forks_that_read_each_other_are_not_both_wrapped() -> None:
    """One MetaNode would read the other, which reads the one."""
    graph = Graph("two")
    starts = [graph.add_input(name, X) for name in ("x", "z")]
    relus = [graph.add("Relu", [start]).output for start in starts]
    products = [graph.add("Mul", [relu, start]).output for relu, start in zip(relus, starts, strict=True)]
    sums = [graph.add("Add", [relus[index], products[1 - index]]).output for index in range(2)]
    graph.outputs = {"a": sums[0], "b": sums[1]}
    before = _results(graph)
    assert apply_rule(graph, Rule("f", Pattern("Relu#1 -> Add; Relu#1 -> Mul"), wrapped("Fork"))) == 1
    verify(graph)
    np.testing.assert_equal(_results(graph), before)


def test_meta_nodes_may_have_several_results_and_be_nested() -> None:
    graph = Graph("two")
    relu = graph.add("Relu", [graph.add_input("x", X)])
    ends = [graph.add(kind, [relu.output]).output for kind in ("Exp", "Tanh")]
    graph.outputs = {"a": ends[0], "b": ends[1], "c": ends[0]}
    before, names = _results(graph), [end.name for end in ends]
    apply_rule(graph, Rule("f", Pattern("Relu#1 -> Exp; Relu#1 -> Tanh"), wrapped("Fork")))
    apply_rule(graph, Rule("g", Pattern("Fork", {"Fork": "getType($) == 'Fork'"}), wrapped("Outer")))
    verify(graph)
    (node,) = graph.nodes
    assert [output.name for output in node.outputs] == names
    np.testing.assert_equal(_results(graph), before)
    optimize_ir(lower(graph))


def test_constants_of_a_body_become_constants_of_the_graph() -> None:
    body = Graph("Plus")
    x, one = body.add_input("x", X), body.add_constant("one", np.ones(3, np.float32))
    body.outputs = {"sum": body.add("Add", [x, one]).output, "again": x}
    graph = Graph("g")
    attributes = {"function": "Plus", "body": body}
    node = graph.add("MetaNode", [graph.add_input("x", X)], attributes, outputs=["a", "b"])
    graph.outputs = {"a": node.outputs[0], "b": node.outputs[1]}
    before = _results(graph)
    apply_rule(graph, Rule("Expand", Pattern("Plus", {"Plus": "getType($) == 'Plus'"}), expanded))
    verify(graph)
    assert [node.kind for node in graph.nodes] == ["Add"]
    assert graph.outputs["b"] is graph.inputs[0]
    np.testing.assert_equal(_results(graph), before)


def test_other_passes_leave_meta_nodes_alone() -> None:
    graph, _ = chain("RE")
    apply_rule(graph, Rule("f", Pattern("Relu -> Exp"), wrapped("RE")))
    copy = graph.add("MetaNode", graph.nodes[0].inputs, graph.nodes[0].attributes)
    graph.outputs["z"] = copy.output
    merge_equal_values(graph)
    delete_unused(graph)
    verify(graph)
    assert [node.kind for node in graph.nodes] == ["MetaNode"]


def test_a_broken_body_is_found() -> None:
    graph, _ = chain("RE")
    apply_rule(graph, Rule("f", Pattern("Relu -> Exp"), wrapped("RE")))
    body_of(graph.nodes[0]).nodes.reverse()
    with pytest.raises(CompileError, match="is not defined before the node"):
        verify(graph)


def test_removed_nodes_are_bypassed() -> None:
    graph, _nodes = chain("RET")
    apply_rule(graph, Rule("r", Pattern("Exp"), removed))
    verify(graph)
    assert letters(graph.nodes) == "RT"
    apply_rule(graph, Rule("r", Pattern("Relu -> Tanh"), removed))
    assert (graph.nodes, graph.outputs) == ([], {"y": graph.inputs[0]})


def test_what_reads_two_tensors_cannot_be_removed() -> None:
    graph = Graph("two")
    x, y = (graph.add_input(name, X) for name in "xy")
    graph.outputs = {"z": graph.add("Add", [x, y], name="sum").output}
    with pytest.raises(CompileError, match="pattern r: node 'sum': cannot be removed: it reads 'x', 'y'"):
        apply_rule(graph, Rule("r", Pattern("Add"), removed))


def test_replacements_take_place_and_name() -> None:
    graph, nodes = chain("RET")
    graph.outputs["also"] = nodes[2].output
    name, node_name = nodes[2].output.name, nodes[2].name
    text = "%half = Mul(%x, 0.5)\n%moved = Add(%half, [1, 2, 3])\nTanh = Clip(%moved) {min: 0, max: shape(%x)[0]}"
    apply_rule(graph, Rule.replacing("r", "%x -> Exp -> Tanh", text))
    verify(graph)
    assert [node.kind for node in graph.nodes] == ["Relu", "Mul", "Add", "Clip"]
    clip = graph.nodes[-1]
    assert (clip.name, clip.output.name) == (node_name, name)
    assert clip.attributes == {"min": 0, "max": 2}
    assert set(graph.outputs.values()) == {clip.output}
    np.testing.assert_equal(graph.constants[-1].data, np.array([1, 2, 3], np.float32))


def test_what_others_read_stays() -> None:
    graph, nodes = chain("RE")
    graph.outputs["inner"] = nodes[0].output
    apply_rule(graph, Rule.replacing("r", "Relu -> Exp", "Exp = Tanh(Relu[0])", exclusive=False))
    verify(graph)
    assert letters(graph.nodes) == "RT"


def test_several_results_are_replaced_one_by_one() -> None:
    graph = Graph("two")
    relu = graph.add("Relu", [graph.add_input("x", X)])
    exp, tanh = (graph.add(kind, [relu.output]) for kind in ("Exp", "Tanh"))
    graph.outputs = {"a": exp.output, "b": tanh.output}
    rule = Rule.replacing("r", "Relu#1 -> Exp; Relu#1 -> Tanh", "Exp = Tanh(Relu#1[0])\nTanh = Exp(Relu#1[0])")
    apply_rule(graph, rule)
    verify(graph)
    assert [value.name for value in graph.outputs.values()] == ["exp", "tanh"]
    assert [value.node.kind for value in graph.outputs.values()] == ["Tanh", "Exp"]  # type: ignore[attr-defined]


def test_a_rewrite_may_leave_a_match_as_it_is() -> None:
    """What overlaps with it is tried then; nothing is left of what it began."""
    graph, nodes = chain("RRR")

    def second(rewriter: Rewriter, match: Match) -> object | None:
        made = rewriter.add("Exp", [match.nodes[0].inputs[0]]).output
        return made if match.nodes[0] is nodes[1] else None

    assert apply_rule(graph, Rule("r", Pattern("Relu#1 -> Relu#2"), second)) == 1  # type: ignore[arg-type]
    verify(graph)
    assert letters(graph.nodes) == "RE"


def test_a_replacement_may_read_what_it_replaces() -> None:
    graph, _nodes = chain("RE")
    apply_rule(graph, Rule.replacing("r", "Relu", "Relu = Tanh(Relu)"))
    verify(graph)
    assert letters(graph.nodes) == "RTE"


def test_matches_that_read_each_other_are_rewritten_together() -> None:
    graph, _ = chain("RERERE")
    rule = Rule.replacing("r", "%x -> Relu -> Exp", "%t = Tanh(%x)\nExp = Add(%t, %x)")
    assert apply_rule(graph, rule) == 3
    verify(graph)
    assert letters(graph.nodes) == "TATATA"


def test_nodes_stay_in_topological_order() -> None:
    """The Tanh is replaced by what reads the Exp, which stands behind its reader."""
    graph = Graph("order")
    x = graph.add_input("x", X)
    tanh = graph.add("Tanh", [x])
    first = graph.add("Relu", [tanh.output])
    exp = graph.add("Exp", [x])
    graph.outputs = {"a": first.output, "b": exp.output}
    apply_rule(graph, Rule.replacing("r", "%x -> Tanh#1; %x -> Exp#2", "Tanh#1 = Abs(Exp#2)\nExp#2 = Exp(%x)"))
    verify(graph)
    assert sorted(node.kind for node in graph.nodes) == ["Abs", "Exp", "Exp", "Relu"]


FILE = """
predicates:
  isFirst: getType($[0]) == 'Placeholder'
patterns:
  - name: First
    match: Relu
    where: {Relu: isFirst($)}
    replace: Relu = Tanh(Relu[0])
  - name: Halve
    match: Exp#1 -> Exp#2
    remove: true
    repeat: true
  - name: Join
    match: "%x -> Tanh+ -> Relu"
    where:
      "%x": rank($) == 2
    when: shape(Relu) == shape(%x)
    wrap: Start
  - name: Unwrap
    match: N
    where: {N: getType($) == 'Start'}
    expand: true
"""


def test_files_of_patterns(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(FILE, encoding="utf-8")
    graph, _ = chain("RRREEEEEEEEET")
    file = PatternFile(path)
    apply_rules(graph, file.rules[:1])
    assert letters(graph.nodes) == "TRREEEEEEEEET"
    file.apply(graph)
    verify(graph)
    assert letters(graph.nodes) == "TRRET"
