"""Real models: optimised IR, run on planned memory, gives the stored reference outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inbundle.frontend import load_graph
from inbundle.ir.passes import optimize
from inbundle.ir.planner import plan
from inbundle.ir.verifier import verify
from inbundle.lowering import lower
from inbundle.options import CompileOptions
from ir_interpreter import run

MODELS = {
    "mnist": {},
    "lenet": {"unk__26": 1},
    "mnist-12": {},
    "mnist-net_256x2": {},
    "ACASXU_run2a_1_1_batch_2000": {},
    "micro_kws_m_static_fp32": {},
    "version-RFB-320": {},
}


@pytest.mark.parametrize("name", MODELS)
def test_a_real_model_gives_its_reference_outputs(shared: Path, name: str) -> None:
    graph = load_graph(shared / "data" / f"{name}.onnx", CompileOptions(onnx_define_symbol=MODELS[name]))
    function = lower(graph)
    optimize(function)
    verify(function)
    stored = np.load(shared / "data" / f"{name}.ref.npz")
    inputs = {variable.name: stored[variable.name] for variable in function.inputs}
    outputs = run(function, inputs, plan(function))
    for output, value in outputs.items():
        np.testing.assert_allclose(value, stored[output], rtol=1e-4, atol=1e-4)
