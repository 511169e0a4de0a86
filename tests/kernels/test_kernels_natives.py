"""The native functions of the neuron granularity, called from C."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import numpy as np
from kernel_batch import INCLUDE

from inbundle.kernels import generate_natives
from inbundle.nets.natives import NATIVES, OF_NUMBERS
from inbundle.nets.program import Net, Program
from native_functions import on_numbers

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


POINTS = (-0.5, 0.5, 2.5)  # of every operand


def test_natives_read_regions_and_compute(tmp_path: Path) -> None:
    calls = [
        (name, numbers)
        for name, native in OF_NUMBERS.items()
        for numbers in itertools.product(POINTS, repeat=len(native.parameters))
    ]
    natives = [native.declaration for native in NATIVES.values()]
    empty = Net(np.zeros(0, np.int64), np.zeros(1, np.int64))
    source = generate_natives(Program("net", [], [], natives, empty), network="net")
    (tmp_path / "net_kernels.c").write_text(source, encoding="utf-8")
    printed = "\n".join(
        f'printf("%.9g\\n", native_{name}(&regions, {", ".join(f"{x}f" for x in numbers)}));' for name, numbers in calls
    )
    (tmp_path / "main.c").write_text(DRIVER.replace("CALLS", printed), encoding="utf-8")
    subprocess.run(
        ["gcc", "-Wall", "-Werror", f"-I{INCLUDE}", "-include", "inpla.h", "main.c", "-o", "main"],
        cwd=tmp_path,
        check=True,
    )
    lines = subprocess.run(["./main"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[:2] == ["3.5 20", "0 7.5"]
    computed = [float(line) for line in lines[2:]]
    wanted = [on_numbers(name, *numbers) for name, numbers in calls]
    np.testing.assert_allclose(computed, wanted, rtol=2e-7, err_msg=str(calls))
