"""Bundles of the real models, compiled once per test process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inbundle
from inbundle.bundle.runner import Bundle

SYMBOLS = {"lenet": {"unk__26": 1}}


@pytest.fixture(scope="session")
def compiled(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bundle]:
    """compiled("lenet", granularity="neuron") -> Bundle of ../shared/data/lenet.onnx."""
    cache: dict[str, Bundle] = {}

    def get(model: str, **options: Any) -> Bundle:
        key = f"{model} {sorted(options.items())}"
        if key not in cache:
            directory = tmp_path_factory.mktemp("bundle") / "b"
            defined = SYMBOLS.get(model, {})
            cache[key] = inbundle.compile(
                shared / "data" / f"{model}.onnx", directory, onnx_define_symbol=defined, **options
            )
        return cache[key]

    return get
