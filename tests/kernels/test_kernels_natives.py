"""The native functions of the neuron granularity, called from C."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import INCLUDE

from inbundle.kernels import NATIVES, generate_natives
from inbundle.nets.neuron import operation
from inbundle.nets.program import Net, Program

DRIVER = """
#include <stdio.h>
#include "net_kernels.c"

int main(void)
{
    static const float weights[3] = {1.5f, 2.5f, 3.5f};
    static float values[4] = {10.0f, 20.0f};
    bundle_regions regions = {(const uint8_t *)weights, (uint8_t *)values, 0};

    printf("%g %g\\n", native_weight(&regions, 2), native_input(&regions, 1));
    printf("%d ", (int)native_output(&regions, 3, 7.5f));
    printf("%g\\n", values[3]);
    CALLS
    return 0;
}
"""


def normal(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


# Name -> arguments and what the native returns.
VALUES = {
    "exp": ((0.5,), math.exp(0.5)),
    "log": ((0.5,), math.log(0.5)),
    "sqrt": ((0.5,), math.sqrt(0.5)),
    "erf": ((-0.5,), math.erf(-0.5)),
    "tanh": ((-0.5,), math.tanh(-0.5)),
    "sigmoid": ((-0.5,), 1 / (1 + math.exp(0.5))),
    "pow": ((2.5, -0.5), 2.5**-0.5),
    "elu": ((-0.5, 0.25), 0.25 * math.expm1(-0.5)),
    "gelu": ((-0.5,), -0.5 * normal(-0.5)),
    "gelu_tanh": ((-0.5,), -0.25 * (1 + math.tanh(math.sqrt(2 / math.pi) * (-0.5 - 0.044715 / 8)))),
}


def test_the_net_translation_declares_them_alike() -> None:
    assert {name: native.declaration(name) for name, native in NATIVES.items()} == operation.NATIVES


def test_natives_read_regions_and_compute(tmp_path: Path) -> None:
    assert VALUES.keys() | {"weight", "input", "output"} == NATIVES.keys()
    natives = [native.declaration(name) for name, native in NATIVES.items()]
    empty = Net(np.zeros(0, np.int64), np.zeros(1, np.int64))
    source = generate_natives(Program("net", [], [], natives, empty), network="net")
    (tmp_path / "net_kernels.c").write_text(source, encoding="utf-8")
    calls = "\n".join(
        f'printf("%.9g\\n", native_{name}(&regions, {", ".join(f"{x}f" for x in arguments)}));'
        for name, (arguments, _) in VALUES.items()
    )
    (tmp_path / "main.c").write_text(DRIVER.replace("CALLS", calls), encoding="utf-8")
    subprocess.run(
        ["gcc", "-Wall", "-Werror", f"-I{INCLUDE}", "-include", "inpla.h", "main.c", "-o", "main"],
        cwd=tmp_path,
        check=True,
    )
    lines = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[:2] == ["3.5 20", "0 7.5"]
    assert [float(line) for line in lines[2:]] == pytest.approx([value for _, value in VALUES.values()], rel=1e-7)
