"""Bundles in C and C++: warnings, symbols, applications written for Glow, the example application."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from handmade_bundle import expected, neuron_parts, tile_parts, written

from inbundle.bundle.names import entry_name
from inbundle.bundle.reserved import is_reserved
from inbundle.bundle.weights import to_text

C = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror"]
CXX = ["-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror"]
ASSEMBLED = '-DTINY_WEIGHTS_FILE="tiny.weights.bin"'
X = np.array([[1, -2, 0.5, 4]], np.float32)
RAMP = np.array([[0, 1, 2, 3]], np.float32) / 16

# As an application for a Glow bundle is written: C++, weights included as text, regions as aligned arrays.
STATIC_APPLICATION = """
#include <cstdio>
#include <cstring>
#include "tiny.h"
GLOW_MEM_ALIGN(TINY_MEM_ALIGN)
uint8_t constantWeight[TINY_CONSTANT_MEM_SIZE] = {
#include "tiny.weights.txt"
};
GLOW_MEM_ALIGN(TINY_MEM_ALIGN)
uint8_t mutableWeight[TINY_MUTABLE_MEM_SIZE];
GLOW_MEM_ALIGN(TINY_MEM_ALIGN)
uint8_t activations[TINY_ACTIVATIONS_MEM_SIZE];
int main() {
  const float x[4] = {1, -2, 0.5, 4};
  memcpy(GLOW_GET_ADDR(mutableWeight, TINY_data_0), x, sizeof x);
  int e = tiny(constantWeight, mutableWeight, activations);
  if (e != GLOW_SUCCESS) return e;
  const float *y = reinterpret_cast<float *>(GLOW_GET_ADDR(mutableWeight, TINY_soft_max));
  for (int i = 0; i < 4; i++) printf("%g ", y[i]);
  return 0;
}
"""

# With the dynamic API, where Glow's header is C++ only.
DYNAMIC_APPLICATION = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "tiny.h"
static uint8_t *region(uint64_t size) { return (uint8_t *)aligned_alloc(tiny_config.alignment, size); }
int main() {
  uint8_t *constants = region(tiny_config.constantWeightVarsMemSize);
  uint8_t *variables = region(tiny_config.mutableWeightVarsMemSize);
  FILE *file = fopen("tiny.weights.bin", "rb");
  if (!fread(constants, tiny_config.constantWeightVarsMemSize, 1, file)) return 1;
  fclose(file);
  const float x[4] = {1, -2, 0.5, 4};
  for (uint64_t i = 0; i < tiny_config.numSymbols; i++) {
    const SymbolTableEntry &entry = tiny_config.symbolTable[i];
    if (entry.kind != 1 || entry.size != 4) return 2;
    if (!strcmp(entry.name, "data_0")) memcpy(variables + entry.offset, x, entry.size * sizeof(float));
  }
  if (tiny(constants, variables, region(tiny_config.activationsMemSize)) != GLOW_SUCCESS) return 3;
  for (uint64_t i = 0; i < tiny_config.numSymbols; i++)
    if (!strcmp(tiny_config.symbolTable[i].name, "soft_max"))
      for (int k = 0; k < 4; k++) printf("%g ", ((float *)(variables + tiny_config.symbolTable[i].offset))[k]);
  return 0;
}
"""

