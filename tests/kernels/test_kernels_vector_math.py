"""The mathematics of templates/kernels/vector/functions: errors in units of the last place, over all floats."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import HOST, INCLUDE, Tools
from test_kernels_math import units_in_last_place
from vector_cases import units

from inbundle.kernels.source import kernels_file
from inbundle.kernels.vector.functions import for_machine
from inbundle.kernels.vector.machines import MACHINES

LIMITS = {"exp": 1.1, "expm1": 2.0, "log": 1.0, "erf": 2.0, "tanh": 2.5, "sigmoid": 2.5}
"""Function -> what its error stays below, in units of the last place; the comments of the functions promise no less."""

DRIVER = """
static KERNEL int run(int name)
{
    floats x;

    while (fread(&x, sizeof x, 1, stdin) == 1) {
        switch (name) {
            CASES
        }
        fwrite(&x, sizeof x, 1, stdout);
    }
    return 0;
}

int main(int count, char **argument)
{
    (void)count;
    return run(argument[1][0] - '0');
}
"""

Evaluate = Callable[[str, np.ndarray], np.ndarray]


def evaluator(unit: str, folder: Path, tools: Tools = HOST) -> Evaluate:
    """Calls a function for every float of an array."""
    cases = "\n".join(f"case {number}: x = vector_{name}(x); break;" for number, name in enumerate(LIMITS))
    machine = MACHINES[unit]
    text = for_machine(DRIVER.replace("CASES", cases), machine)
    (folder / "m.c").write_text(f"#include <stdio.h>\n{kernels_file('m', 'mathematics', [text], [machine])}")
    flags = ["-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
    command = [*tools.compiler, *flags, f"-I{INCLUDE}", "-include", "inpla.h", "m.c", "-o", "m"]
    subprocess.run(command, cwd=folder, check=True)

    def call(name: str, x: np.ndarray) -> np.ndarray:
        padded = np.append(x, np.zeros(-len(x) % 16, np.float32))
        arguments = [*tools.run, "./m", str(list(LIMITS).index(name))]
        done = subprocess.run(arguments, cwd=folder, input=padded.tobytes(), stdout=subprocess.PIPE, check=True)
        return np.frombuffer(done.stdout, np.float32)[: len(x)]

    return call


def true_value(name: str, x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.longdouble)
    if name == "erf":
        return np.array([math.erf(value) for value in x], np.longdouble)
    if name == "sigmoid":
        return np.where(x < 0, np.exp(wide) / (1 + np.exp(wide)), 1 / (1 + np.exp(-wide)))
    return getattr(np, name)(wide)


@units
def test_floats_of_the_whole_range(vectors: tuple[str, ...], tmp_path: Path) -> None:
    check_whole_range(evaluator(vectors[0], tmp_path))


def check_whole_range(evaluate: Evaluate, flush: bool = False) -> None:
    """Every 65,521st float there is, more around 0 to 12, infinities, zeros, NaN and the ends of the ranges.

    Args:
        flush: whether the unit takes subnormal numbers for zeros; then results, too, may be off by as little.
    """
    bits = np.append(np.arange(0, 2**32, 65521), [0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000, 1, 0x80000001])
    near = np.random.default_rng(1).uniform(-12, 12, 40000)
    ends = [-104.5, -103.9, -87.4, 88.7, 88.8, 0.9, -0.9, 4.0, 10.0, 1.0]
    x = np.concatenate([bits.astype(np.uint32).view(np.float32), near.astype(np.float32), np.float32(ends)])
    tiny = np.finfo(np.float32).tiny if flush else 0
    with np.errstate(all="ignore"):
        for name, limit in LIMITS.items():
            taken = x[~(x > 44)] if name == "expm1" else x
            computed = evaluate(name, taken)
            wanted = true_value(name, np.where(np.abs(taken) < tiny, 0, taken))
            error = np.where(np.abs(computed - wanted) <= tiny, 0, units_in_last_place(computed, wanted))
            assert error.max() < limit, f"{name}({taken[error.argmax()]}): {error.max()}"


@pytest.mark.parametrize("name", ["tanh", "erf"])
def test_odd_functions_keep_the_sign_of_zero(name: str, tmp_path: Path) -> None:
    zeros = evaluator("sse2", tmp_path)(name, np.float32([0.0, -0.0]))
    assert np.signbit(zeros).tolist() == [False, True]
