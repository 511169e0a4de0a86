"""The mathematics of templates/kernels/functions: errors in units of the last place, special values."""

from __future__ import annotations

import itertools
import math
import subprocess
from collections.abc import Callable

import numpy as np
import pytest
from kernel_batch import INCLUDE

from inbundle.kernels.source import kernels_file
from inbundle.nets.natives import OF_NUMBERS

FUNCTIONS = (
    *("exp", "log", "sqrt", "erf", "tanh", "sigmoid", "softplus", "sinh", "cosh", "asinh", "acosh", "atanh"),
    *("sin", "cos", "asin", "acos", "atan", "floor", "ceil", "round", "fmod", "pow"),
)
OF_TWO = ("fmod", "pow")
OF_ONE = tuple(name for name in FUNCTIONS if name not in OF_TWO)
# Formulas of those above: no better than what these lose by cancellation, so the kernels' tests are theirs.
COMPOSED = ("elu", "gelu", "gelu_tanh")
DRIVER = """
int main(int count, char **argument)
{
    double x[2], y = 0;
    (void)count;
    while (fread(x, sizeof x, 1, stdin) == 1) {
        switch (argument[1][0]) {
            CASES
        }
        fwrite(&y, sizeof y, 1, stdout);
    }
    return 0;
}
"""
SPECIAL = [0.0, 1.0, 2.0, 3.0, 0.5, 1.5, math.inf, 1e300, 5e-324, 2.0**53, 2.0**53 - 1, 1 + 2.0**-52, 1 - 2.0**-53]
SPECIAL = [*SPECIAL, *(-x for x in SPECIAL), math.nan]

NUMPY = {"round": "rint", **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}}

Evaluate = Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """Calls a function of the C library for every element of an array (or of two)."""
    folder = tmp_path_factory.mktemp("math")
    cases = "\n".join(
        f"case {index + ord('0')}: y = math_{name}({'x[0], x[1]' if name in OF_TWO else 'x[0]'}); break;"
        for index, name in enumerate(FUNCTIONS)
    )
    source = kernels_file("test", "the mathematics", [DRIVER.replace("CASES", cases)])
    (folder / "m.c").write_text(f"#include <stdio.h>\n{source}", encoding="utf-8")
    flags = ["-std=c11", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["gcc", *flags, f"-I{INCLUDE}", "-include", "inpla.h", "m.c", "-o", "m"], cwd=folder, check=True)

    def call(name: str, x: np.ndarray, y: np.ndarray | float = 0.0) -> np.ndarray:
        pairs = np.column_stack(np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64)))
        arguments = ["./m", chr(FUNCTIONS.index(name) + ord("0"))]
        done = subprocess.run(arguments, cwd=folder, input=pairs.tobytes(), stdout=subprocess.PIPE, check=True)
        return np.frombuffer(done.stdout)

    return call


def true_value(name: str, x: np.ndarray) -> np.ndarray:
    """In extended precision where NumPy has the function."""
    wide = x.astype(np.longdouble)
    if name == "erf":
        return np.array([math.erf(value) for value in x], np.longdouble)
    if name == "sigmoid":
        return np.where(x < 0, np.exp(wide) / (1 + np.exp(wide)), 1 / (1 + np.exp(-wide)))
    if name == "softplus":
        return np.logaddexp(np.longdouble(0), wide)
    return getattr(np, NUMPY.get(name, name))(wide)


