"""Classification metrics over a confusion matrix.

Precision of a class: true positives over all images predicted as it; recall: over all images that are it; F1: their
harmonic mean. A quotient 0/0 counts as 0. Macro: the plain mean over the classes that occur as label or prediction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Metrics:
    """Fractions in [0, 1]; `correct` and `total` are numbers of images."""

    correct: int
    total: int
    top1: float
    top5: float
    precision: float
    recall: float
    f1: float


def ranking(scores: np.ndarray, k: int) -> np.ndarray:
    """The k largest classes of a score vector, best first; of equal scores the lower class first."""
    return np.argsort(-scores, kind="stable")[:k]


def measure(top: np.ndarray, labels: np.ndarray) -> Metrics:
    """Metrics of predictions.

    Args:
        top: images x k, the classes in order of score, best first (k up to 5 counts for top-5).
        labels: images.
    """
    best = top[:, 0]
    hits = top[:, :5] == labels[:, None]
    scores = np.array([_precision_recall_f1(best, labels, c) for c in np.union1d(best, labels)])
    precision, recall, f1 = scores.mean(0)
    correct = int(hits[:, 0].sum())
    return Metrics(correct, len(labels), correct / len(labels), float(hits.any(1).mean()), precision, recall, f1)


def _precision_recall_f1(predicted: np.ndarray, labels: np.ndarray, cls: int) -> tuple[float, float, float]:
    true = int(((predicted == cls) & (labels == cls)).sum())
    precision = _quotient(true, int((predicted == cls).sum()))
    recall = _quotient(true, int((labels == cls).sum()))
    return precision, recall, _quotient(2 * precision * recall, precision + recall)


def _quotient(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0
