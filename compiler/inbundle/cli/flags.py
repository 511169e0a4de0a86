"""Every option of the commands, declared once: Glow's names, plus ours for the interaction net."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inbundle.cli.command_line import Kind, Option, ParsedCommandLine
from inbundle.errors import CompileError
from inbundle.options import CHOICES, CompileOptions, symbol_sizes

MODEL = (
    Option(
        "model", Kind.LIST, "ONNX model (.onnx, or protobuf text .onnxtxt/.textproto)", value="path", aliases=("m",)
    ),
    Option(
        "model-input",
        Kind.LIST,
        "Model input as name,type,[d0,d1,...]; once given, all inputs come from this option",
        value="name,type,shape",
        aliases=("model-input-name",),
    ),
    Option("onnx-define-symbol", Kind.LIST, "Size of a symbolic dimension of the model's inputs", value="name,value"),
)

BUNDLE = (
    Option("emit-bundle", Kind.STRING, "Directory to write the bundle to", value="directory", required=True),
    Option("network-name", Kind.STRING, "Name of files, macros and entry (default: from the model's file)", ""),
    Option("main-entry-name", Kind.STRING, "Name of the entry function (default: the network name)", ""),
    Option("backend", Kind.ENUM, "Back end", "CPU", choices=CHOICES["backend"]),
    Option("bundle-api", Kind.ENUM, "Bundle API", "static", choices=CHOICES["bundle_api"]),
    Option("bundle-api-verbose", Kind.BOOL, "List the constants in the header's comment", False),
    Option("granularity", Kind.ENUM, "What an agent of the net is", "tile", choices=CHOICES["granularity"]),
    Option(
        "inpla-weights",
        Kind.ENUM,
        "Where a neuron net has its weights: read from constantWeight, or literals in the script",
        "region",
        choices=CHOICES["inpla_weights"],
    ),
    Option(
        "inpla-input",
        Kind.STRING,
        "With -inpla-weights=inline: write the input values of this file (npy, npz, raw) into the script",
        value="path",
    ),
    Option("threads", Kind.UINT, "Workers the bundle may use", 1),
    Option(
        "tile-split",
        Kind.ENUM,
        "What several workers cut instructions along: what is fastest, rows, channels, or nothing",
        "auto",
        choices=CHOICES["tile_split"],
    ),
    Option(
        "reuse-activation-memory-allocations", Kind.BOOL, "Let buffers whose lives do not overlap share memory", True
    ),
    Option("optimize-ir", Kind.BOOL, "Optimise the IR", True),
    Option("profile-kernels", Kind.BOOL, "Let the bundle measure the time of each task, for NETWORK_profile()", False),
    Option("verify", Kind.BOOL, "Run the built bundle against the ONNX reference on random inputs", False),
)

TARGET = (
    Option(
        "target",
        Kind.STRING,
        "Target: arm, aarch64, x86_64, i386, riscv64, cortex-m4 or a full triple (default: this machine)",
        "",
    ),
    Option("mcpu", Kind.STRING, "CPU, for example cortex-m4", "", value="cpu"),
    Option("target-feature", Kind.COMMA_LIST, "Target features, +on or -off", value="list", aliases=("mattr",)),
    Option("march", Kind.STRING, "Architecture", "", hidden=True),
    Option("mabi", Kind.STRING, "Machine ABI", "", hidden=True),
    Option("float-abi", Kind.ENUM, "Floating-point ABI", "default", choices=CHOICES["float_abi"]),
    Option("relocation-model", Kind.ENUM, "Relocation model", "static", choices=CHOICES["relocation_model"]),
    Option("opt-level", Kind.ENUM, "The C compiler's -O", "2", choices=CHOICES["opt_level"]),
    Option("llvm-compiler", Kind.STRING, "C compiler that builds the object (default: found for the target)", ""),
)

DUMP = (
    Option("dump-graph-DAG", Kind.STRING, "Write the final graph as DOT (or pdf, svg, png)", value="file"),
    Option(
        "dump-graph-DAG-before-compile", Kind.STRING, "Write the loaded graph as DOT (or pdf, svg, png)", value="file"
    ),
    Option("dump-graph", Kind.BOOL, "Print the final graph", False),
    Option("dump-ir", Kind.BOOL, "Print the final IR", False),
    Option("dump-onnx", Kind.STRING, "Write the final graph as an ONNX model", value="file"),
)


def _pass_watching(unit: str, shown: str) -> Iterator[Option]:
    """What both kinds of passes have: a log, a limit, dumps; and what Glow's users may ask for, but always is so."""
    what = "IR" if unit == "ir" else unit
    yield Option(f"print-{unit}-passes", Kind.BOOL, f"Log each {what} pass: what it changed, and its time", False)
    yield Option(f"stop-{unit}-passes-after-num", Kind.UINT, f"Run only so many {what} passes", value="number")
    for when in ("before", "after"):
        name, text = f"dump-{unit}-{when}", f"Show the {what} {shown} {when}"
        yield Option(f"{name}-passes", Kind.COMMA_LIST, f"{text} these passes", value="list")
        yield Option(f"{name}-all-passes", Kind.BOOL, f"{text} every pass", False)
        name, text = f"verify-{when}", "Without effect: the verifier runs after every pass"
        yield Option(f"{name}-{unit}-passes", Kind.COMMA_LIST, text, value="list", hidden=True)
        yield Option(f"{name}-all-{unit}-passes", Kind.BOOL, text, False, hidden=True)