def units_in_last_place(computed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Distance in units of the last place of `computed`'s type; 0 where both are the same special value."""
    rounded = wanted.astype(computed.dtype)
    same = (computed == rounded) | (np.isnan(computed) & np.isnan(rounded))
    return np.where(same, 0, np.abs(computed - wanted) / np.spacing(np.abs(rounded)).astype(np.longdouble))


def test_every_function_is_measured() -> None:
    missing = sorted(OF_NUMBERS.keys() - {*FUNCTIONS, *COMPOSED})
    assert not missing, f"add {missing} to FUNCTIONS or COMPOSED in tests/kernels/test_kernels_math.py"


@pytest.mark.parametrize("name", OF_ONE)
def test_floats_of_the_whole_range(name: str, evaluate: Evaluate) -> None:
    """Every 8,191st float there is, infinities and NaN among them, is right to less than one unit."""
    bits = np.append(np.arange(0, 2**32, 8191), [0x7F800000, 0xFF800000, 0x7FC00000, 0x80000000])
    x = bits.astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        computed = evaluate(name, x).astype(np.float32)
        assert units_in_last_place(computed, true_value(name, x)).max() < 1


@pytest.mark.parametrize("name", OF_ONE)
def test_doubles(name: str, evaluate: Evaluate) -> None:
    random = np.random.default_rng(1)
    spread = np.exp(random.uniform(-740, 709, 20000))
    x = np.concatenate([spread, random.uniform(-3, 3, 20000), random.uniform(-745, 709, 20000), 1 + spread * 1e-300])
    x = np.append(x, SPECIAL)
    with np.errstate(all="ignore"):
        assert units_in_last_place(evaluate(name, x), true_value(name, x)).max() < 4


def test_square_roots_are_rounded_to_nearest(evaluate: Evaluate) -> None:
    random = np.random.default_rng(2)
    x = np.concatenate([random.uniform(0, 4, 50000), np.exp(random.uniform(-744, 709, 50000)), np.arange(2000) ** 2])
    assert evaluate("sqrt", x).tobytes() == np.sqrt(x).tobytes()


def test_powers_of_doubles(evaluate: Evaluate) -> None:
    random = np.random.default_rng(3)
    x = np.concatenate([np.exp(random.uniform(-700, 700, 20000)), random.uniform(0.5, 2, 20000)])
    y = random.uniform(-744, 709, x.size) / np.log(x)
    wanted = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    assert units_in_last_place(evaluate("pow", x, y), wanted).max() < 4


def test_powers_of_special_values_are_those_of_c(evaluate: Evaluate) -> None:
    x, y = (np.array(side) for side in zip(*itertools.product(SPECIAL, SPECIAL), strict=True))
    with np.errstate(all="ignore"):
        computed, wanted = evaluate("pow", x, y), np.power(x, y)
        assert units_in_last_place(computed, wanted).max() < 2
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(computed[numbers]), np.signbit(wanted[numbers]))


def test_angles_next_to_multiples_of_a_right_angle(evaluate: Evaluate) -> None:
    """Doubles of every size, rounded multiples of pi / 2 among them: what is left of those is all in the table."""
    random = np.random.default_rng(4)
    x = np.concatenate([np.exp(random.uniform(0, 709, 20000)), np.arange(1, 20000) * (np.pi / 2)])
    for name in ("sin", "cos"):
        assert units_in_last_place(evaluate(name, x), true_value(name, x)).max() < 3, name


def test_remainders_are_exact(evaluate: Evaluate) -> None:
    random = np.random.default_rng(5)
    x = np.concatenate([np.exp(random.uniform(-744, 709, 5000)), random.uniform(-9, 9, 5000)])
    y = np.concatenate([np.exp(random.uniform(-744, 709, 5000)), random.uniform(-3, 3, 5000)])
    special = np.array(list(itertools.product(SPECIAL, SPECIAL)))
    x, y = np.append(x, special[:, 0]), np.append(y, special[:, 1])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(evaluate("fmod", x, y), np.fmod(x, y))


def test_zeros_keep_their_sign(evaluate: Evaluate) -> None:
    for name in ("sqrt", "erf", "tanh", "sinh", "asinh", "atanh", "sin", "asin", "atan", "floor", "ceil", "round"):
        assert np.signbit(evaluate(name, np.array([0.0, -0.0]))).tolist() == [False, True], name
