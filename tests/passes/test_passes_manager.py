"""The pass manager on a made-up unit (a list of words), and what is special about graphs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.graph.graph import Graph
from inbundle.graph.types import ElemKind, TensorType
from inbundle.pass_manager import MOST_REPETITIONS, PassConfig, PassManager, PassResult, PassRun, UnitKind, Watcher
from inbundle.pass_watchers import Chosen, PassDumper, PassLog
from inbundle.passes import PASSES, PIPELINE, optimize
from inbundle.passes.manager import DCE, GRAPHS, GraphPass, chosen_passes

Words = list[str]


def _drop(word: str) -> Callable[[Words], None]:
    """A pass that removes one `word`."""

    def run(words: Words) -> None:
        if word in words:
            words.remove(word)

    return run


def _no_bad_words(words: Words, after: str) -> None:
    if "bad" in words:
        raise CompileError("a bad word", where=(after,))


DEAD = PassConfig[Words]("dead", lambda words: words.__setitem__(slice(None), [w for w in words if w != "dead"]))
WORDS = UnitKind[Words]("list", "words", lambda words: {f"{i}{w}": w for i, w in enumerate(words)}, len, _no_bad_words)


class Diary(Watcher[Words]):
    def __init__(self) -> None:
        self.runs: list[tuple[str, int, int]] = []

    def before(self, run: PassRun, unit: Words) -> None:
        self.runs.append((run.name, run.number, run.repetition))


def test_a_pass_runs_once_or_until_nothing_changes() -> None:
    for until_fixed_point, left in ((False, ["a", "a"]), (True, [])):
        words = ["a", "a", "a"]
        PassManager(WORDS).run(words, [PassConfig("drop", _drop("a"), until_fixed_point)])
        assert words == left


def test_a_pass_that_never_ends_is_named() -> None:
    words: Words = []
    with pytest.raises(CompileError, match=rf"list pass grow.*{MOST_REPETITIONS}"):
        PassManager(WORDS).run(words, [PassConfig("grow", lambda w: w.append("x"), until_fixed_point=True)])
    assert len(words) == MOST_REPETITIONS


def test_the_verifier_names_the_pass_that_broke_the_unit() -> None:
    pipeline = [PassConfig[Words]("good", _drop("a")), PassConfig[Words]("evil", lambda words: words.append("bad"))]
    with pytest.raises(CompileError, match="list pass evil: a bad word"):
        PassManager(WORDS).run(["a"], pipeline)


def test_dce_runs_before_passes_that_want_it_and_only_after_changes() -> None:
    diary = Diary()
    kind = UnitKind[Words]("list", "words", WORDS.state, len, _no_bad_words, dce=DEAD)
    plain = PassConfig[Words]("plain", lambda words: words.append("dead"), dce_before=False)
    careful = PassConfig[Words]("careful", _drop("a"))
    words = ["a", "a", "dead"]
    PassManager(kind, [diary]).run(words, [careful, PassConfig("rest", _drop("b")), plain, careful])
    # The second `careful` finds what `plain` left; between `rest`, which changed nothing, and `plain` nothing is dead.
    assert [name for name, _, _ in diary.runs] == ["dead", "careful", "dead", "rest", "plain", "dead", "careful"]
    assert words == []


def test_no_pass_runs_after_the_given_number() -> None:
    diary = Diary()
    words = ["a"] * 9
    PassManager(WORDS, [diary], stop_after=3).run(words, [PassConfig("drop", _drop("a"), until_fixed_point=True)] * 2)
    assert diary.runs == [("drop", 1, 0), ("drop", 2, 1), ("drop", 3, 2)]
    assert len(words) == 6


def test_the_log_says_what_changed() -> None:
    lines: list[str] = []
    manager = PassManager(WORDS, [PassLog(WORDS, lines.append)])
    manager.run(["a", "b"], [PassConfig("drop", _drop("b")), PassConfig("drop", _drop("b"))])
    first, second = (line.split(", ") for line in lines)
    assert first[0] == "list pass 1 drop: 2 -> 1 words"
    assert first[1].endswith(" ms; removed 1b\n")
    assert second[0] == "list pass 2 drop: 1 words"
    assert second[1].endswith(" ms\n")


def test_the_log_tells_of_a_new_order() -> None:
    lines: list[str] = []
    by_name = UnitKind[Words]("list", "words", lambda words: dict.fromkeys(words), len, _no_bad_words)
    PassManager(by_name, [PassLog(by_name, lines.append)]).run(["a", "b"], [PassConfig("turn", list.reverse)])
    assert lines[0].endswith(" ms; reordered\n")


def test_the_log_counts_what_is_too_much_to_name() -> None:
    lines: list[str] = []
    many = PassConfig[Words]("clear", lambda words: words.clear())
    PassManager(WORDS, [PassLog(WORDS, lines.append)]).run([str(i) for i in range(9)], [many])
    assert lines[0].endswith("; removed 00, 11, 22, 33, 44, 55 and 3 more\n")


def test_dumps_of_chosen_passes() -> None:
    shown: list[tuple[str, str, int]] = []
    dumper = PassDumper[Words](
        Chosen(("one",)), Chosen(every=True), lambda run, when, words: shown.append((run.name, when, len(words)))
    )
    PassManager(WORDS, [dumper]).run(["a", "b"], [PassConfig("one", _drop("a")), PassConfig("two", _drop("b"))])
    assert shown == [("one", "before", 2), ("one", "after", 1), ("two", "after", 0)]


# --- graphs --------------------------------------------------------------------------------------------------------


def _names(*words: str) -> list[str]:
    return [config.name for config in chosen_passes(words, PASSES, PIPELINE)]


def test_words_of_graph_passes() -> None:
    default = [config.name for config in PIPELINE]
    assert _names("default") == default
    assert _names("none") == []
    assert _names("CSE", "DCE", "CSE") == ["CSE", "DCE", "CSE"]
    assert _names("default", "-CSE", "EliminateNoop") == [n for n in default if n != "CSE"] + ["EliminateNoop"]
    star, plain = chosen_passes(["CSE*", "CSE"], PASSES, PIPELINE)
    assert (star.until_fixed_point, plain.until_fixed_point) == (True, False)


@pytest.mark.parametrize("word", ["CES", "-CES", "CES*", ""])
def test_unknown_passes_are_named_with_those_there_are(word: str) -> None:
    with pytest.raises(
        CompileError, match=r"-graph-passes: there is no pass '(CES)?' \(there are default, none, .*CSE"
    ):
        chosen_passes([word], PASSES, PIPELINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none", "-CSE"), "none stands for no pass at all"),
        (("none", "CSE"), "none stands for no pass at all"),
        (("default", "none"), "none stands for no pass at all"),
        (("none", "none"), "none stands for no pass at all"),
        (("default*",), "default is no pass"),
        (("default", "-none"), "none is no pass"),
        (("-CSE",), "nothing in front of -CSE has the pass CSE"),
        (("-CSE", "default"), "nothing in front of -CSE has the pass CSE"),
        (("default", "-CSE", "-CSE"), "nothing in front of -CSE has the pass CSE"),
    ],
)
def test_words_that_contradict_each_other(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        _names(*words)


def _graph() -> Graph:
    """Two equal nodes, and one that nobody reads."""
    graph = Graph("g")
    x = graph.add_input("x", TensorType(ElemKind.FLOAT, (2,)))
    one, two = (graph.add("Relu", [x], name=name).output for name in ("one", "two"))
    graph.add("Exp", [x], name="dead")
    graph.outputs = {"y": graph.add("Add", [one, two], name="sum").output}
    return graph


class GraphDiary(Watcher[Graph]):
    def __init__(self) -> None:
        self.results: dict[str, PassResult] = {}

    def after(self, run: PassRun, result: PassResult, unit: Graph) -> None:
        self.results.setdefault(run.name, result)


def test_what_changed_in_a_graph() -> None:
    diary = GraphDiary()
    optimize(_graph(), ["CSE"], [diary])
    dce, cse = diary.results["DCE"], diary.results["CSE"]
    assert (dce.removed, dce.added, dce.changed, dce.count) == (("dead",), (), (), 3)
    assert (cse.removed, cse.added, cse.changed, cse.count) == (("two",), (), ("sum",), 2)


def test_constants_and_outputs_are_part_of_the_state() -> None:
    def swap(graph: Graph) -> None:
        graph.outputs["y"] = graph.add_constant("c", np.zeros(2, np.float32))

    diary = GraphDiary()
    PassManager(GRAPHS, [diary]).run(_graph(), [GraphPass("swap", swap), DCE])
    assert diary.results["swap"].added == ("c",)
    assert diary.results["swap"].changed == ("output y",)


def test_a_graph_pass_that_breaks_the_graph_is_named() -> None:
    def break_it(graph: Graph) -> None:
        graph.nodes.reverse()

    with pytest.raises(CompileError, match="graph pass Reverse: g: node 'sum'"):
        PassManager(GRAPHS).run(_graph(), [GraphPass("Reverse", break_it)])
