"""Applications around bundles: written for Glow, two networks in one program, many threads, sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import inbundle
from inbundle.bundle.runner import Bundle
from inbundle.driver import compile_model
from inbundle.frontend.source import model_source
from inbundle.options import CompileOptions

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist" / "mnist.onnx"
SOURCES = Path(__file__).resolve().parent / "applications"
IMAGE = np.random.default_rng(3).random((1, 1, 28, 28), np.float32)


def shell(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def mnist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("mnist") / "mnist"
    write(directory)
    IMAGE.tofile(directory / "image.raw")
    return directory


def write(directory: Path, **options: str) -> None:
    """The example's bundle, as the command writes it; `inbundle.compile` would load it, too."""
    compile_model(model_source(EXAMPLE), directory, CompileOptions(**options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def want(compiled: Callable[..., Bundle]) -> np.ndarray:
    return compiled("example").run({"image": IMAGE})["probabilities"].ravel()


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()], np.float32)


@pytest.mark.parametrize(
    ("compiler", "source"),
    [("clang++", "glow_style.cpp"), ("g++", "glow_style.cpp"), ("gcc", "plain.c"), ("clang", "plain.c")],
)
def test_application_written_for_glow(mnist: Path, want: np.ndarray, compiler: str, source: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    name = f"{compiler}.x"
    shell(compiler, "-O2", "-Wall", "-I.", "-c", SOURCES / source, "-o", f"{name}.o", cwd=mnist)
    shell(compiler, "-O2", "-Wall", f"{name}.o", "mnist.o", "-o", name, cwd=mnist)
    assert np.array_equal(numbers(shell(f"./{name}", "image.raw", cwd=mnist)), want)


def test_example_application_of_the_bundle(mnist: Path, want: np.ndarray) -> None:
    shell("make", cwd=mnist)
    shell("./main.x", "-o", "out.raw", "image.raw", cwd=mnist)
    assert np.array_equal(np.fromfile(mnist / "out.raw", np.float32), want)


def test_object_exports_only_the_entry(mnist: Path) -> None:
    symbols = shell("nm", "-g", "--defined-only", "mnist.o", cwd=mnist).split()
    assert symbols[2::3] == ["mnist"]
    undefined = set(shell("nm", "-u", "mnist.o", cwd=mnist).split()) - {"U"}
    # __cpu_model is of the compiler's own library: which vector unit the processor has.
    assert undefined <= {"memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_", "__cpu_model"}


@pytest.mark.parametrize(
    ("compiler", "standard"), [("gcc", "c11"), ("clang", "c11"), ("g++", "c++17"), ("clang++", "c++17")]
)
@pytest.mark.parametrize("granularity", ["tile", "neuron"])
def test_generated_code_is_free_of_warnings(
    compiled: Callable[..., Bundle], compiler: str, standard: str, granularity: str
) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    language = "c++" if standard.startswith("c++") else "c"
    flags = ["-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", f"-std={standard}", "-x", language, "-fsyntax-only"]
    if granularity == "neuron":  # 40 MB of text would take a while
        flags.append('-DMNIST_WEIGHTS_FILE="mnist.weights.bin"')
    for source in ("mnist.c", "main.c"):
        shell(compiler, *flags, source, cwd=compiled("example", granularity=granularity).directory)


def test_two_bundles_in_one_program(tmp_path: Path, want: np.ndarray) -> None:
    for name in ("first", "second"):
        write(tmp_path / name, network_name=name)
    IMAGE.tofile(tmp_path / "image.raw")
    objects = ["first/first.o", "second/second.o"]
    shell("gcc", "-O2", "-Wall", "-I.", SOURCES / "two_bundles.c", *objects, "-o", "two.x", cwd=tmp_path)
    first, second = np.split(numbers(shell("./two.x", "image.raw", cwd=tmp_path)), 2)
    assert np.array_equal(first, want)
    assert np.array_equal(second, want)


def small_net() -> onnx.ModelProto:
    """Inputs and outputs of the example, one per cent of its agents: the sanitizers are slow."""
    rng = np.random.default_rng(4)
    shapes = {"k": (4, 1, 3, 3), "c": (4,), "w": (36, 10), "b": (10,)}
    weights = [numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), n) for n, shape in shapes.items()]
    nodes = [
        helper.make_node("MaxPool", ["image"], ["pool"], kernel_shape=[4, 4], strides=[4, 4]),
        helper.make_node("Conv", ["pool", "k", "c"], ["conv"], strides=[2, 2]),
        helper.make_node("Relu", ["conv"], ["relu"]),
        helper.make_node("Flatten", ["relu"], ["flat"]),
        helper.make_node("Gemm", ["flat", "w", "b"], ["gemm"]),
        helper.make_node("Softmax", ["gemm"], ["probabilities"]),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, IMAGE.shape)
    probabilities = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, (1, 10))
    graph = helper.make_graph(nodes, "small", [image], [probabilities], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("granularity", ["tile", "neuron"])
@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_eight_callers_at_once(
    compiled: Callable[..., Bundle], tmp_path: Path, sanitizer: str, granularity: str, threads: int
) -> None:
    """Eight threads call one bundle with eight sets of regions, many times, under the sanitizers."""
    if granularity == "tile":
        bundle = compiled("example", threads=threads)
    else:
        options = {"granularity": "neuron", "threads": threads, "network_name": "mnist", "relocation_model": "pic"}
        bundle = inbundle.compile(small_net(), tmp_path / "mnist", **options)
    IMAGE.tofile(tmp_path / "image.raw")
    directory = bundle.directory
    flags = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-O1", "-g", "-pthread", f"-I{directory}"]
    if threads > 1:
        flags.append("-DINPLA_THREADS")
    shell("gcc", *flags, SOURCES / "eight_callers.c", directory / "mnist.c", "-o", "eight.x", cwd=tmp_path)
    got = numbers(shell("./eight.x", "image.raw", directory / "mnist.weights.bin", cwd=tmp_path)).reshape(8, 10)
    want = bundle.run({"image": IMAGE})["probabilities"]
    assert np.abs(got - want).max() < 1e-6
    assert (got == got[0]).all()


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, network_name="net")
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) > 10
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_dynamic_api(tmp_path: Path, want: np.ndarray) -> None:
    write(tmp_path / "mnist", bundle_api="dynamic")
    IMAGE.tofile(tmp_path / "image.raw")
    for compiler, standard in (("gcc", "-std=c11"), ("g++", "-std=c++17")):
        flags = ["-O2", "-Wall", "-Wextra", standard, "-Imnist", "-x", "c" if compiler == "gcc" else "c++"]
        shell(compiler, *flags, "-c", SOURCES / "dynamic.c", "-o", "dynamic.o", cwd=tmp_path)
        shell(compiler, "dynamic.o", "mnist/mnist.o", "-o", "dynamic.x", cwd=tmp_path)
        got = numbers(shell("./dynamic.x", "image.raw", "mnist/mnist.weights.bin", cwd=tmp_path))
        assert np.array_equal(got, want)
