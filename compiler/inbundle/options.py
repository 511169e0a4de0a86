"""Compile options: declared once, read by the command line, the Python API and the manifest."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from inbundle.errors import CompileError

# Option -> its spellings. The command line and the library accept the same.
CHOICES = {
    "backend": ("CPU", "Interpreter"),
    "bundle_api": ("static", "dynamic"),
    "granularity": ("tile", "neuron"),
    "tile_split": ("auto", "rows", "channels", "none"),
    "inpla_weights": ("region", "inline"),
    "float_abi": ("default", "soft", "hard"),
    "relocation_model": ("static", "pic"),
    "opt_level": ("0", "1", "2", "3", "s"),
}
_PATHS = ("inpla_input", "dump_graph_dag", "dump_graph_dag_before_compile", "dump_onnx", "patterns")
_LISTS = (
    "model_input",
    "mattr",
    "extension",
    "graph_passes",
    *(f"dump_{unit}_{when}_passes" for unit in ("graph", "ir") for when in ("before", "after")),
)
MOST_THREADS = 64


@dataclass(frozen=True)
class CompileOptions:
    """What a compilation is asked for. Field names are Glow's flags with underscores; `cli/flags.py` holds their help.

    Attributes:
        model_input: the texts of `-model-input`, parsed by `frontend/model_input.py`.
        onnx_define_symbol: symbolic dimension -> size.
        inpla_input: file (npy, npz, raw float32) whose values are written into the script as literals.
        threads: workers the bundle may use; 1 gives a single-threaded object.
        tile_split: what the work of an instruction is cut along for several workers, see `ir/tiling.py`.
        target: name of a target of `bundle/targets/`, or a GNU triple.
        extension: files or modules that add to the back end, see `extensions.py`.
        patterns: file of patterns of the user's own, see `patterns/pattern_file.py`.
        graph_passes: words of `-graph-passes`, explained in `passes/manager.py`.
    """

    model_input: tuple[str, ...] = ()
    onnx_define_symbol: dict[str, int] = field(default_factory=dict)
    network_name: str = ""
    main_entry_name: str = ""
    backend: str = "CPU"
    bundle_api: str = "static"
    bundle_api_verbose: bool = False
    granularity: str = "tile"
    inpla_weights: str = "region"
    inpla_input: Path | None = None
    threads: int = 1
    tile_split: str = "auto"
    reuse_activation_memory_allocations: bool = True
    relocation_model: str = "static"
    target: str = ""
    mcpu: str = ""
    mattr: tuple[str, ...] = ()
    march: str = ""
    mabi: str = ""
    float_abi: str = "default"
    compiler: str = ""
    opt_level: str = "2"
    dump_graph_dag: Path | None = None
    dump_graph_dag_before_compile: Path | None = None
    dump_graph: bool = False
    dump_ir: bool = False
    dump_onnx: Path | None = None
    optimize_ir: bool = True
    profile_kernels: bool = False
    extension: tuple[str, ...] = ()
    patterns: Path | None = None
    graph_passes: tuple[str, ...] = ("default",)
    verify_passes: bool = False
    print_graph_passes: bool = False
    print_ir_passes: bool = False
    dump_graph_before_passes: tuple[str, ...] = ()
    dump_graph_after_passes: tuple[str, ...] = ()
    dump_graph_before_all_passes: bool = False
    dump_graph_after_all_passes: bool = False
    dump_ir_before_passes: tuple[str, ...] = ()
    dump_ir_after_passes: tuple[str, ...] = ()
    dump_ir_before_all_passes: bool = False
    dump_ir_after_all_passes: bool = False
    stop_graph_passes_after_num: int | None = None
    stop_ir_passes_after_num: int | None = None

    def __post_init__(self) -> None:
        """Values as the rest of the compiler expects them: text becomes a path or a list, symbols become sizes.

        Raises:
            CompileError: a value that the option does not have; names the flag.
        """
        for option in fields(self):
            object.__setattr__(self, option.name, _normal(option.name, getattr(self, option.name)))
            self._check(option.name, option.default, getattr(self, option.name))

    def _check(self, name: str, default: Any, value: Any) -> None:
        flag = _flag(name)
        if name in CHOICES and value not in CHOICES[name]:
            raise CompileError(f"-{flag}: there is no '{value}'", hint=f"choose from {', '.join(CHOICES[name])}")
        if isinstance(default, bool) and not isinstance(value, bool):
            raise CompileError(f"-{flag}: expected true or false, not {value!r}")
        if isinstance(default, str) and not isinstance(value, str):
            raise CompileError(f"-{flag}: expected text, not {value!r}")
        if name == "threads" and (type(value) is not int or not 1 <= value <= MOST_THREADS):
            raise CompileError(f"-threads={value}: expected 1 to {MOST_THREADS}")
        if name.startswith("stop_") and value is not None and (type(value) is not int or value < 0):
            raise CompileError(f"-{flag}={value}: expected a number of passes")


def named_options(values: Mapping[str, Any]) -> CompileOptions:
    """The options of a call from Python.

    Raises:
        CompileError: there is no option of a name, or it has no such value.
    """
    known = [option.name for option in fields(CompileOptions)]
    for name in values:
        if name == "verify":
            raise CompileError("verify is an option of the command alone", hint="model-compiler -verify")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.5)
            hint = f"did you mean '{near[0]}'?" if near else f"options: {', '.join(known)}"
            raise CompileError(f"there is no option '{name}'", hint=hint)
    return CompileOptions(**values)


def whole_number(value: Any) -> Any:
    """Whole numbers of any kind, such as NumPy's, as int; anything else, a truth value too, as it is."""
    try:
        return value if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return value


def _flag(name: str) -> str:
    return name.replace("_", "-")


def _normal(name: str, value: Any) -> Any:
    """A value as the rest of the compiler expects it. Raises CompileError if it is of another type."""
    if name in _PATHS:
        return _path(name, value)
    if name in _LISTS:
        return _texts(name, value)
    if name == "onnx_define_symbol":
        return symbol_sizes(value)
    return whole_number(value)


def _path(name: str, value: Any) -> Path | None:
    if value is not None and not isinstance(value, (str, Path)):
        raise CompileError(f"-{_flag(name)}: expected the path of a file, not {value!r}")
    return Path(value) if isinstance(value, str) else value


def _texts(name: str, value: Any) -> tuple[str, ...]:
    values = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if not all(isinstance(one, (str, Path)) for one in values):
        raise CompileError(f"-{_flag(name)}: expected a text or a list of texts, not {value!r}")
    return tuple(map(str, values))


def symbol_sizes(given: Any) -> dict[str, int]:
    """Sizes of symbolic dimensions: a mapping, or texts `name,value` of which the last one wins.

    Raises:
        CompileError: neither, or a size that is not above 0.
    """
    if isinstance(given, Mapping):
        pairs = [(name, whole_number(size)) for name, size in given.items()]
    else:
        pairs = [_pair(text) for text in _texts("onnx_define_symbol", given)]
    for name, size in pairs:
        if type(size) is not int or size < 1:
            raise CompileError(f"-onnx-define-symbol={name},{size}: expected a size above 0")
    return dict(pairs)


def _pair(text: str) -> tuple[str, int]:
    name, comma, size = text.rpartition(",")
    if not comma or not name or not (size.isascii() and size.isdecimal()):
        raise CompileError(
            f"-onnx-define-symbol={text}: expected a name and a size above 0",
            hint="for example -onnx-define-symbol=batch_size,1",
        )
    return name, int(size)
