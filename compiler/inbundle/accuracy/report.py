"""Runs a classifier over images and prints what it saw: a line per image, then the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TextIO

import numpy as np

from inbundle.accuracy.images import ImageSet
from inbundle.accuracy.metrics import Metrics, measure, ranking
from inbundle.errors import CompileError

Classifier = Callable[[np.ndarray, str], np.ndarray]


def evaluate(
    images: ImageSet, labels: np.ndarray, classify: Classifier, *, per_image: bool, out: TextIO, topk: int = 5
) -> Metrics:
    """Classifies every image and prints the report to `out`.

    Args:
        labels: the right class per image, as many as images.
        classify: (pixels uint8, name of the image) -> scores, 1-D.
        per_image: print the `topk` classes of each image.

    Raises:
        CompileError: a label that the model has no score for.
    """
    rows = np.full((len(images), max(topk, 5)), -1, np.int64)
    width = max((len(name) for name in images.names), default=0)
    for index, (name, pixels) in enumerate(images):
        scores = classify(pixels, name)
        if not 0 <= labels[index] < len(scores):
            message = f"label {labels[index]} of image '{name}' is no class of the model"
            raise CompileError(message, hint=f"it has {len(scores)} classes, 0 to {len(scores) - 1}")
        best = ranking(scores, rows.shape[1])
        rows[index, : len(best)] = best
        if per_image:
            mark = " " if best[0] == labels[index] else "*"
            text = "  ".join(f"{c} {scores[c]:.4f}" for c in best[:topk])
            print(f"{mark} {name:<{width}}  label {labels[index]}  top-{topk}: {text}", file=out)
    metrics = measure(rows, labels)
    for line in table(metrics):
        print(line, file=out)
    return metrics


def table(metrics: Metrics) -> Iterator[str]:
    """The accuracy table, line by line."""
    yield ""
    yield f"{'images':<18}{metrics.total:>10}"
    yield f"{'correct':<18}{metrics.correct:>10}"
    for name, value in (
        ("top-1", metrics.top1),
        ("top-5", metrics.top5),
        ("precision (macro)", metrics.precision),
        ("recall (macro)", metrics.recall),
        ("F1 (macro)", metrics.f1),
    ):
        yield f"{name:<18}{100 * value:>9.2f}%"
