"""Correct digits of the 10,000 MNIST test images, as the references count them, and of the example model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reference import WIDE_PIXELS

from inbundle.accuracy.images import read_images, read_labels, to_tensor
from inbundle.bundle.runner import Bundle

CORRECT = {"mnist": 9548, "lenet": 9871, "mnist-12": 9891, "mnist-net_256x2": 9808, "mnist-net_256x4": 9764}
EXAMPLE_CORRECT = 9911  # also in examples/mnist/README.md


def predictions(bundle: Bundle, folder: Path, mode: str, count: int = 10_000) -> tuple[np.ndarray, np.ndarray]:
    """Classes that a bundle gives to the first `count` test digits, and the right ones."""
    images = read_images(folder / "t10k-images-idx3-ubyte.gz").first(count)
    labels = read_labels(folder / "t10k-labels-idx1-ubyte.gz")[:count]
    source, output = bundle.inputs[0], bundle.outputs[0].name
    tensors = (to_tensor(pixels, source.shape, mode, name) for name, pixels in images)
    found = [bundle.run({source.name: tensor})[output].argmax() for tensor in tensors]
    return np.array(found), labels


@pytest.mark.parametrize(("model", "correct"), CORRECT.items())
def test_correct_digits(compiled: Callable[..., Bundle], shared: Path, model: str, correct: int) -> None:
    mode = "0to255" if model in WIDE_PIXELS else "0to1"
    found, labels = predictions(compiled(model), shared / "data" / "mnist", mode)
    assert (found == labels).sum() == correct


@pytest.mark.parametrize("model", ["lenet", "mnist-12", "mnist-net_256x2"])
def test_neuron_nets_see_the_same_digits(compiled: Callable[..., Bundle], shared: Path, model: str) -> None:
    mode = "0to255" if model in WIDE_PIXELS else "0to1"
    folder = shared / "data" / "mnist"
    tile, _ = predictions(compiled(model), folder, mode, 100)
    neuron, _ = predictions(compiled(model, granularity="neuron"), folder, mode, 100)
    assert np.array_equal(tile, neuron)


def test_example_accuracy(compiled: Callable[..., Bundle], shared: Path) -> None:
    found, labels = predictions(compiled("example"), shared / "data" / "mnist", "0to1")
    assert (found == labels).sum() == EXAMPLE_CORRECT