# Two bundles in one C program, each with its own regions.
TWO_BUNDLES = """
#include <stdio.h>
#include <string.h>
#include "one/one.h"
#include "two/two.h"
GLOW_MEM_ALIGN(64) static uint8_t weights1[ONE_CONSTANT_MEM_SIZE] = {
#include "one/one.weights.txt"
};
GLOW_MEM_ALIGN(64) static uint8_t weights2[TWO_CONSTANT_MEM_SIZE] = {
#include "two/two.weights.txt"
};
GLOW_MEM_ALIGN(64) static uint8_t mutable1[ONE_MUTABLE_MEM_SIZE], activations1[ONE_ACTIVATIONS_MEM_SIZE];
GLOW_MEM_ALIGN(64) static uint8_t mutable2[TWO_MUTABLE_MEM_SIZE], activations2[TWO_ACTIVATIONS_MEM_SIZE];
int main(void) {
  float y[8];
  int error = one(weights1, mutable1, activations1) + two(weights2, mutable2, activations2);
  memcpy(y, GLOW_GET_ADDR(mutable1, ONE_soft_max), 16);
  memcpy(y + 4, GLOW_GET_ADDR(mutable2, TWO_soft_max), 16);
  for (int i = 0; i < 8; i++) printf("%g ", (double)y[i]);
  return error;
}
"""


