"""Times bundles of models against onnxruntime, where that is installed. A measurement, never a test.

    python benchmarks/run.py [MODEL.onnx ...] [-- FLAG=VALUE ...]

Compiles the example model and the models given, each with the options given (fields of `CompileOptions` with one value,
such as `granularity=neuron`, `threads=2`, `mcpu=native`, and `onnx_define_symbol=batch,1`). A bundle is for any
processor of the architecture unless `mcpu` says more; onnxruntime chooses code for this one at run time. Prints per
model: the bundle's median in microseconds, onnxruntime's, their ratio (above 1: the bundle is slower), and how far the
outputs lie apart.

A bundle is timed through its C entry in this process, with regions that are allocated and filled before; inputs lie in
place already. onnxruntime is timed through `run` of Python, with one thread unless `threads` says more, so its time
includes a call from Python of some microseconds that the bundle's does not have in full. Both are warm, both take turns
in rounds, and the median of all single calls counts. `spread` is the 90th percentile over the median: a machine that is
busy with something else shows there, and its numbers are worth nothing.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import inbundle
from inbundle.bundle.runner import Bundle, aligned_bytes
from inbundle.bundle.verify import random_input
from inbundle.errors import CompileError

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "mnist" / "mnist.onnx"
ROUNDS = 10
SECONDS_PER_ROUND = 0.1
HEADINGS = ("model", "bundle µs", "spread", "onnxruntime µs", "spread", "ratio", "difference")


@dataclass
class Contender:
    """Something that runs a model. `call` runs it once, `outputs` gives what it computed, `keeps` is what both need."""

    call: Callable[[], object]
    outputs: Callable[[], list[np.ndarray]]
    keeps: Sequence[np.ndarray] = ()
    microseconds: list[float] = field(default_factory=list)

    def play(self) -> None:
        """Times single calls for one round, at least three."""
        self.call()  # caches are the other contender's
        end = time.perf_counter() + SECONDS_PER_ROUND
        count = 0
        while count < 3 or time.perf_counter() < end:
            start = time.perf_counter_ns()
            self.call()
            self.microseconds.append((time.perf_counter_ns() - start) / 1e3)
            count += 1

    def cells(self) -> tuple[str, str]:
        """Median and spread."""
        return f"{self.median:.1f}", f"{np.percentile(self.microseconds, 90) / self.median:.2f}"

    @property
    def median(self) -> float:
        return float(np.median(self.microseconds))


def bundle_contender(bundle: Bundle, inputs: dict[str, np.ndarray]) -> Contender:
    """The entry on regions of its own. Raises CompileError when it fails."""
    sizes = bundle.manifest["regions"]
    mutable, activations = (aligned_bytes(sizes[name]["size"]) for name in ("mutableWeight", "activations"))
    regions = (bundle._constant, mutable, activations)
    for tensor in bundle.inputs:
        tensor.view(mutable)[...] = inputs[tensor.name]
    addresses = [ctypes.c_void_p(region.ctypes.data) for region in regions]
    entry = bundle.entry
    bundle.run(inputs)  # reports an error as a CompileError

    def outputs() -> list[np.ndarray]:
        return [tensor.view(mutable).copy() for tensor in bundle.outputs]

    # An address does not keep its region alive.
    return Contender(lambda: entry(*addresses), outputs, keeps=regions)


def onnxruntime_contender(model: Path, bundle: Bundle, inputs: dict[str, np.ndarray], threads: int) -> Contender | None:
    """None where onnxruntime is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    names = [tensor.name for tensor in bundle.outputs]
    return Contender(lambda: session.run(None, inputs), lambda: list(session.run(names, inputs)))


def measured(model: Path, directory: Path, options: dict[str, Any]) -> tuple[str, ...]:
    """The row of a model."""
    bundle = inbundle.compile(model, directory, **options)
    inputs = {tensor.name: random_input(tensor, np.random.default_rng(1)) for tensor in bundle.inputs}
    ours = bundle_contender(bundle, inputs)
    theirs = onnxruntime_contender(model, bundle, inputs, options.get("threads", 1))
    for _ in range(ROUNDS):
        for contender in (ours, theirs):
            if contender:
                contender.play()
    if theirs is None:
        return (model.stem, *ours.cells(), "-", "-", "-", "-")
    return (model.stem, *ours.cells(), *theirs.cells(), f"{ours.median / theirs.median:.2f}", apart(ours, theirs))


def apart(ours: Contender, theirs: Contender) -> str:
    """The largest difference between two outputs, so that a fast wrong answer is seen."""
    pairs = zip(ours.outputs(), theirs.outputs(), strict=True)
    return f"{max(np.abs(a.astype(float) - b.astype(float)).max(initial=0) for a, b in pairs):.1e}"


def parsed_options(words: Sequence[str]) -> dict[str, Any]:
    """`NAME=VALUE` as fields of CompileOptions."""
    options: dict[str, Any] = {}
    for word in words:
        flag, _, value = word.lstrip("-").partition("=")
        name = flag.replace("-", "_")
        if name == "onnx_define_symbol":
            symbol, _, size = value.partition(",")
            options.setdefault(name, {})[symbol] = int(size)
        else:
            options[name] = int(value) if value.isdecimal() else value
    return options


def main(words: Sequence[str]) -> int:
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, metavar="MODEL.onnx")
    models = [EXAMPLE, *parser.parse_args(words[:split]).models]
    options = parsed_options(words[split + 1 :])
    print(" | ".join(HEADINGS), "|".join("---" for _ in HEADINGS), sep="\n", flush=True)
    for model in models:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                print(" | ".join(measured(model, Path(scratch) / "out", options)), flush=True)
            except CompileError as error:
                print(f"{model.stem} | {error}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
