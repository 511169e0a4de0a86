"""What a bundle is made of: the products of all earlier stages, as the driver hands them over."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.bundle.targets import Toolchain
from inbundle.ir.function import Function
from inbundle.ir.memory import MemoryPlan
from inbundle.nets.memory import EngineLimits
from inbundle.nets.program import Program
from inbundle.options import CompileOptions


@dataclass(frozen=True)
class Kernel:
    """A native function that runs one IR instruction in `tiles` pieces."""

    native: str
    instruction: str
    kind: str
    tiles: int


@dataclass(frozen=True)
class BundleParts:
    """Everything that `writer.write_bundle` needs.

    Attributes:
        network: legal name of the network (`names.network_name`), of files and macros.
        entry: name of the entry function (`names.entry_name`).
        function: its `inputs` and `outputs` become the header's placeholders.
        input_names, output_names: names of the model's tensors, in the order of `function.inputs`, `function.outputs`.
        operator_names: names of the model's operators, which an output's C name must not equal.
        program: what runs; `script` is its text, `rules_source` its rules as C, `image` its net as bytes for the word
            size and byte order of `toolchain`.
        kernels_source: C of the native functions.
        kernels: the facts of the native functions that run IR instructions; none at neuron granularity.
        runs_alone: one worker reduces the net, however many there may be.
        source_sha256: hash of the model file, in hexadecimal.
    """

    network: str
    entry: str
    function: Function
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    plan: MemoryPlan
    program: Program
    script: str
    image: bytes
    limits: EngineLimits
    rules_source: str
    kernels_source: str
    options: CompileOptions
    toolchain: Toolchain
    source_sha256: str
    operator_names: tuple[str, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    runs_alone: bool = False
