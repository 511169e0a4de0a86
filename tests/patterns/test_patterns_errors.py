"""Patterns that are wrong: one line with the place, in terms of what the user wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from pattern_graphs import chain

from inbundle.errors import CompileError
from inbundle.patterns import Pattern, Rule, apply_rule
from inbundle.patterns.pattern_file import PatternFile

PATTERNS = {
    "Relu -> ": ("1:9", "unexpected the end"),
    "Relu => Exp": ("1:6", "unexpected `=>'"),
    "Relu ->\n -> Exp": ("2:2", "unexpected `->'"),
    "Relu -> (Exp": ("1:13", "unexpected the end"),
    "Relo": ("1:1", "`Relo' is no kind of node"),
    "Relu*": ("1:1", "may match no node at all"),
    "Relu -> (Exp*)+": ("1:10", "may match no node at all"),
    "Relu; Exp": ("1:7", "nothing in common"),
    "Relu#1; Exp -> Relu#2": ("1:9", "nothing in common"),
    "Relu -> Exp#1+": ("1:9", "cannot be repeated"),
    "Relu -> %x": ("1:9", "unexpected `%x'"),
    f"Relu -{'1' * 5000}> Exp": ("1:6", "a number of more than 300 digits"),
    f"{'(' * 1500}Relu{')+' * 1500}": ("1:1", "nested more than 100 levels deep"),
}
CONDITIONS = {
    "getTyp($) == 'Relu'": ("1:1", "there is no function `getTyp'"),
    "getType() == 'Relu'": ("1:1", "takes 1 argument(s), not 0"),
    "!getType($) == 'Relu'": ("1:2", "a truth value is needed here, not a text"),
    "getType($) == 1": ("1:12", "a text never equals a number"),
    "rank($) < 'a'": ("1:11", "a number is needed here, not a text"),
    "'Relu'": ("1:1", "a truth value is needed here, not a text"),
    "Exp.axis == 1": ("1:1", "there is no key `Exp' here"),
    "$ == ": ("1:6", "unexpected the end"),
    "$.perm[0] == 1 &&\n  rank(3) == 1": ("2:8", "a node or value is needed here, not a number"),
    f"rank($) < {'1' * 5000}": ("1:11", "a number of more than 300 digits"),
    f"{'!' * 5000}true": ("1:1", "nested more than 100 levels deep"),
    "shape($) && true": ("1:1", "a truth value is needed here, not a list"),
}
AT_A_MATCH = {
    "shape($)[0]": "2 is no truth value",
    "rank($) / (rank($) - 2) > 1": "division by zero",
    f"rank($) < {'9' * 300} * {'9' * 300} / 3.0": "the result of `/' is too large",
    "$[0] < 3": "'x', which is no number",
}
REPLACEMENTS = {
    "%t = Relu(%x)": ("1:1", "nothing is replaced"),
    "Exp = Relo(%x)": ("1:7", "`Relo' is neither a kind of node nor a function (did you mean Relu?)"),
    "Exp = Relu(%z)": ("1:12", "there is no key `%z' here"),
    "Relu = %x\nTanh = %x": ("2:1", "`Tanh' is no single node"),
    "Exp = %x\nExp = %x": ("2:1", "has a value already"),
    "%x = Relu(%x)\nExp = %x": ("1:1", "has a value already"),
    "Exp = %x {axis: 1}": ("1:1", "only a new node has attributes"),
}
BUILDS = {
    "Exp = Softmax(%x)": ("1:7", "needs the attribute 'axis'"),
    "Exp = Relu(%x) {axis: 1}": ("1:7", "has no attribute 'axis'"),
    "Exp = Softmax(%x) {axis: [1]}": ("1:7", "the attribute axis is (1,), not a whole number"),
    "Exp = Softmax(%x) {axis: 1.5}": ("1:7", "the attribute axis is 1.5, not a whole number"),
    "Exp = Elu(%x) {alpha: 'a'}": ("1:7", "the attribute alpha is 'a', not a number"),
    "Exp = ReduceMean(%x) {axes: 1}": ("1:7", "the attribute axes is 1, not a list of whole numbers"),
    "Exp = Reshape(%x) {shape: [2, 3.0]}": ("1:7", "the attribute shape is (2, 3.0), not a list of whole numbers"),
    "Exp = Gelu(%x) {approximate: Relu}": ("1:7", "the attribute approximate is a node, not text"),
    "Exp = Add(%x, [[1, 2], [3]])": ("1:7", "the lists in a list of numbers have several lengths"),
    "Exp = Add(%x, 1e60)": ("1:7", "1e+60 is no element of type float"),
    f"Exp = Add(%x, {'9' * 300} * {'9' * 300})": ("1:7", "a number is too large"),
    "Exp = Add(%x, 'a')": ("1:7", "neither a value nor a number"),
    "Exp = rank(%x)": ("1:7", "neither a node nor a value"),
    "Exp = Reshape(%x) {shape: [6]}": ("", "is float<6>, not float<2 x 3>"),
}


@pytest.mark.parametrize("text", PATTERNS)
def test_graph_patterns(text: str) -> None:
    place, message = PATTERNS[text]
    with pytest.raises(CompileError) as error:
        Pattern(text)
    assert f"{place}: " in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions(text: str) -> None:
    place, message = CONDITIONS[text]
    with pytest.raises(CompileError) as error:
        Pattern("Relu", {"Relu": text})
    assert f"{place}: " in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("text", AT_A_MATCH)
def test_conditions_that_fail_on_a_node(text: str) -> None:
    graph, _ = chain("R")
    pattern = Pattern("Relu", {"Relu": text})
    with pytest.raises(CompileError, match=AT_A_MATCH[text]):
        pattern.matches(graph)


def test_conditions_of_keys_that_are_not_there() -> None:
    with pytest.raises(CompileError, match="there is no `Exp' in the pattern"):
        Pattern("Relu", {"Exp": "true"})


@pytest.mark.parametrize("text", REPLACEMENTS)
def test_replacements(text: str) -> None:
    place, message = REPLACEMENTS[text]
    with pytest.raises(CompileError) as error:
        Rule.replacing("r", "%x -> Relu -> Exp", text)
    assert f"{place}: " in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("text", BUILDS)
def test_replacements_that_do_not_fit_a_match(text: str) -> None:
    place, message = BUILDS[text]
    graph, _ = chain("RE")
    rule = Rule.replacing("r", "%x -> Relu -> Exp", text)
    with pytest.raises(CompileError) as error:
        apply_rule(graph, rule)
    assert place in str(error.value)
    assert message in str(error.value)
    assert "pattern r" in str(error.value)


def test_replacements_that_read_their_own_result() -> None:
    graph, _ = chain("RE")
    rule = Rule.replacing("r", "Relu -> Exp", "Relu = Tanh(Exp)", exclusive=False)
    with pytest.raises(CompileError, match="pattern r: a replacement reads its own result, by way of node"):
        apply_rule(graph, rule)


FILES = {
    "patterns: [": ("1:12", "no valid YAML"),
    "": ("", "the file holds no patterns"),
    "patterns:\n  - name: a\n": ("2:5", "'match' is a required property"),
    "patterns:\n  - {name: a, match: Relu}\n": ("2:5", "exactly one action"),
    "patterns:\n  - {name: a, match: Relu, remove: true, wrap: b}\n": ("2:5", "exactly one action"),
    "patterns:\n  - {name: a, match: Relu, remove: true, whre: {}}\n": ("2:5", "'whre' was unexpected"),
    "patterns:\n  - {name: a, match: Relu, remove: true, exclusive: 1}\n": ("2:53", "1 is not of type"),
    "patterns:\n  - name: a\n    match: Relu -> Relo\n    remove: true\n": ("3:20", "`Relo' is no kind"),
    "patterns:\n  - name: a\n    match: 'Relu -> Relo'\n    remove: true\n": ("3:21", "`Relo' is no kind"),
    "patterns:\n  - name: a\n    match: |\n      Relu\n        -> Relo\n    remove: true\n": ("5:12", "`Relo'"),
    "patterns:\n  - name: a\n    match: >\n      Relu\n      -> Relo\n    remove: true\n": ("3:12", "`Relo'"),
    "patterns:\n  - name: a\n    name: b\n": ("3:5", "'name' is there twice"),
    "patterns:\n  - {name: a, match: Relu, where: {3: 'true'}, remove: true}\n": ("2:36", "a key is a text"),
    "predicates:\n  on: 'true'\n": ("2:3", "a key is a text here (write it in quotes)"),
    "patterns: &p\n  - *p\n": ("1:11", "is within itself"),
    "patterns:\n  - {name: a, match: Relu, remove: true}\n  - {name: a, match: Exp, remove: true}\n": (
        "3:12",
        "there is a pattern 'a' already",
    ),
    "patterns:\n  - {name: a, match: Relu, wrap: Conv}\n": ("2:34", "there is a kind of node called Conv"),
    "patterns:\n  - {name: a, match: Relu, wrap: My block}\n": ("2:34", "'My block' does not match"),
    "predicates: {rank: 'true'}\npatterns:\n  - {name: a, match: Relu, remove: true}\n": ("1:20", "`rank' already"),
    "predicates:\n  p: $.x ==\npatterns:\n  - {name: a, match: Relu, remove: true}\n": ("2:12", "unexpected the end"),
    "patterns:\n  - name: a\n    match: Relu\n    where:\n      Relu: p($)\n    remove: true\n": ("5:13", "`p'"),
    "patterns:\n  - name: a\n    match: Relu\n    replace: |\n      Relu = Exp(Relu[0])\n      Exp = Relu[0]\n": (
        "6:7",
        "`Exp' is no single node",
    ),
}


@pytest.mark.parametrize("text", FILES)
def test_pattern_files(text: str, tmp_path: Path) -> None:
    place, message = FILES[text]
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CompileError) as error:
        PatternFile(path)
    assert f"own.yaml:{place}: " in str(error.value) if place else "own.yaml: " in str(error.value)
    assert message in str(error.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as error:
        PatternFile(tmp_path / "own.yaml")
    assert str(error.value) == f"{tmp_path}/own.yaml: -patterns: cannot read the file: No such file or directory"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file holds no patterns (docs/patterns.md describes the form)"),
        (b"# none\n", "the file holds no patterns (docs/patterns.md describes the form)"),
        (b"\xff", "-patterns: the file is no text in UTF-8"),
    ],
)
def test_files_without_patterns(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_bytes(data)
    with pytest.raises(CompileError) as error:
        PatternFile(tmp_path / "own.yaml")
    assert str(error.value) == f"{tmp_path}/own.yaml: {message}"


AT_WORK = {
    "replace: Exp = Softmax(%x)": (":4:20", "Softmax needs the attribute 'axis'"),
    "replace: |\n      %t = Tanh(%x)\n      Exp = Relu(%t) {axis: 1}": (":6:13", "Relu has no attribute 'axis'"),
    "replace: 'Exp = Reshape(%x) {shape: [6]}'": (":4:15", "is float<6>, not float<2 x 3>"),
    "exclusive: false\n    replace: Relu = Tanh(Exp)": (":5:14", "a replacement reads its own result"),
}


@pytest.mark.parametrize("action", AT_WORK)
def test_what_goes_wrong_at_a_match_is_named_with_its_place(action: str, tmp_path: Path) -> None:
    """The place is the first thing of the line, so that editors find it."""
    place, message = AT_WORK[action]
    path = tmp_path / "own.yaml"
    path.write_text(f"patterns:\n  - name: a\n    match: '%x -> Relu -> Exp'\n    {action}\n", "utf-8")
    graph, _ = chain("RE")
    with pytest.raises(CompileError) as error:
        PatternFile(path).apply(graph)
    assert str(error.value).startswith(f"{path}{place}: pattern a: ")
    assert message in str(error.value)


def test_what_cannot_be_removed_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("patterns:\n  - name: a\n    match: Concat\n    remove: true\n", "utf-8")
    graph, nodes = chain("RE")
    graph.outputs = {"y": graph.add("Concat", [node.output for node in nodes], {"axis": 0}).output}
    with pytest.raises(CompileError, match=r"own\.yaml:4:13: pattern a: node '.*': cannot be removed: it reads"):
        PatternFile(path).apply(graph)


ENDLESS = {
    "replace: Any = Exp(Any[0])": "leads back to a graph that was there before, after 1 run ",
    "replace: Any = Max(Any[0], 0.5)": "leads back to a graph that was there before, after 2 runs ",
    "replace: |\n      %e = Exp(Any[0])\n      Any = Exp(%e)": "grew from 1 to 2048 nodes, after 11 runs ",
    "replace: 'Any = LeakyRelu(Any[0]) {alpha: Any.alpha + 1}'": "still matches, after 101 runs ",
    "wrap: Block": "still matches, after 101 runs",
}


@pytest.mark.parametrize("action", ENDLESS)
def test_patterns_without_end(action: str, tmp_path: Path) -> None:
    """A loop is found when it comes back, growth when the graph has become many times as large."""
    path = tmp_path / "own.yaml"
    fields = ["name: a", "match: Any", "where: {Any: 'true'}", "repeat: true", action]
    path.write_text("patterns:\n  - " + "\n    ".join(fields) + "\n", "utf-8")
    graph, _ = chain("E")
    with pytest.raises(
        CompileError, match=rf"own\.yaml:\d+:\d+: pattern a: `repeat' finds no end: .*{ENDLESS[action]}"
    ):
        PatternFile(path).apply(graph)
