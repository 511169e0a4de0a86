"""From the options of a target to a compiler and its flags."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inbundle.bundle import target_data, targets
from inbundle.bundle.targets import Toolchain, resolve
from inbundle.errors import CompileError
from inbundle.options import CompileOptions
from inbundle.resources import templates


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that this machine is to have; the test fills it."""
    commands: list[str] = []
    monkeypatch.setattr(targets.shutil, "which", lambda command: command if command in commands else None)
    return commands


def _machine_flags(toolchain: Toolchain) -> tuple[str, ...]:
    return toolchain.cflags[len(targets.common_flags(CompileOptions())) :]


def test_the_host_fits_position_independent_programs(installed: list[str]) -> None:
    installed += ["gcc", "clang"]
    toolchain = resolve(CompileOptions())
    assert toolchain.command == ("gcc",)
    assert _machine_flags(toolchain) == ("-fPIE",)
    assert _machine_flags(resolve(CompileOptions(relocation_model="pic"))) == ("-fPIC",)


@pytest.mark.parametrize(
    ("asked", "name", "word_bytes", "command"),
    [
        ("arm", "arm", 4, "arm-none-eabi-gcc"),
        ("thumbv7em-none-eabihf", "arm", 4, "arm-none-eabi-gcc"),
        ("armv7-unknown-linux-gnueabihf", "arm", 4, "arm-linux-gnueabihf-gcc"),
        ("arm-linux-gnueabi", "arm", 4, "arm-linux-gnueabi-gcc"),
        ("aarch64", "aarch64", 8, "aarch64-linux-gnu-gcc"),
        ("arm64", "aarch64", 8, "aarch64-linux-gnu-gcc"),
        ("x86_64", "x86_64", 8, "x86_64-linux-gnu-gcc"),
        ("riscv64", "riscv64", 8, "riscv64-linux-gnu-gcc"),
        ("riscv64-unknown-linux-gnu", "riscv64", 8, "riscv64-linux-gnu-gcc"),
        ("armv7a-linux-gnueabihf", "arm", 4, "arm-linux-gnueabihf-gcc"),
        ("i386", "i386", 4, "i686-linux-gnu-gcc"),
        ("i686-pc-linux-gnu", "i386", 4, "i686-linux-gnu-gcc"),
        ("cortex-m4", "cortex-m4", 4, "arm-none-eabi-gcc"),
    ],
)
def test_names_and_triples(installed: list[str], asked: str, name: str, word_bytes: int, command: str) -> None:
    installed.append(command)
    toolchain = resolve(CompileOptions(target=asked))
    assert (toolchain.target, toolchain.word_bytes, toolchain.command) == (name, word_bytes, (command,))


@pytest.mark.parametrize(
    ("options", "command", "flags"),
    [
        (
            {"target": "arm", "mcpu": "cortex-m4", "float_abi": "hard"},
            "arm-none-eabi-gcc",
            "-mcpu=cortex-m4 -mfloat-abi=hard",
        ),
        ({"target": "arm", "mcpu": "cortex-m0"}, "arm-none-eabi-gcc", "-mcpu=cortex-m0"),
        ({"target": "cortex-m4"}, "arm-none-eabi-gcc", "-mcpu=cortex-m4 -mfloat-abi=hard"),
        ({"target": "cortex-m4", "float_abi": "soft"}, "arm-none-eabi-gcc", "-mcpu=cortex-m4 -mfloat-abi=soft"),
        (
            {"target": "thumbv7em-none-eabihf"},
            "arm-none-eabi-gcc",
            "-mthumb -march=armv7e-m+fp -mfloat-abi=hard",
        ),
        (
            {"target": "arm", "mcpu": "cortex-a9", "mattr": ("+neon",)},
            "arm-none-eabi-gcc",
            "-mcpu=cortex-a9 -mfpu=neon-vfpv4",
        ),
        ({"target": "aarch64", "mcpu": "cortex-a53"}, "aarch64-linux-gnu-gcc", "-mcpu=cortex-a53 -fPIE"),
        (
            {"target": "aarch64", "mcpu": "cortex-a72", "mattr": ("+crypto", "-neon")},
            "aarch64-linux-gnu-gcc",
            "-mcpu=cortex-a72+crypto+nosimd -fPIE",
        ),
        ({"target": "aarch64", "mattr": ("fullfp16",)}, "aarch64-linux-gnu-gcc", "-march=armv8-a+fp16 -fPIE"),
        (
            {"target": "x86_64", "mcpu": "haswell", "mattr": ("+fma", "-avx2")},
            "x86_64-linux-gnu-gcc",
            "-march=haswell -mfma -mno-avx2 -fPIE",
        ),
        (
            {"target": "x86_64", "march": "x86-64-v3", "mabi": "sysv"},
            "x86_64-linux-gnu-gcc",
            "-march=x86-64-v3 -mabi=sysv -fPIE",
        ),
        ({"target": "arm", "relocation_model": "pic"}, "arm-none-eabi-gcc", "-fPIC"),
        (
            {"target": "riscv64", "mcpu": "sifive-u74", "mattr": ("+v", "zvfh")},
            "riscv64-linux-gnu-gcc",
            "-mcpu=sifive-u74 -march=rv64gc_v_zvfh -fPIE",
        ),
        ({"target": "riscv64", "march": "rv64gc", "mattr": ("v",)}, "riscv64-linux-gnu-gcc", "-march=rv64gc_v -fPIE"),
        (
            {"target": "riscv64", "march": "rv64gcv"},
            "clang",
            "-march=rv64gcv -mllvm -riscv-v-vector-bits-min=128 -Wno-unused-command-line-argument -fPIE",
        ),
    ],
)
def test_flags(installed: list[str], options: dict[str, Any], command: str, flags: str) -> None:
    installed.append(command)
    assert " ".join(_machine_flags(resolve(CompileOptions(**options)))) == flags


