"""The models that benchmarks run: files, or names of those that lie beside this checkout in ../shared."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import onnx

REPO = Path(__file__).resolve().parents[1]
SHARED = REPO.parent / "shared"
EXAMPLE = REPO / "examples" / "mnist" / "mnist.onnx"

MADE = (
    "mlp_784_128_10",
    "mlp_784_256x4_10",
    "autoencoder",
    "dscnn",
    "resnet8",
    "mobilenetv2",
    "squeezenet11",
    "resnet18",
)
"""What ../shared/bench/make_models.py writes."""

TABLE = (*MADE[:3], "lenet", "mnist", *MADE[3:])
"""The models that are compared by default, small ones first."""


def find_models(words: Sequence[str], scratch: Path) -> list[Path]:
    """The files of models given as paths or names; without any, TABLE, or the example where there is no ../shared.

    Args:
        scratch: a folder for models that are made first.
    """
    if not words:
        words = TABLE if SHARED.is_dir() else (str(EXAMPLE),)
    if any(word in MADE for word in words):
        subprocess.run([sys.executable, SHARED / "bench" / "make_models.py", scratch], check=True)
    return [_file(word, scratch) for word in words]


def _file(word: str, scratch: Path) -> Path:
    if word in MADE:
        return scratch / f"{word}.onnx"
    for path in (Path(word), SHARED / "data" / f"{word}.onnx"):
        if path.is_file():
            return path
    sys.exit(f"no model '{word}': neither a file nor one of {', '.join(TABLE)}")


def symbols(model: Path) -> dict[str, int]:
    """The symbolic dimensions of a model's inputs, each of size 1."""
    graph = onnx.load(model, load_external_data=False).graph
    dims = [dim for value in graph.input for dim in value.type.tensor_type.shape.dim]
    return {dim.dim_param: 1 for dim in dims if dim.dim_param}
