"""The pipeline: from a model to a bundle directory, stage after stage.

The command line, `inbundle.compile` and the ONNX backend all come through here; each stage's work is in its package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inbundle import passes
from inbundle.bundle.names import entry_name, network_name
from inbundle.bundle.parts import BundleParts, Kernel
from inbundle.bundle.targets import Toolchain, resolve
from inbundle.bundle.writer import write_bundle
from inbundle.errors import CompileError
from inbundle.frontend.source import ModelSource
from inbundle.graph.dot import write_dot
from inbundle.graph.graph import Graph
from inbundle.graph.printer import to_text as graph_text
from inbundle.graph.verifier import verify as verify_graph
from inbundle.ir import passes as ir_passes
from inbundle.ir.function import Function
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.printer import to_text as ir_text
from inbundle.ir.tasks import schedule
from inbundle.kernels import generate as generate_kernels
from inbundle.kernels import generate_natives
from inbundle.lowering import lower
from inbundle.nets import neuron, tile
from inbundle.nets.cgen import generate as generate_rules
from inbundle.nets.image import encode
from inbundle.nets.input_values import read_input_values
from inbundle.nets.memory import engine_limits
from inbundle.nets.printer import to_script
from inbundle.nets.program import Program
from inbundle.options import CompileOptions

Progress = Callable[[str], None]
STAGES = (
    "loading",
    "optimising the graph",
    "lowering",
    "translating to a net",
    "generating code",
    "building the object",
)


def silent(_stage: str) -> None:
    """A progress display that shows nothing."""


@dataclass(frozen=True)
class Translation:
    """What a granularity makes of a Function."""

    plan: MemoryPlan
    program: Program
    kernels_source: str
    kernels: tuple[Kernel, ...] = ()


def compile_model(source: ModelSource, directory: Path, options: CompileOptions, progress: Progress = silent) -> str:
    """Compiles a model into the bundle `directory` and returns the network's name.

    Raises:
        CompileError: anything the user can mend; nothing is written to `directory` then.
    """
    check_options(options)
    network = network_name(source.path, options.network_name)
    entry = entry_name(network, options.main_entry_name)
    toolchain = resolve(options)
    progress(STAGES[0])
    graph = source.load(options)
    if options.dump_graph_dag_before_compile:
        write_dot(graph, options.dump_graph_dag_before_compile)
    progress(STAGES[1])
    operators = tuple(node.name for node in graph.nodes)
    passes.optimize(graph)
    verify_graph(graph)
    dump_graph(graph, options)
    progress(STAGES[2])
    function = lower(graph)
    progress(STAGES[3])
    translation = translate(function, network, options)
    if options.dump_ir:
        print(ir_text(function), end="")
    progress(STAGES[4])
    parts = assemble(source, graph, function, translation, toolchain, network, entry, operators, options)
    progress(STAGES[5])
    write_bundle(parts, directory)
    return network


def check_options(options: CompileOptions) -> None:
    """Combinations that cannot be meant."""
    if options.backend != "CPU":
        raise CompileError(f"-backend={options.backend}: only CPU writes bundles", hint="leave -backend out")
    if options.granularity != "neuron" and options.inpla_weights == "inline":
        raise CompileError("-inpla-weights=inline needs -granularity=neuron", hint="add -granularity=neuron")
    if options.inpla_input and options.inpla_weights != "inline":
        raise CompileError(
            "-inpla-input needs the weights in the script as well", hint="add -granularity=neuron -inpla-weights=inline"
        )


def dump_graph(graph: Graph, options: CompileOptions) -> None:
    """The final graph, where and how the options ask for it."""
    if options.dump_graph_dag:
        write_dot(graph, options.dump_graph_dag)
    if options.dump_graph:
        print(graph_text(graph), end="")


def translate(function: Function, network: str, options: CompileOptions) -> Translation:
    """The Function as a net of the wanted granularity. The tile translation optimises the Function in place."""
    if options.granularity == "neuron":
        return _translate_neurons(function, network, options)
    ir_passes.optimize(function, enabled=options.optimize_ir)
    plan = plan_memory(function, reuse=options.reuse_activation_memory_allocations)
    tasks = schedule(function, plan, threads=options.threads)
    program = tile.translate(tasks, name=network, threads=options.threads)
    source = generate_kernels(function, plan, tasks, network=network)
    facts = tuple(Kernel(t.native, t.instruction.name, t.instruction.kind, t.tiles) for t in tasks)
    return Translation(plan, program, source, facts)


def _translate_neurons(function: Function, network: str, options: CompileOptions) -> Translation:
    inline = options.inpla_weights == "inline"
    values = read_input_values(options.inpla_input, function.inputs) if options.inpla_input else None
    plan = plan_memory(function).without_activations(constants=not inline)
    program = neuron.translate(function, plan, name=network, weights=options.inpla_weights, inputs=values)
    return Translation(plan, program, generate_natives(program, network=network))


def assemble(
    source: ModelSource,
    graph: Graph,
    function: Function,
    translation: Translation,
    toolchain: Toolchain,
    network: str,
    entry: str,
    operators: tuple[str, ...],
    options: CompileOptions,
) -> BundleParts:
    """Everything the bundle is made of."""
    program = translation.program
    image = encode(program)
    return BundleParts(
        network=network,
        entry=entry,
        function=function,
        input_names=tuple(variable.name for variable in function.inputs),
        output_names=tuple(graph.outputs),
        plan=translation.plan,
        program=program,
        script=to_script(program, _facts(options)),
        image=image.data,
        limits=engine_limits(program, image, threads=options.threads, word_bytes=toolchain.word_bytes),
        rules_source=generate_rules(program),
        kernels_source=translation.kernels_source,
        options=options,
        toolchain=toolchain,
        source_sha256=source.sha256,
        operator_names=operators,
        kernels=translation.kernels,
    )


def _facts(options: CompileOptions) -> tuple[str, ...]:
    """Comment lines at the head of the script."""
    if options.granularity == "tile":
        return (f"granularity: tile, {options.threads} worker{'s' if options.threads > 1 else ''}",)
    return (f"granularity: neuron, weights: {options.inpla_weights}",)