def _run(*words: object, cwd: Path, stdin: bytes = b"") -> str:
    done = subprocess.run([str(word) for word in words], cwd=cwd, input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(errors="replace")


def _needs(*commands: str) -> None:
    for command in commands:
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed")


def _numbers(values: np.ndarray) -> str:
    return "".join(f"{value:g} " for value in values.ravel())


@pytest.fixture(scope="module", params=["tile", "neuron", "dynamic", "threads"])
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = {
        "tile": lambda: tile_parts(bundle_api_verbose=True),
        "neuron": neuron_parts,
        "dynamic": lambda: tile_parts(bundle_api="dynamic"),
        "threads": lambda: tile_parts(threads=4),
    }
    return written(tmp_path_factory.mktemp(request.param), made[request.param]())


@pytest.fixture(scope="module")
def tile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("tile"), tile_parts())


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language", [C, CXX], ids=["c11", "c++17"])
def test_no_warnings(bundle: Path, tmp_path: Path, compiler: str, language: list[str]) -> None:
    _needs(compiler)
    for source in ("tiny.c", "main.c"):
        _run(compiler, *language, "-c", source, "-o", tmp_path / "x.o", cwd=bundle)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_stands_alone(bundle: Path, tmp_path: Path, compiler: str, language: str) -> None:
    _needs(compiler)
    (tmp_path / "twice.c").write_text('#include "tiny.h"\n#include "tiny.h"\nint main(void) { return GLOW_SUCCESS; }\n')
    flags = ["-x", language, "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    _run(compiler, *flags, f"-I{bundle}", "twice.c", cwd=tmp_path)


def _global_symbols(path: Path) -> set[str]:
    _needs("nm")
    return set(_run("nm", "--extern-only", "--defined-only", "--format=posix", path, cwd=path.parent).split()[::4])


def test_only_the_interface_is_visible(tmp_path: Path) -> None:
    assert _global_symbols(written(tmp_path, tile_parts("net", entry="infer")) / "net.o") == {"infer"}
    assert _global_symbols(written(tmp_path, tile_parts("dyn", bundle_api="dynamic")) / "dyn.o") == {
        "dyn",
        "dyn_config",
    }


# What a compiler may ask for by itself; its own run-time functions have names with two underscores.
MEMORY_FUNCTIONS = {"memcpy", "memset", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_"}


@pytest.mark.parametrize("effort", ["-O2", "-O3", "-Os"])
@pytest.mark.parametrize(
    "compiler",
    [["gcc", "-fPIE"], ["clang", "-fPIE"], ["arm-none-eabi-gcc", "-mcpu=cortex-m4"]],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("parts", [tile_parts, neuron_parts])
def test_nothing_is_needed_but_memory_functions(tmp_path: Path, parts: Any, compiler: list[str], effort: str) -> None:
    _needs(compiler[0], "nm")
    directory = written(tmp_path, parts())
    _run(*compiler, "-std=c11", effort, "-ffp-contract=off", "-c", "tiny.c", "-o", "x.o", cwd=directory)
    undefined = set(_run("nm", "--undefined-only", "--format=posix", "x.o", cwd=directory).split()[::2])
    assert {name for name in undefined if not name.startswith("__")} <= MEMORY_FUNCTIONS


def test_the_configuration_is_read_only(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts(bundle_api="dynamic", relocation_model="pic"))
    _needs("objdump")
    (line,) = (line for line in _run("objdump", "-t", "tiny.o", cwd=directory).splitlines() if "tiny_config" in line)
    assert ".data.rel.ro" in line or ".rodata" in line


def test_a_static_application_for_glow(tile: Path, tmp_path: Path) -> None:
    _needs("clang++")
    (tmp_path / "main.cpp").write_text(STATIC_APPLICATION)
    _run("clang++", "-O2", "-Wall", "-Werror", f"-I{tile}", "-c", "main.cpp", "-o", "main.o", cwd=tmp_path)
    shutil.copy(tile / "tiny.o", tmp_path / "tiny.o")
    _run("clang++", "-O2", "-Wall", "main.o", "tiny.o", "-o", "main.x", cwd=tmp_path)
    assert _run("./main.x", cwd=tmp_path) == _numbers(expected(X))


def test_a_dynamic_application_for_glow(tmp_path: Path) -> None:
    _needs("g++")
    directory = written(tmp_path, tile_parts(bundle_api="dynamic"))
    (directory / "application.cpp").write_text(DYNAMIC_APPLICATION)
    _run("g++", "-O2", "-Wall", "-Werror", "application.cpp", "tiny.o", "-o", "application", cwd=directory)
    assert _run("./application", cwd=directory) == _numbers(expected(X))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_two_bundles_in_one_program(tmp_path: Path, compiler: str) -> None:
    _needs(compiler)
    written(tmp_path, tile_parts("one"))
    written(tmp_path, neuron_parts("two"))
    (tmp_path / "main.c").write_text(TWO_BUNDLES)
    _run(compiler, *C, "main.c", "one/one.o", "two/two.o", "-o", "main.x", cwd=tmp_path)
    assert _run("./main.x", cwd=tmp_path) == "1 2 3 4 1 2 3 4 "


@pytest.mark.parametrize("more", [[], [ASSEMBLED]], ids=["text", "assembler"])
def test_weights_can_be_placed(tile: Path, tmp_path: Path, more: list[str]) -> None:
    _needs("gcc", "objdump")
    flag = '-DTINY_WEIGHTS_ATTRIBUTE=__attribute__((section(".my_flash")))'
    _run("gcc", *C, flag, *more, f"-I{tile}", "-c", tile / "main.c", "-o", "main.o", cwd=tmp_path)
    (section,) = (line for line in _run("objdump", "-h", "main.o", cwd=tmp_path).splitlines() if ".my_flash" in line)
    assert int(section.split()[2], 16) == (tile / "tiny.weights.bin").stat().st_size


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_the_assembler_may_copy_the_weights(tile: Path, tmp_path: Path, compiler: str) -> None:
    _needs(compiler)
    program = tmp_path / "main.x"
    flags = CXX if compiler.endswith("++") else C
    _run(compiler, *flags, ASSEMBLED, "main.c", "-x", "none", "tiny.o", "-lm", "-o", program, cwd=tile)
    without = tmp_path / "without.x"
    _run(compiler, *flags, "main.c", "-x", "none", "tiny.o", "-lm", "-o", without, cwd=tile)
    assert _run(program, cwd=tmp_path) == _run(without, cwd=tmp_path)
    assert (tile / "tiny.weights.bin").read_bytes() in program.read_bytes()


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_assembler_copies_no_more_than_the_weights(tile: Path, tmp_path: Path, compiler: str) -> None:
    _needs(compiler)
    (tmp_path / "tiny.weights.bin").write_bytes((tile / "tiny.weights.bin").read_bytes() + b"x")
    command = [compiler, *C, ASSEMBLED, "-c", tile / "main.c", "-o", "main.o"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0
    assert ".org" in run.stderr


def test_big_objects_are_not_on_the_stack(tile: Path, tmp_path: Path) -> None:
    _needs("gcc")
    flags = ["-O2", "-Wframe-larger-than=1024", "-Werror"]
    for source in ("tiny.c", "main.c"):
        _run("gcc", *flags, "-c", source, "-o", tmp_path / "x.o", cwd=tile)


# --- the example application and its Makefile --------------------------------------------------------------------


@pytest.fixture(scope="module")
def program(bundle: Path) -> Path:
    _needs("make")
    _run("make", "CFLAGS=-O1 -Wall -Wextra -Werror", cwd=bundle)
    return bundle / "main.x"


def _lines(values: np.ndarray) -> str:
    return "".join(f"soft_max[{i}] = {value:.9g}\n" for i, value in enumerate(values.ravel()))


def test_inputs_without_files_are_a_ramp(program: Path) -> None:
    assert _run(program, cwd=program.parent) == _lines(expected(RAMP))


def test_inputs_and_outputs_in_files(program: Path, tmp_path: Path) -> None:
    (tmp_path / "x.raw").write_bytes(X.tobytes())
    assert _run(program, "-o", tmp_path / "y.raw", tmp_path / "x.raw", cwd=program.parent) == _lines(expected(X))
    assert (tmp_path / "y.raw").read_bytes() == expected(X).tobytes()


def test_a_stream_of_inputs(program: Path) -> None:
    many = np.arange(40, dtype=np.float32).reshape(10, 1, 4)
    done = subprocess.run([program, "--stream"], cwd=program.parent, input=many.tobytes(), capture_output=True)
    assert (done.returncode, done.stdout) == (0, expected(many).tobytes())


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["a", "b"], b"", "a: No such file"),
        (["short"], b"", "data_0: expected 16 bytes, short has 15\n"),
        (["long"], b"", "data_0: expected 16 bytes, long has 17\n"),
        (["/dev/null"], b"", "data_0: expected 16 bytes, /dev/null has 0\n"),
        (["/dev/zero"], b"", "data_0: expected 16 bytes, /dev/zero has more\n"),
        (["x", "x"], b"", "usage: "),
        (["--nonsense"], b"", "usage: "),
        (["-o"], b"", "usage: "),
        (["-o", "gone/y", "x"], b"", "gone/y: No such file"),
        (["--stream"], bytes(20), "standard input ends inside a record"),
        (["large"], b"", "tiny: error 65: a kernel got a value out of range, such as an index\n"),
    ],
)
def test_what_the_program_refuses(
    program: Path, tmp_path: Path, arguments: list[str], stdin: bytes, message: str
) -> None:
    for name, data in {"short": bytes(15), "long": bytes(17), "x": bytes(16)}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "large").write_bytes((X - 5000).tobytes())
    if arguments == ["large"] and "neuron" in str(program):
        pytest.skip("no kernel, no error of a kernel")
    done = subprocess.run([program, *arguments], cwd=tmp_path, input=stdin, capture_output=True)
    assert done.returncode == 1
    assert message in done.stderr.decode()


