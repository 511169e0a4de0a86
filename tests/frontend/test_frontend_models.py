"""Real models load, with the outputs their references have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inbundle.errors import CompileError
from inbundle.frontend import load_graph
from inbundle.graph.verifier import verify
from inbundle.options import CompileOptions

SYMBOLS = {"lenet": {"unk__26": 1}, "micro_kws_m_static_qdq": {"unk__68": 1}}
MODELS = (
    "ACASXU_run2a_1_1_batch_2000",
    "ACASXU_run2a_2_3_batch_2000",
    "lenet",
    "micro_kws_m_static_fp32",
    "mnist",
    "mnist-8/mnist-8",
    "mnist-12",
    "mnist-12-3outputs",
    "mnist-net_256x2",
    "mnist-net_256x4",
    "version-RFB-320",
)


@pytest.mark.parametrize("name", MODELS)
def test_model_loads(name: str, shared: Path) -> None:
    options = CompileOptions(onnx_define_symbol=SYMBOLS.get(name, {}))
    graph = load_graph(shared / "data" / f"{name}.onnx", options)
    verify(graph)
    with np.load(shared / "data" / f"{name}.ref.npz") as reference:
        for value in graph.inputs:
            assert value.type.shape == reference[value.name].shape
        for output, value in graph.outputs.items():
            assert value.type.shape == reference[output].shape


def test_shape_chains_of_a_detector_fold(shared: Path) -> None:
    kinds = {node.kind for node in load_graph(shared / "data" / "version-RFB-320.onnx", CompileOptions()).nodes}
    assert not kinds & {"Shape", "Gather", "Unsqueeze", "Constant"}


@pytest.mark.parametrize("form", ["qdq", "qoperator"])
def test_quantised_models_name_what_is_missing(form: str, shared: Path) -> None:
    name = f"micro_kws_m_static_{form}"
    with pytest.raises(CompileError, match=r"unsupported operators: .*QuantizeLinear \(opset 15\) at nodes '"):
        load_graph(shared / "data" / f"{name}.onnx", CompileOptions(onnx_define_symbol=SYMBOLS.get(name, {})))
