"""The passes on real models: results stay, step by step, and the optimised model can be written as ONNX."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import onnx
import pytest

from inbundle.difference import difference
from inbundle.frontend import graph_of_model, load_graph
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import evaluate, to_model
from inbundle.options import CompileOptions
from inbundle.passes import optimize
from inbundle.passes.equivalence import EquivalenceCheck

LARGE = ("resnet18", "mobilenetv2", "squeezenet")
STORED = ("mnist", "lenet", "mnist-12", "mnist-12-3outputs", "micro_kws_m_static_fp32", "version-RFB-320")
MADE = ("resnet8", "dscnn", *(pytest.param(name, marks=pytest.mark.nightly) for name in LARGE))
SYMBOLS = {"lenet": {"unk__26": 1}}


@pytest.fixture(scope="module")
def make(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """make("resnet8") -> the benchmark model's file."""
    folder = tmp_path_factory.mktemp("models")
    module = _module(shared / "bench" / "make_models.py")

    def build(name: str) -> Path:
        before = set(folder.iterdir())
        getattr(module, name)(folder)
        (path,) = set(folder.iterdir()) - before
        return path

    return build


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_close(actual: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name, array in actual.items():
        found = difference(array, expected[name], name)
        assert not found.is_failure, f"{name}: {found}"


def check_optimised(graph: Graph, inputs: dict[str, np.ndarray]) -> None:
    """The optimised graph, the ONNX model it is written as, and that model read again agree with the graph; each pass
    is checked on inputs of its own."""
    expected = evaluate(graph, inputs)
    optimize(graph, watchers=[EquivalenceCheck()])
    check_close(evaluate(graph, inputs), expected)
    model = to_model(graph)
    onnx.checker.check_model(model, full_check=True)
    again = graph_of_model(model, CompileOptions(), name="again", base_dir=None)
    check_close(evaluate(again, inputs), expected)


@pytest.mark.parametrize("name", STORED)
def test_stored_models(shared: Path, name: str) -> None:
    """Outputs are those that are stored beside the model, too."""
    options = CompileOptions(onnx_define_symbol=SYMBOLS.get(name, {}))
    graph = load_graph(shared / "data" / f"{name}.onnx", options)
    stored = np.load(shared / "data" / f"{name}.ref.npz")
    inputs = {value.name: stored[value.name] for value in graph.inputs}
    check_optimised(graph, inputs)
    check_close(evaluate(graph, inputs), dict(stored))


@pytest.mark.parametrize("name", MADE)
def test_benchmark_models(make: Callable[[str], Path], name: str) -> None:
    path = make(name)
    graph = load_graph(path, CompileOptions())
    path.unlink()
    rng = np.random.default_rng(1)
    check_optimised(graph, {value.name: rng.uniform(-1, 1, value.type.shape).astype("f4") for value in graph.inputs})
