"""The latency benchmark: ratios, remarks, table, agreement of outputs. Which side is faster no test has to say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from compile_words import parsed_options, split_words
from latency import main
from latency_table import FIGURES, Block, Line, peers_scaling, relative_difference, remark, table
from players import Players, Setup
from shared_models import EXAMPLE, find_models, symbols

import inbundle

ONE = Line("net", 1, {"gcc C": 30.0, "gcc Python": 45.0}, {"ort": 60.0, "ncnn": 40.0})
TWO = Line("net", 2, {"gcc C": 20.0, "gcc Python": 36.0}, {"ort": 40.0, "ncnn": 80.0})
STUCK = Line("net", 2, {"gcc C": 20.0, "gcc Python": 36.0}, {"ort": 58.0, "ncnn": 80.0})


def test_ratios_are_to_the_fastest_peer() -> None:
    assert (ONE.best_peer, TWO.best_peer) == ("ncnn", "ort")
    assert ONE.ratios == {"gcc C": 0.75, "gcc Python": 1.125}
    alone = Line("net", 1, {"gcc C": 30.0}, {})
    assert (alone.best_peer, alone.ratios) == ("", {})


def test_two_threads_count_where_a_peer_scales() -> None:
    assert peers_scaling(TWO, ONE) == 1.5
    assert remark(TWO, [ONE, TWO]) == "gcc C x1.50, gcc Python x1.25, peers x1.50"
    assert remark(STUCK, [ONE, STUCK]).endswith("peers x1.03: DOES NOT COUNT, peers do not scale")
    assert remark(ONE, [ONE, TWO]) == ""
    assert remark(TWO, [TWO]) == ""  # nothing to compare with
    other = Line("net", 2, {"gcc C": 20.0}, {"openvino": 1.0})
    assert remark(other, [ONE, other]) == "gcc C x1.50"


def test_the_table() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table([ONE, TWO]).splitlines()]
    assert rows[0] == [
        *("model", "threads", "gcc C", "gcc Python", "ort", "ncnn"),
        *("gcc C / best", "gcc Python / best", "remark"),
    ]
    assert rows[2] == ["net", "1", "30.0", "45.0", "60.0", "**40.0**", "0.75", "1.12", ""]
    assert rows[3][:8] == ["net", "2", "20.0", "36.0", "**40.0**", "80.0", "0.50", "0.90"]
    assert len({len(row) for row in rows}) == 1


def test_who_does_not_take_part_has_a_dash() -> None:
    lines = [ONE, Line("big", 1, {"gcc C": 3000.0}, {"ort": 6000.0})]
    assert table(lines).splitlines()[3] == "| big | 1 | 3,000.0 | - | **6,000.0** | - | 0.50 | - |  |"


def test_figures_are_of_single_calls() -> None:
    blocks = [Block(np.array([5.0, 9.0, 7.0]), 6.5), Block(np.array([1.0, 100.0, 6.0, 8.0]), 7.5)]
    assert {name: figure(blocks) for name, figure in FIGURES.items()} == {"median": 7.0, "best": 1.0, "cpu": 6.5}


def test_outputs_are_compared_by_the_largest_value() -> None:
    expected = [np.array([[0.0, -200.0], [10.0, 1.0]], np.float32), np.array([0.5], np.float32)]
    assert relative_difference(expected, expected) == 0.0
    moved = [expected[0] + np.float32([[0.02, 0], [0, 0]]), expected[1]]
    assert relative_difference(moved, expected) == pytest.approx(1e-4, rel=1e-3)
    assert relative_difference([expected[0], np.array([0.6])], expected) == pytest.approx(0.2)
    assert relative_difference([expected[0].reshape(4), expected[1]], expected) == 0.0  # ncnn leaves out the batch
    for wrong in ([expected[0]], [expected[1], expected[0]], [expected[0] * np.nan, expected[1]]):
        assert relative_difference(wrong, expected) == float("inf")
    nothing = [np.zeros(3, np.float32)]
    assert relative_difference([np.float32([0, 0, 0.5])], nothing) == 0.5


def test_compile_options_stand_behind_two_dashes() -> None:
    own, flags = split_words(["--rounds", "3", "--", "-mcpu=native", "threads=2", "onnx-define-symbol=n,4"])
    assert own == ["--rounds", "3"]
    assert parsed_options(flags) == {"mcpu": "native", "threads": 2, "onnx_define_symbol": {"n": 4}}
    assert split_words(["--json"]) == (["--json"], [])


def test_models_are_files_or_known_names(tmp_path: Path) -> None:
    assert find_models([str(EXAMPLE)], tmp_path) == [EXAMPLE]
    with pytest.raises(SystemExit, match=r"no model 'nonsense': neither a file nor one of mlp_784_128_10, "):
        find_models(["nonsense"], tmp_path)
    assert symbols(EXAMPLE) == {}


def test_wrong_outputs_are_an_error_and_have_no_seat(tmp_path: Path) -> None:
    bundle = inbundle.compile(EXAMPLE, tmp_path / "b", relocation_model="pic")
    inputs = {"image": np.random.default_rng(1).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)}
    right = bundle.run(inputs)
    wrong = {"probabilities": right["probabilities"] + np.float32(3e-4)}
    for expected, seats in ((right, ["gcc C", "gcc Python"]), (wrong, [])):
        scratch = tmp_path / f"scratch{len(seats)}"
        scratch.mkdir()
        with Players(Setup(EXAMPLE, 1, {"gcc": tmp_path / "b"}, [], inputs, expected, scratch)) as players:
            assert players.seats.ours == seats
            assert len(players.seats.errors) == 2 - len(seats)
            assert all(re.match(r"gcc \w+: outputs differ from the ref", error) for error in players.seats.errors)
            for name in seats:
                assert (players.play(name).calls > 0).all()


def test_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--models", str(EXAMPLE), "--threads", "1", "--cc", "gcc", "--rounds", "1", "--peers", ""]
    assert main([*words, "--json", str(tmp_path / "found.json")]) == 0
    assert re.search(r"\| mnist \| 1 \| \d+\.\d \| \d+\.\d \|  \|", capsys.readouterr().out)
    (line,) = json.loads((tmp_path / "found.json").read_text())
    assert (line["model"], line["threads"], list(line["ours"]), line["peers"]) == (
        *("mnist", 1),
        *(["gcc C", "gcc Python"], {}),
    )


def test_what_fails_is_a_line_and_a_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--models", str(EXAMPLE), "--threads", "1", "--cc", "no-such-compiler", "--rounds", "1"]) == 1
    assert "error: mnist, no-such-compiler: no C compiler 'no-such-compiler'" in capsys.readouterr().err
