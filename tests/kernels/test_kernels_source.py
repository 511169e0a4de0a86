"""The kernels file: every kind has a kernel, the C is clean everywhere, nothing is emitted that is not needed."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import INCLUDE, Batch

import elementwise_kinds
from inbundle.graph.types import ElemKind, TensorType
from inbundle.ir.instructions import INSTRUCTIONS
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.tasks import schedule
from inbundle.ir.tiling import tilings
from inbundle.kernels import KERNELS, generate, generate_natives
from inbundle.kernels.layout import without_unused_indices
from inbundle.kernels.source import needed_functions, support_functions
from inbundle.kernels.vector.natives import VECTOR_KERNELS
from inbundle.nets.natives import NATIVES
from inbundle.nets.program import NativeFunction, Net, Program

# Those of vector units have tests of their own: test_kernels_vector.py.
KINDS = [kind for kind, spec in INSTRUCTIONS.items() if spec.family != "vector"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
COMPILERS = {
    "gcc, C11": ["gcc", "-std=c11"],
    "gcc, C++17": ["g++", "-std=c++17", "-x", "c++"],
    "clang, C11": ["clang", "-std=c11"],
    "clang, C++17": ["clang", "-std=c++17", "-x", "c++"],
    "Cortex-M4": ["arm-none-eabi-gcc", "-std=c11", "-mcpu=cortex-m4", "-mthumb"],
}
WINDOW = {"Kernels": (2, 2), "Strides": (1, 1), "Pads": (0, 0, 1, 1), "Dilations": (1, 1)}
ATTRIBUTES = {
    "convolution": {**WINDOW, "Group": 1},
    "maxpool": {**WINDOW, "StorageOrder": 0},
    "avgpool": {**WINDOW, "CountIncludePads": False},
    "fullyconnected": {"Alpha": 0.5, "Beta": 2.0, "TransA": False, "TransB": True},
    **{kind: attributes[-1] for kind, attributes in elementwise_kinds.ATTRIBUTES.items()},
    "clip": {"Min": 0, "Max": 6},  # of integers as well
    "softmax": {"Axis": 1},
    "logsoftmax": {"Axis": 1},
    "batchnormalization": {"Epsilon": 1e-5},
    "layernormalization": {"Axis": 2, "Epsilon": 1e-5},
    "bitshift": {"Left": True},
    "isinf": {"Negative": True, "Positive": False},
    "splat": {"Value": 3},
    "transpose": {"Shuffle": (0, 1, 3, 2)},
    "inserttensor": {"Offsets": (0, 0, 0, 0)},
    "extracttensor": {"Offsets": (0, 0, 0, 0), "Steps": (1, 1, 1, 1)},
    "pad": {"Pads": (0,) * 8, "Mode": "reflect", "Value": 0.0},
    "gather": {"Axis": 0},
    "argmax": {"Axis": 3, "SelectLastIndex": False},
    "argmin": {"Axis": 3, "SelectLastIndex": True},
    **{kind: {"Axes": (3,)} for kind in ("reducesum", "reducemean", "reducemax", "reducemin", "reduceprod")},
    "cumsum": {"Axis": 3, "Exclusive": True, "Reverse": True},
    "topk": {"Axis": 3, "Largest": True},
    "scatter": {"Reduction": "max"},
}
IMAGE = (2, 3, 4, 4)
# Shapes of operands other than IMAGE.
SHAPES = {
    ("convolution", "Filter"): (3, 3, 2, 2),
    ("convolution", "Bias"): (3,),
    ("gather", "Dest"): (1, 3, 4, 4),
    ("gather", "Indices"): (1,),
    ("scatter", "Indices"): (2,),
    **{("fullyconnected", name): (3, 3) for name in ("Dest", "Src", "Weights", "Bias")},
    **{("batchnormalization", name): (3,) for name in ("Scale", "Bias", "Mean", "Var")},
    **{(kind, "Dest"): (2, 3, 4) for kind in KERNELS if kind.startswith(("reduce", "arg"))},
}
INDICES = {("maxpool", "Argmax"), ("argmax", "Dest"), ("argmin", "Dest"), ("gather", "Indices"), ("topk", "Indices")}
INDICES |= {("scatter", "Indices")}
COMPARISONS = ("equal", "less", "lessorequal", "isnan", "isinf")
TRUTHS = {*((kind, "Dest") for kind in COMPARISONS), ("select", "Cond")}
BITS = ("and", "or", "xor", "not", "bitshift")
OF_FLOATS = ("activation", "normalization", "conv")
OF_NUMBERS = {"abs", "neg", "relu", "clip", "sign"}
FLOATS_ONLY = {kind for kind, spec in INSTRUCTIONS.items() if spec.family in OF_FLOATS and kind not in OF_NUMBERS}
FLOATS_ONLY |= {"avgpool", "isnan", "isinf"}


def add_one(batch: Batch, kind: str, elem: ElemKind) -> None:
    """The kind on operands of the element kind."""
    operands: list[np.ndarray | TensorType] = []
    for spec in INSTRUCTIONS[kind].operands:
        operand_elem = ElemKind.INT64 if (kind, spec.name) in INDICES else elem
        operand_elem = ElemKind.BOOL if (kind, spec.name) in TRUTHS else operand_elem
        type = TensorType(operand_elem, SHAPES.get((kind, spec.name), IMAGE))
        operands.append(batch.array(operand_elem, type.shape) if spec.role.reads else type)
    batch.add(kind, operands, ATTRIBUTES.get(kind, {}))


@functools.cache
def everything() -> str:
    """A kernels file with every kind, on several element kinds, for one tile and for more."""
    batch = Batch(1)
    for kind in KINDS:
        floats = [ElemKind.FLOAT, ElemKind.FLOAT16, ElemKind.FLOAT64]
        integers = [ElemKind.INT8, ElemKind.UINT8, ElemKind.INT32, ElemKind.UINT64]
        elems = floats if kind in FLOATS_ONLY else floats + integers
        elems = [ElemKind.BOOL, *integers] if kind in BITS else elems
        for elem in elems:
            if kind != "pow" or elem is not ElemKind.UINT8:
                add_one(batch, kind, elem)
    plan = plan_memory(batch.function)
    return generate(
        batch.function, plan, schedule(batch.function, plan, tilings(batch.function, 2, "rows")), network="all"
    )


def program(names: list[str]) -> Program:
    natives: list[NativeFunction] = [NATIVES[name].declaration for name in names]
    nothing = Net(np.zeros(0, np.int64), np.zeros(1, np.int64))
    return Program("net", agents=[], rules=[], natives=natives, net=nothing)


def test_every_kind_has_a_kernel() -> None:
    differing = sorted((KERNELS.keys() | VECTOR_KERNELS.keys()) ^ INSTRUCTIONS.keys())
    assert not differing, f"only in one of ir/instructions.py and kernels/: {differing}"


def test_every_kind_has_attributes_for_these_tests() -> None:
    wanted = {kind: set(spec.attributes) for kind in KINDS if (spec := INSTRUCTIONS[kind]).attributes}
    given = {kind: set(attributes) for kind, attributes in ATTRIBUTES.items()}
    assert given == wanted, "edit ATTRIBUTES in tests/kernels/test_kernels_source.py"


def test_a_kernel_stands_in_the_module_of_its_family() -> None:
    modules = {kind: writer.__module__.rpartition(".")[2] for kind, writer in KERNELS.items() if kind != "pad"}
    assert modules == {kind: INSTRUCTIONS[kind].family for kind in KINDS if kind != "pad"}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_warnings(compiler: str, tmp_path: Path) -> None:
    command = COMPILERS[compiler]
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    sources = {"tile.c": everything(), "neuron.c": generate_natives(program(list(NATIVES)), network="net")}
    for name, source in sources.items():
        (tmp_path / name).write_text(with_external_natives(source), encoding="utf-8")
        done = subprocess.run(
            [*command, *WARNINGS, f"-I{INCLUDE}", "-include", "inpla.h", name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def with_external_natives(source: str) -> str:
    """The natives made external, as nothing calls them here; a support function that nothing calls is a warning."""
    return re.sub(r"^static (\w+ native_)", r"\1", source, flags=re.MULTILINE)


@pytest.mark.parametrize("effort", ["-O1", "-O2", "-Os"])
def test_the_object_needs_nothing_but_memory_functions(tmp_path: Path, effort: str) -> None:
    """No libm: what the compiler itself may ask for is all that is undefined."""
    (tmp_path / "all.c").write_text(with_external_natives(everything()), encoding="utf-8")
    command = ["gcc", "-std=c11", effort, "-ffp-contract=off", f"-I{INCLUDE}", "-include", "inpla.h", "-c", "all.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "-u", "all.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert set(symbols.split()) <= {"U", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_"}


def test_same_input_gives_the_same_text() -> None:
    assert everything() == everything.__wrapped__()


def test_only_needed_functions_are_written_callees_first() -> None:
    assert needed_functions("math_log(x)") == ["math_bits", "math_of_bits", "math_split", "math_log"]
    source = generate_natives(program(["weight", "tanh"]), network="net")
    written = re.findall(r"^static \w+ (\w+)\(", source, re.MULTILINE)
    assert written == [*needed_functions("math_tanh(x)"), "native_weight", "native_tanh"]


def test_a_support_function_has_the_name_of_its_file() -> None:
    for name, text in support_functions().items():
        assert re.search(rf"^static [\w ]+ \*?{name}\(", text, re.MULTILINE), name


def test_an_operator_name_cannot_end_the_comment_it_stands_in() -> None:
    batch = Batch(2)
    add_one(batch, "relu", ElemKind.FLOAT)
    batch.function.instructions()[0].name = "a*/ int x; /* \n\u00fc\\"
    plan = plan_memory(batch.function)
    source = generate(batch.function, plan, schedule(batch.function, plan), network="all")
    assert " * relu a_/ int x; /_ ___\n" in source


def test_an_operator_called_like_its_kind_is_named_once() -> None:
    batch = Batch(2)
    add_one(batch, "relu", ElemKind.FLOAT)
    batch.function.instructions()[0].name = "relu"
    plan = plan_memory(batch.function)
    source = generate(batch.function, plan, schedule(batch.function, plan), network="net")
    assert " * relu\n *   @out Dest" in source


def test_the_head_of_the_file_is_not_wider_than_its_code() -> None:
    head = everything().partition("*/")[0]
    assert head.startswith("/*\n * all_kernels.c - ")
    assert max(map(len, head.splitlines())) <= 120


def test_indices_that_nobody_reads_are_left_out() -> None:
    text = """
    for (inpla_int unit = first; unit < last; ++unit) {
    const inpla_int row = unit / 4, i = unit % 4;
    const inpla_int line = row * 2, start = i + 1;
    out[unit] = start;
    }
    const inpla_int end = f(1, 2);
    """
    assert without_unused_indices(text).split("\n") == [
        "",
        "for (inpla_int unit = first; unit < last; ++unit) {",
        "const inpla_int i = unit % 4;",
        "const inpla_int start = i + 1;",
        "out[unit] = start;",
        "}",
        "",
    ]
