"""Bundles for several threads: the same bits however many there are and however instructions are cut, without races."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import inbundle
from inbundle.bundle.runner import Bundle
from inbundle.errors import CompileError

THREADS = 3
HOST = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"

GLOW_MEM_ALIGN(64) static uint8_t constants[BRANCHES_CONSTANT_MEM_SIZE] = {
#include "branches.weights.txt"
};

/* Runs with 1 to 3 threads, while another caller does the same: NULL if all results are alike. */
static void *run(void *seed)
{
    uint8_t *mutable_ = aligned_alloc(64, BRANCHES_MUTABLE_MEM_SIZE), first[40];
    uint8_t *activations = aligned_alloc(64, BRANCHES_ACTIVATIONS_MEM_SIZE);
    float *x = (float *)(void *)(mutable_ + BRANCHES_x), *y = (float *)(void *)(mutable_ + BRANCHES_y);
    int wrong = 0;
    for (int i = 0; i < 1200; i++)
        x[i] = (float)((i * 7919 + *(int *)seed) % 101) / 50 - 1;
    for (int round = 0; round < 12; round++) {
        wrong |= branches_set_threads(round % 3 + 1) | branches(constants, mutable_, activations);
        if (round == 0)
            memcpy(first, y, sizeof first);
        wrong |= memcmp(first, y, sizeof first) != 0;
    }
    free(mutable_), free(activations);
    return wrong ? seed : NULL;
}

int main(void)
{
    int seeds[2] = {1, 2};
    pthread_t other;
    void *result = NULL;
    if (branches_set_threads(0) != 63 || branches_set_threads(4) != 63 || branches_set_threads(-1) != 63)
        return 2;
    if (pthread_create(&other, NULL, run, &seeds[0]) != 0)
        return 3;
    const int wrong = run(&seeds[1]) != NULL;
    pthread_join(other, &result);
    return wrong || result != NULL;
}
"""


def branches() -> onnx.ModelProto:
    """Convolutions of all kinds, pools, a Concat and products, on images of 20 x 20."""
    random = np.random.default_rng(5)
    weights: list[onnx.TensorProto] = []

    def constant(*shape: int) -> str:
        data = (random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
        weights.append(numpy_helper.from_array(data, f"w{len(weights)}"))
        return weights[-1].name

    def conv(source: str, result: str, shape: tuple[int, ...], **attributes: object) -> onnx.NodeProto:
        return helper.make_node("Conv", [source, constant(*shape)], [result], result, **attributes)

    nodes = [
        conv("x", "a", (32, 3, 3, 3), pads=[1] * 4),
        helper.make_node("Relu", ["a"], ["b"], "b"),
        conv("b", "c", (32, 32, 3, 3), pads=[1] * 4),
        conv("b", "d", (32, 1, 3, 3), pads=[1] * 4, group=32),
        helper.make_node("MaxPool", ["b"], ["e"], "e", kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("Concat", ["c", "d", "e"], ["f"], "f", axis=1),
        conv("f", "g", (80, 96, 1, 1)),
        helper.make_node("Add", ["g", constant(1, 80, 1, 1)], ["h"], "h"),
        conv("h", "i", (160, 80, 3, 3), strides=[2, 2]),
        helper.make_node("GlobalAveragePool", ["i"], ["j"], "j"),
        helper.make_node("Flatten", ["j"], ["k"], "k"),
        helper.make_node("Gemm", ["k", constant(160, 90)], ["l"], "l"),
        helper.make_node("Gemm", ["l", constant(90, 10)], ["m"], "m"),
        helper.make_node("Softmax", ["m"], ["y"], "softmax"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 20, 20])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])
    graph = helper.make_graph(nodes, "branches", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("threads") / "branches.onnx"
    onnx.save(branches(), path)
    return path


@pytest.fixture(scope="module")
def expected(model: Path) -> tuple[np.ndarray, bytes]:
    """An input, and the output of a bundle for one thread."""
    x = np.random.default_rng(1).standard_normal((1, 3, 20, 20)).astype(np.float32)
    return x, output(compile(model, model.parent / "one"), x)


def compile(model: Path, directory: Path, **options: object) -> Bundle:
    """Position-independent: the object is what runs, and the C is compiled no second time."""
    return inbundle.compile(model, directory, relocation_model="pic", **options)


def output(bundle: Bundle, x: np.ndarray) -> bytes:
    return bundle.run({"x": x})["y"].tobytes()


@pytest.mark.parametrize("split", ["auto", "rows", "channels", "none"])
def test_every_split_and_number_of_threads_gives_the_same_bits(
    model: Path, expected: tuple[np.ndarray, bytes], tmp_path: Path, split: str
) -> None:
    x, one = expected
    bundle = compile(model, tmp_path, threads=THREADS, tile_split=split)
    most = max(kernel["tiles"] for kernel in bundle.manifest["kernels"])
    assert (most > 1) == (split != "none")
    for count in (1, 2, 3, 1, 3):
        bundle.set_threads(count)
        assert [output(bundle, x) for _ in range(20)] == [one] * 20


def test_a_model_too_small_for_a_cut_runs_alone_whatever_is_chosen(tmp_path: Path) -> None:
    weights = numpy_helper.from_array(np.random.default_rng(2).standard_normal((40, 10)).astype(np.float32), "w")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in (("x", 40), ("y", 10)))
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "small", [x], [y], [weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "small.onnx")
    values = np.random.default_rng(3).standard_normal((1, 40)).astype(np.float32)
    one = output(compile(tmp_path / "small.onnx", tmp_path / "one"), values)
    bundle = compile(tmp_path / "small.onnx", tmp_path / "two", threads=2)
    for count in (1, 2):
        bundle.set_threads(count)
        assert output(bundle, values) == one
    assert "#define INPLA_THREADS 0\n" in (tmp_path / "two" / "small.c").read_text(encoding="utf-8")
    with pytest.raises(CompileError, match="3 threads: expected a whole number, 1 to 2"):
        bundle.set_threads(3)


@pytest.mark.parametrize("count", [0, 4, -1, 2**32 + 1, 1.0, True])
def test_other_numbers_of_threads_are_refused(model: Path, tmp_path: Path, count: object) -> None:
    directory = model.parent / "several"
    if not directory.exists():
        compile(model, directory, threads=THREADS)
    with pytest.raises(CompileError, match=r"branches: .* threads: expected a whole number, 1 to 3 \(for more compile"):
        inbundle.load(directory).set_threads(count)  # type: ignore[arg-type]


def test_one_thread_is_all_that_a_bundle_for_one_has(model: Path, expected: tuple[np.ndarray, bytes]) -> None:
    bundle = inbundle.load(model.parent / "one")
    bundle.set_threads(1)
    assert output(bundle, expected[0]) == expected[1]
    with pytest.raises(CompileError, match="2 threads: expected a whole number, 1 to 1"):
        bundle.set_threads(2)


@pytest.mark.parametrize("split", ["rows", "channels"])
def test_no_race_under_the_thread_sanitizer(model: Path, tmp_path: Path, split: str) -> None:
    compile(model, tmp_path, threads=THREADS, tile_split=split)
    (tmp_path / "host.c").write_text(HOST)
    flags = ["-std=c11", "-O1", "-g", "-fsanitize=thread", "-ffp-contract=off", "-pthread"]
    command = ["gcc", *flags, "host.c", "branches.c", "-o", "host", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./host"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