def test_processor_and_features_without_a_target_are_those_of_the_host(installed: list[str]) -> None:
    installed += ["cc", "clang"]
    machine = target_data.load("host")
    if machine.flags["mcpu"] != ["-march={}"]:
        pytest.skip("GCC spells them otherwise on this machine")
    assert _machine_flags(resolve(CompileOptions(mcpu="native", mattr=("+avx",)))) == (
        "-march=native",
        "-mavx",
        "-fPIE",
    )
    clang = resolve(CompileOptions(mattr=("+avx",), compiler="clang"))
    assert clang.command == ("clang",)
    assert _machine_flags(clang) == ("-Xclang", "-target-feature", "-Xclang", "+avx", "-fPIE")


def test_clang_stands_in_for_a_missing_cross_compiler(installed: list[str]) -> None:
    installed.append("clang")
    toolchain = resolve(CompileOptions(target="aarch64-linux-gnu"))
    assert toolchain.command[:2] == ("clang", "--target=aarch64-linux-gnu")
    assert toolchain.command[-1] == str(templates() / "targets" / "freestanding")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "vax"}, r"unknown target 'vax' \(known: aarch64, arm, .*thumbv7em-none-eabihf\)"),
        ({"target": "vax-dec-ultrix"}, "unknown target 'vax-dec-ultrix'"),
        ({"target": "aarch64"}, r"no C compiler for 64-bit Arm \(install the Debian package gcc-aarch64-linux-gnu\)"),
        ({"target": "cortex-m4"}, r"no C compiler for Arm Cortex-M4F.*gcc-arm-none-eabi\)"),
        ({}, r"no C compiler for this machine \(install the Debian package gcc\)"),
        ({"compiler": "/opt/cc"}, "no C compiler '/opt/cc' on this machine"),
    ],
)
def test_what_cannot_be_compiled_for(installed: list[str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        resolve(CompileOptions(**options))


@pytest.mark.parametrize(
    ("options", "command", "message"),
    [
        (
            {"target": "arm", "mattr": ("+sse",)},
            "arm-none-eabi-gcc",
            r"-mattr: GCC has no flag for '\+sse' .*known: \+vfp2",
        ),
        (
            {"target": "x86_64", "float_abi": "soft"},
            "x86_64-linux-gnu-gcc",
            "-float-abi=soft is not possible for 64-bit x86",
        ),
        (
            {"target": "riscv64", "mattr": ("-c",)},
            "riscv64-linux-gnu-gcc",
            r"-mattr: GCC cannot leave out 'c' of 64-bit RISC-V \(name the architecture with -march\)",
        ),
    ],
)
def test_options_that_a_target_does_not_have(
    installed: list[str], options: dict[str, Any], command: str, message: str
) -> None:
    installed.append(command)
    with pytest.raises(CompileError, match=message):
        resolve(CompileOptions(**options))


@pytest.mark.parametrize(
    ("options", "units"),
    [
        ({}, target_data.load("host").vectors),
        ({"target": "cortex-m4"}, ()),
        ({"target": "arm", "mcpu": "cortex-a9"}, ()),
        ({"target": "arm", "mcpu": "cortex-a9", "float_abi": "hard"}, ("neonv7",)),
        ({"target": "armv7a-linux-gnueabihf"}, ()),
        ({"target": "armv7a-linux-gnueabihf", "mattr": ("+neon",)}, ("neonv7",)),
        ({"target": "armv7a-linux-gnueabihf", "mattr": ("+neon",), "compiler": "clang"}, ("neonv7",)),
        ({"target": "aarch64"}, ("neon",)),
        ({"target": "riscv64", "compiler": "clang"}, ()),
        ({"target": "riscv64", "mattr": ("+v",), "compiler": "clang"}, ("rvv",)),
        ({"target": "riscv64", "march": "rv64gcv", "compiler": "clang"}, ("rvv",)),
    ],
)
def test_vector_units_are_those_that_the_compiler_uses(options: dict[str, Any], units: tuple[str, ...]) -> None:
    try:
        toolchain = resolve(CompileOptions(**options))
    except CompileError as error:
        pytest.skip(str(error))
    assert toolchain.vector_units() == units


def test_vector_instructions_of_riscv_are_for_newer_compilers() -> None:
    """GCC knew their names before it could use them."""
    try:
        toolchain = resolve(CompileOptions(target="riscv64", march="rv64gcv", compiler="riscv64-linux-gnu-gcc"))
    except CompileError as error:
        pytest.skip(str(error))
    version = subprocess.run([*toolchain.command, "-dumpversion"], capture_output=True, text=True, check=True).stdout
    assert toolchain.vector_units() == (("rvv",) if int(version.split(".")[0]) >= 14 else ())


def test_a_command_that_writes_nothing_is_no_compiler(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="true: is no C compiler"):
        resolve(CompileOptions(compiler="true")).compile_object(tmp_path, "a.c", "a.o")


@pytest.mark.parametrize(
    ("target", "mcpu", "message"),
    [
        ("x86_64", "cortex-m4", r"-mcpu=cortex-m4: not a processor of 64-bit x86 \(add -target=arm\)"),
        ("x86_64", "cortex-a9", "add -target=arm"),
        ("x86_64", "cortex-a53", "add -target=aarch64"),
        ("i386", "neoverse-n1", "add -target=aarch64"),
        ("aarch64", "cortex-m7", r"not a processor of 64-bit Arm \(add -target=arm\)"),
    ],
)
def test_a_processor_of_another_architecture(target: str, mcpu: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        resolve(CompileOptions(target=target, mcpu=mcpu))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mcpu": "cortex-a53"}, r"-mcpu=cortex-a53: .* \(leave it out, or take -target=a"),
        ({"mcpu": "cortex-m7"}, r"-mcpu=cortex-m7: .* processor cortex-m4 \(leave it out, or take -target=a"),
        ({"mcpu": "nonsense"}, "-mcpu=nonsense: the target cortex-m4 is a board"),
        ({"march": "armv8-a"}, r"-march=armv8-a: .* \(leave it out, or take -target=arm\)"),
        ({"march": "armv8-a", "mcpu": "cortex-m4"}, "-march=armv8-a: "),
    ],
)
def test_a_board_has_one_processor(options: dict[str, str], message: str) -> None:
    with pytest.raises(CompileError, match=f"^{message}"):
        resolve(CompileOptions(target="cortex-m4", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["cortex-m4", "arm", "thumbv7em-none-eabihf", "aarch64-none-elf"])
def test_no_threads_without_an_operating_system(target: str) -> None:
    with pytest.raises(CompileError, match=r"^-threads=2: \S+ has no threads, .* \(leave -threads out\)$"):
        resolve(CompileOptions(target=target, threads=2))


def test_a_processor_without_a_target_is_one_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    host = dataclasses.replace(target_data.load("x86_64"), name="host", description="this machine", is_host=True)
    monkeypatch.setattr(target_data, "find", lambda _text: host)
    with pytest.raises(CompileError, match=r"^-mcpu=cortex-m4: not a processor of this machine \(add -target=arm\)$"):
        resolve(CompileOptions(mcpu="cortex-m4"))


@pytest.mark.parametrize("target", ["", "arm"])
def test_an_unknown_processor_is_the_compilers_one_line(tmp_path: Path, target: str) -> None:
    try:
        toolchain = resolve(CompileOptions(target=target, mcpu="nonsense"))
    except CompileError as error:
        pytest.skip(str(error))
    (tmp_path / "x.c").write_text("int x;\n")
    with pytest.raises(CompileError, match="nonsense") as caught:
        toolchain.compile_object(tmp_path, "x.c", "x.o")
    command = toolchain.command[0]
    assert str(caught.value).startswith(f"{command}: ")
    assert "error: " not in str(caught.value)
    assert str(caught.value).count(command) == 1


def test_every_target_file_is_whole() -> None:
    for name in target_data.names():
        target = target_data.load(name)
        assert target.word_bytes in (4, 8)
        assert target.byte_order in ("little", "big")
        assert target.compilers
        if target.board:
            folder = templates() / "targets" / name
            assert all((folder / file).is_file() for file in (*target.board.sources, target.board.linker_script))
