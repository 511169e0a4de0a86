"""Metrics against values worked out by hand and against their definitions on random predictions."""

from __future__ import annotations

import numpy as np
import pytest

from inbundle.accuracy.metrics import measure, ranking


def test_ranking_puts_the_lower_class_first_on_ties() -> None:
    assert ranking(np.array([0.1, 0.5, 0.5, 0.2]), 3).tolist() == [1, 2, 3]


def test_two_classes_by_hand() -> None:
    # Class 0: 2 of 3 predictions right, 2 of 2 found. Class 1: 1 of 1 right, 1 of 2 found.
    metrics = measure(np.array([[0, 1], [0, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1]))
    assert (metrics.correct, metrics.total) == (3, 4)
    assert metrics.top1 == 0.75
    assert metrics.top5 == 1.0
    assert metrics.precision == pytest.approx((2 / 3 + 1) / 2)
    assert metrics.recall == pytest.approx((1 + 1 / 2) / 2)
    assert metrics.f1 == pytest.approx((0.8 + 2 / 3) / 2)


def test_class_never_predicted_counts_as_zero() -> None:
    metrics = measure(np.array([[0, 2], [0, 2]]), np.array([0, 1]))
    assert metrics.precision == pytest.approx(0.25)
    assert metrics.recall == pytest.approx(0.5)
    assert metrics.top5 == 0.5


def test_balanced_random_predictions_have_recall_equal_to_top1() -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(10), 30)
    top = np.stack([rng.permutation(10)[:5] for _ in labels])
    metrics = measure(top, labels)
    assert metrics.recall == pytest.approx(metrics.top1)
    assert metrics.top5 == pytest.approx((top == labels[:, None]).any(1).mean())