@pytest.mark.parametrize("arguments", [[], ["--stream"], ["-o", "/dev/full"]])
def test_lost_output_is_an_error(program: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        stdout = None if "-o" in arguments else full
        done = subprocess.run([program, *arguments], input=bytes(16), stdout=stdout, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert "No space left" in done.stderr.decode()


def test_the_weights_are_found_from_other_folders(program: Path, tmp_path: Path) -> None:
    assert _run(program, cwd=tmp_path) == _lines(expected(RAMP))


def test_weights_that_are_not_there_are_named(tmp_path: Path) -> None:
    directory = written(tmp_path, tile_parts(bundle_api="dynamic"))
    _run("make", cwd=directory)
    weights = directory / "tiny.weights.bin"
    weights.write_bytes(weights.read_bytes()[:100])
    done = subprocess.run([directory / "main.x"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "tiny.weights.bin: expected 128 bytes, it has 100\n")
    weights.unlink()
    done = subprocess.run([directory / "main.x"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"{weights}: No such file or directory\n")


def test_inputs_can_be_built_in(tile: Path, tmp_path: Path) -> None:
    _needs("make")
    directory = shutil.copytree(tile, tmp_path / "copy")
    (directory / "x.txt").write_bytes(to_text(X.tobytes()))
    assert _run("make", "-s", "run", "INPUTS=x.txt", cwd=directory) == _lines(expected(X))


def test_make_again_does_nothing_and_follows_its_variables(tile: Path, tmp_path: Path) -> None:
    _needs("make", "clang", "gcc")
    directory = shutil.copytree(tile, tmp_path / "copy")
    _run("make", "CC=gcc", cwd=directory)
    assert _run("make", "CC=gcc", cwd=directory) == ""
    assert "clang" in _run("make", "CC=clang", cwd=directory)
    _run("make", "clean", cwd=directory)
    assert not (directory / "build").exists()
    assert not (directory / "main.x").exists()


def test_fewer_threads_than_compiled_for(tmp_path: Path) -> None:
    _needs("make")
    directory = written(tmp_path, tile_parts(threads=4))
    assert "-DINBUNDLE_THREADS=2" in _run("make", "THREADS=2", cwd=directory)
    assert _run("./main.x", cwd=directory) == _lines(expected(RAMP))


@pytest.mark.parametrize("api", ["static", "dynamic"])
def test_the_example_application_leaves_all_names_to_the_entry(tmp_path: Path, api: str) -> None:
    """Names at file scope are reserved, and where the entry is called there is no other name."""
    text = (written(tmp_path, tile_parts(bundle_api=api)) / "main.c").read_text()
    names = re.findall(r"^(?:GLOW\S+ |TINY\S+ )?static [\w *]*?(\w+)[\[(;]|^\} (\w+);", text, re.MULTILINE)
    found = {name for pair in names for name in pair if name}
    assert len(found) > 10
    assert {name for name in found if not is_reserved(name)} == set()
    assert "static int main_run(void)\n{\n    return main_report(tiny(" in text


@pytest.mark.parametrize("api", ["static", "dynamic"])
@pytest.mark.parametrize(
    "entry", ["run", "stream", "tensor", "inputs", "code", "input", "constantWeight", "read_input"]
)
def test_entries_called_as_a_program_calls_its_own(tmp_path: Path, api: str, entry: str) -> None:
    _needs("gcc")
    directory = written(tmp_path, tile_parts(entry=entry_name("tiny", entry), bundle_api=api))
    for language in (C, CXX):
        _run("gcc", *language, "-fsyntax-only", "main.c", cwd=directory)


def test_a_missing_compiler_is_named(tile: Path) -> None:
    _needs("make")
    done = subprocess.run(["make", "CC=nonesuch"], cwd=tile, capture_output=True, text=True)
    assert done.returncode != 0
    assert "no compiler nonesuch; the Debian package gcc has it" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["TARGET=cortex-m7"], "no target cortex-m7; there are cortex-m4 host."),
        (["THREADS=4"], "compiled for 1 thread at most; for more compile the model with -threads=4."),
        (["THREADS=0"], "compiled for 1 thread at most"),
    ],
)
def test_what_make_refuses(tile: Path, words: list[str], message: str) -> None:
    _needs("make")
    done = subprocess.run(["make", *words], cwd=tile, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_flags_of_the_user_win(tile: Path, tmp_path: Path) -> None:
    _needs("make", "gcc")
    directory = shutil.copytree(tile, tmp_path / "copy")
    lines = _run("make", "CC=gcc", "CFLAGS=-g -O0", cwd=directory).splitlines()
    compiled = [line.split() for line in lines if line.startswith("gcc")]
    assert len(compiled) == 3
    for words in compiled:
        flags = [word for word in words if re.match(r"-[gO]", word)]
        assert flags[-2:] == ["-g", "-O0"], words
