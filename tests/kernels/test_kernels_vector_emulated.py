"""Vector kernels on the processors that they are written for, emulated: results, vector instructions, mathematics."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from kernel_batch import Batch, Tools
from test_kernels_vector_math import check_whole_range, evaluator
from vector_cases import of, one_of_each

from elementwise_kinds import BINARY, POSITIVE_ONLY, UNARY, cases
from inbundle.graph.types import ElemKind
from inbundle.ir.instructions import IN_VECTORS


@dataclass(frozen=True)
class Processor:
    """A processor that QEMU emulates.

    Attributes:
        compiler: with the flags for it.
        run: QEMU with its flags.
        product: pattern of the instruction by which a tile multiplies and adds vectors.
        flush: whether it takes subnormal numbers for zeros.
    """

    unit: str
    compiler: tuple[str, ...]
    run: tuple[str, ...]
    product: str
    flush: bool = False

    @property
    def tools(self) -> Tools:
        return Tools((*self.compiler, "-O2", "-static", "-save-temps=obj"), self.run)


_ARMV7 = ("arm-linux-gnueabihf-gcc", "-mfpu=neon-vfpv4")
_CLANG_ARMV7 = ("clang", "--target=arm-linux-gnueabihf", "-march=armv7-a", "-mfpu=neon-vfpv4")
_RISCV = ("clang", "--target=riscv64-linux-gnu", "-march=rv64gcv", "-mllvm", "-riscv-v-vector-bits-min=128")
PROCESSORS = {
    "armv8": Processor("neon", ("aarch64-linux-gnu-gcc",), ("qemu-aarch64",), r"fmla\tv"),
    "armv7": Processor("neonv7", _ARMV7, ("qemu-arm",), r"v(fma|mla)\.f32\tq", flush=True),
    "armv7-clang": Processor("neonv7", _CLANG_ARMV7, ("qemu-arm",), r"v(fma|mla)\.f32\tq", flush=True),
    "riscv": Processor(
        "rvv",
        _RISCV,
        ("qemu-riscv64", "-cpu", "rv64,v=true,vext_spec=v1.0"),
        r"vfmacc|vfmadd",
    ),
}


@pytest.fixture(params=PROCESSORS.values(), ids=list(PROCESSORS))
def processor(request: pytest.FixtureRequest, tmp_path: Path) -> Processor:
    found: Processor = request.param
    for command in (found.compiler[0], found.run[0]):
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")
    (tmp_path / "empty.c").write_text("#include <stdio.h>\nint main(void) { return 0; }\n")
    build = subprocess.run([*found.tools.compiler, "empty.c", "-o", "empty"], cwd=tmp_path, capture_output=True)
    if build.returncode or subprocess.run([*found.run, "./empty"], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip(f"{found.compiler[0]} has no C library for {found.unit}, or {found.run[0]} no such processor")
    return found


def test_results(processor: Processor, tmp_path: Path) -> None:
    batch = Batch(41, (processor.unit,), processor.tools)
    one_of_each(batch)
    for kind, attributes in cases([kind for kind in UNARY if kind in IN_VECTORS]):
        content = batch.array(ElemKind.FLOAT, (3, 7))
        batch.add(kind, [of(3, 7), np.abs(content) if kind in POSITIVE_ONLY else content], attributes)
    for kind in (kind for kind in BINARY if kind in IN_VECTORS):
        batch.add(kind, [of(2, 5), batch.array(ElemKind.FLOAT, (2, 5)), batch.array(ElemKind.FLOAT, (1, 5))])
    for kind in ("softmax", "logsoftmax"):
        batch.add(kind, [of(3, 11), batch.array(ElemKind.FLOAT, (3, 11))], {"Axis": 1})
    batch.check(tmp_path, rounding=1e-5)
    (listing,) = tmp_path.glob("driver*.s")
    assert len(re.findall(processor.product, listing.read_text())) > 200


def test_mathematics(processor: Processor, tmp_path: Path) -> None:
    check_whole_range(evaluator(processor.unit, tmp_path, processor.tools), processor.flush)
