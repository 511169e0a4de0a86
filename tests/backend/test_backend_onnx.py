"""The official ONNX backend tests of the supported operators, through `inbundle.backend`.

A test is in scope when all its operators are; what is left out among those is listed with the reason.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import inbundle.backend

with warnings.catch_warnings():
    # ONNX makes its test data while it is imported, overflowing casts included.
    warnings.simplefilter("ignore")
    from onnx.backend.test import BackendTest
    from onnx.backend.test.loader import load_model_tests

README = Path(__file__).resolve().parents[2] / "README.md"
OUT_OF_SCOPE = {
    r"FLOAT8|FLOAT4|INT4|INT2|float8|e4m3|e5m2|e8m0|float4|int4|int2": "element types below 8 bits, and 8-bit floats",
    r"_STRING|string|STRING_": "string tensors",
    r"sequence|optional|_opt": "sequences and optionals",
    r"training": "training mode",
}


def in_scope() -> tuple[list[str], list[str]]:
    """Names of the tests to run, and of those left out although their operators are supported."""
    supported = set(inbundle.backend.supported_operators())
    run, left_out = [], []
    for kind in ("node", "simple", "pytorch-converted", "pytorch-operator"):
        for case in load_model_tests(kind=kind):
            model = case.model
            if model is None:
                model = onnx.load(f"{case.model_dir}/model.onnx")
            if not all(node.op_type in supported and node.domain in ("", "ai.onnx") for node in model.graph.node):
                continue
            out = any(re.search(pattern, case.name) for pattern in OUT_OF_SCOPE)
            (left_out if out else run).append(case.name)
    return run, left_out


RUN, LEFT_OUT = in_scope()


class Suite(BackendTest):
    """Half-precision results may differ by two units in the last place, as the suite itself allows bfloat16.

    Its references round after every operation of NumPy's, a sum's among them; ours are closer to the exact values.
    """

    @classmethod
    def assert_similar_outputs(
        cls, ref_outputs: Sequence[Any], outputs: Sequence[Any], rtol: float, atol: float, model_dir: str | None = None
    ) -> None:
        if any(np.asarray(each).dtype == np.float16 for each in ref_outputs):
            rtol = max(rtol, 2**-9)
        super().assert_similar_outputs(ref_outputs, outputs, rtol, atol, model_dir)


def official_tests() -> dict[str, type]:
    """The suite's test classes, with the tests of RUN on the CPU and no others (it would report those as skipped)."""
    wanted = {f"{name}_cpu" for name in RUN}
    classes: dict[str, type] = {}
    for name, case in Suite(inbundle.backend, __name__).test_cases.items():
        for test in [
            attribute for attribute in vars(case) if attribute.startswith("test_") and attribute not in wanted
        ]:
            delattr(case, test)
        if any(attribute in wanted for attribute in vars(case)):
            classes[name] = case
    return classes


globals().update(official_tests())


def test_readme_names_the_operators_and_the_number_of_tests() -> None:
    text = README.read_text()
    assert [name for name in inbundle.backend.supported_operators() if not re.search(rf"\b{name}\b", text)] == []
    official = re.search(r"The (\d+)\s+official ONNX backend tests .* onnx ([\d.]+)\)", text, re.DOTALL)
    assert official
    if onnx.__version__ == official[2]:
        assert len(RUN) == int(official[1])


@pytest.mark.parametrize("device", ["CPU", "CPU:0"])
def test_runs_on_the_cpu(device: str) -> None:
    assert inbundle.backend.supports_device(device)
    assert not inbundle.backend.supports_device("CUDA")
