"""Compile options: declared once, read by the command line, the Python API, the manual and the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class CompileOptions:
    """What a compilation is asked for. Field names are Glow's flags with underscores; `cli/flags.py` holds their help.

    Attributes:
        model_input: the texts of `-model-input`, parsed by `frontend/model_input.py`.
        onnx_define_symbol: symbolic dimension -> size.
        inpla_input: file (npy, npz, raw float32) whose values are written into the script as literals.
        threads: workers the bundle may use; 1 gives a single-threaded object.
        target: name of a target of `bundle/targets/`, or a GNU triple.
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
    reuse_activation_memory_allocations: bool = True
    relocation_model: str = "static"
    target: str = ""
    mcpu: str = ""
    mattr: tuple[str, ...] = ()
    march: str = ""
    mabi: str = ""
    float_abi: str = "default"
    compiler: str = ""
    dump_graph_dag: Path | None = None
    dump_graph_dag_before_compile: Path | None = None
    dump_graph: bool = False
    dump_ir: bool = False
    optimize_ir: bool = True
