"""Facts of the real models in ../shared/data: stored outputs, pixel ranges."""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Models whose pixels are 0..255; the others take 0..1.
WIDE_PIXELS = ("mnist-12",)


def reference_runs(path: Path) -> list[dict[str, np.ndarray]]:
    """The runs of a NAME.ref.npz: tensor name -> array."""
    stored = np.load(path)
    runs: list[dict[str, np.ndarray]] = []
    for key in stored.files:
        name, _, number = key.partition("#")
        index = int(number or 0)
        while len(runs) <= index:
            runs.append({})
        runs[index][name] = stored[key]
    return runs