PASSES = (
    Option("extension", Kind.LIST, "Python file or module that adds to the back end", value="file"),
    Option(
        "graph-passes",
        Kind.COMMA_LIST,
        "Graph passes to run, in order: default, none, ID, ID* (until nothing changes), -ID (leave out)",
        ["default"],
        value="list",
    ),
    Option("patterns", Kind.STRING, "YAML file of patterns, applied as the graph pass Patterns", value="file"),
    Option("verify-passes", Kind.BOOL, "Compare the graph's outputs before and after each graph pass", False),
    *_pass_watching("graph", "as a DOT file"),
    *_pass_watching("ir", "as text"),
)

COMPILE = (*MODEL, *BUNDLE, *TARGET, *DUMP, *PASSES)


def model_path(parsed: ParsedCommandLine) -> Path:
    """The one model of the command line."""
    models: list[str] = parsed["model"]
    if not models:
        raise CompileError("-model: must be specified at least once", hint="add -model=<path>")
    if len(models) > 1:
        raise CompileError(
            "two -model options name a Caffe2 network, which is not supported", hint="give one ONNX file"
        )
    if not models[0]:
        raise CompileError("-model: the value is empty", hint="write -model=<path>")
    return Path(models[0])


def compile_options(parsed: ParsedCommandLine) -> CompileOptions:
    """The options of a compilation as the library takes them."""
    values: dict[str, Any] = {
        "model_input": tuple(parsed["model-input"]),
        "onnx_define_symbol": symbol_sizes(parsed["onnx-define-symbol"]),
        "inpla_input": _path(parsed["inpla-input"]),
        "extension": tuple(parsed["extension"]),
        "mattr": tuple(parsed["target-feature"]),
        "compiler": parsed["llvm-compiler"],
        "dump_graph_dag": _path(parsed["dump-graph-DAG"]),
        "dump_graph_dag_before_compile": _path(parsed["dump-graph-DAG-before-compile"]),
        "dump_onnx": _path(parsed["dump-onnx"]),
        "patterns": _path(parsed["patterns"]),
    }
    for field_name in CompileOptions.__dataclass_fields__:
        flag = field_name.replace("_", "-")
        if field_name not in values:
            values[field_name] = parsed[flag]
    if "network-name" in parsed.given and not parsed["network-name"]:
        raise CompileError("-network-name: the name is empty", hint="leave the option out to name it after the model")
    return CompileOptions(**values)


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
