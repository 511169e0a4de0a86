"""The pipeline: from a model to a bundle directory, stage after stage.

The command line, `inbundle.compile` and the ONNX backend all come through here; each stage's work is in its package.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from inbundle import passes
from inbundle.bundle.names import entry_name, network_name
from inbundle.bundle.parts import BundleParts, Kernel
from inbundle.bundle.targets import Toolchain, is_bare_metal, resolve
from inbundle.bundle.writer import write_bundle
from inbundle.errors import CompileError
from inbundle.extensions import load_extensions
from inbundle.frontend.source import ModelSource
from inbundle.graph.dot import write_dot
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import write_onnx
from inbundle.graph.printer import to_text as graph_text
from inbundle.ir import passes as ir_passes
from inbundle.ir.function import Function
from inbundle.ir.memory import MemoryPlan
from inbundle.ir.passes.add_scratch import add_scratch
from inbundle.ir.planner import plan as plan_memory
from inbundle.ir.printer import to_text as ir_text
from inbundle.ir.tasks import schedule
from inbundle.ir.tiling import UNCUT, tilings
from inbundle.kernels import generate as generate_kernels
from inbundle.kernels import generate_natives
from inbundle.lowering import lower
from inbundle.nets import neuron, tile
from inbundle.nets.cgen import generate as generate_rules
from inbundle.nets.image import encode, section_size
from inbundle.nets.input_values import read_input_values
from inbundle.nets.memory import engine_limits
from inbundle.nets.printer import to_script
from inbundle.nets.program import Program
from inbundle.options import CompileOptions
from inbundle.pass_flags import check_ir_dumps, graph_watchers, ir_watchers
from inbundle.passes import GraphPass
from inbundle.patterns.pattern_file import PatternFile
from inbundle.written_files import check_not_read


class Progress(Protocol):
    """Is told of every stage, and hides what it shows before a dump is printed."""

    def __call__(self, stage: str) -> None: ...

    def hide(self) -> None: ...


class Silent:
    """A progress display that shows nothing."""

    def __call__(self, stage: str) -> None:
        pass

    def hide(self) -> None:
        pass


SILENT = Silent()
STAGES = (
    "loading",
    "optimising the graph",
    "lowering",
    "translating to a net",
    "generating code",
    "building the object",
)


@dataclass(frozen=True)
class Translation:
    """What a granularity makes of a Function. `runs_alone`: several workers would not be faster than one."""

    plan: MemoryPlan
    program: Program
    kernels_source: str
    kernels: tuple[Kernel, ...] = ()
    runs_alone: bool = False


@dataclass(frozen=True)
class Job:
    """What is compiled, under which names, for which machine."""

    source: ModelSource
    options: CompileOptions
    network: str
    entry: str
    toolchain: Toolchain


def compile_model(source: ModelSource, directory: Path, options: CompileOptions, progress: Progress = SILENT) -> str:
    """Compiles a model into the bundle `directory` and returns the network's name.

    Raises:
        CompileError: anything the user can mend; nothing is written to `directory` then.
    """
    check_options(options)
    check_ir_dumps(options)
    toolchain = resolve(options)
    check_profile(options, toolchain)
    progress(STAGES[0])
    graph, files = source.load(options)  # a file that is no model is reported as that, whatever its name is
    network = network_name(source.path, options.network_name)
    job = Job(source, options, network, entry_name(network, options.main_entry_name), toolchain)
    inputs = _check_dumps(files, options)
    dump_drawing(graph, options.dump_graph_dag_before_compile, progress)
    operators = tuple(node.name for node in graph.nodes)
    progress(STAGES[1])
    optimize_graph(graph, options, progress)
    dump_drawing(graph, options.dump_graph_dag, progress)
    dump_text(graph_text(graph) if options.dump_graph else "", progress)
    if options.dump_onnx:
        write_onnx(graph, options.dump_onnx)
    progress(STAGES[2])
    function = lower(graph)
    progress(STAGES[3])
    vectors = toolchain.vector_units()
    try:
        translation = translate(function, network, options, vectors, progress)
    except CompileError as error:
        raise error.at(str(source.path)) from None
    dump_text(ir_text(function) if options.dump_ir else "", progress)
    progress(STAGES[4])
    parts = assemble(job, function, translation, tuple(graph.outputs), operators)
    progress(STAGES[5])
    write_bundle(parts, directory, inputs)
    return network


def _check_dumps(files: set[Path], options: CompileOptions) -> set[Path]:
    """No dump may replace a file that the compilation reads, of the model or of the options. Returns these files."""
    own = (options.patterns, options.inpla_input, *map(Path, options.extension))
    inputs = files | {path for path in own if path}
    for flag in ("dump-graph-DAG", "dump-graph-DAG-before-compile", "dump-onnx"):
        path = getattr(options, flag.replace("-", "_").lower())
        if path:
            check_not_read(f"-{flag}", path, inputs)
    return inputs


def check_options(options: CompileOptions) -> None:
    """Combinations that cannot be meant."""
    if options.backend != "CPU":
        raise CompileError(f"-backend={options.backend}: only CPU writes bundles", hint="leave -backend out")
    if options.granularity != "neuron" and options.inpla_weights == "inline":
        raise CompileError("-inpla-weights=inline needs -granularity=neuron", hint="add -granularity=neuron")
    if options.granularity == "neuron" and options.tile_split != "auto":
        hint = "leave -granularity=neuron or -tile-split out"
        raise CompileError(f"-tile-split={options.tile_split}: a neuron net has no tiles", hint=hint)
    if options.inpla_input and options.inpla_weights != "inline":
        raise CompileError(
            "-inpla-input needs the weights in the script as well", hint="add -granularity=neuron -inpla-weights=inline"
        )


def check_profile(options: CompileOptions, toolchain: Toolchain) -> None:
    """What `-profile-kernels` needs: kernels, and a clock."""
    if options.profile_kernels and options.granularity == "neuron":
        raise CompileError("-profile-kernels: a neuron net has no kernels", hint="leave -granularity=neuron out")
    if options.profile_kernels and is_bare_metal(toolchain.triple):
        raise CompileError(f"-profile-kernels needs an operating system's clock, {toolchain.target} has none")


def dump_drawing(graph: Graph, path: Path | None, progress: Progress) -> None:
    """The graph as a drawing, where one is asked for; its file is named on standard output, as Glow does."""
    if path:
        write_dot(graph, path)
        dump_text(f"Graph written to {path}\n", progress)


def optimize_graph(graph: Graph, options: CompileOptions, progress: Progress = SILENT) -> None:
    """Runs the graph passes that the options ask for, and those of users and extensions, in place."""
    post_lowering = [extension.post_lowering for extension in load_extensions(options.extension)]
    own = [GraphPass("Patterns", PatternFile(options.patterns).apply)] if options.patterns else []
    watchers = graph_watchers(options, lambda text: dump_text(text, progress), [*own, *post_lowering])
    passes.optimize(
        graph,
        options.graph_passes,
        watchers,
        own=own,
        post_lowering=post_lowering,
        stop_after=options.stop_graph_passes_after_num,
    )


def dump_text(text: str, progress: Progress) -> None:
    """Prints a dump where the progress display does not stand in its way."""
    if text:
        progress.hide()
        print(text, end="", flush=True)


def translate(
    function: Function,
    network: str,
    options: CompileOptions,
    vectors: tuple[str, ...] = (),
    progress: Progress = SILENT,
) -> Translation:
    """The Function as a net of the wanted granularity. The tile translation optimises the Function in place.

    Args:
        vectors: the vector units of the target, best first.
    """
    if options.granularity == "neuron":
        return _translate_neurons(function, network, options)
    optimize_ir(function, options, progress, vectors=bool(vectors))
    cuts = tilings(function, options.threads, options.tile_split)
    add_scratch(function, cuts)
    plan = plan_memory(function, reuse=options.reuse_activation_memory_allocations)
    tasks = schedule(function, plan, cuts)
    program = tile.translate(tasks, name=network, threads=options.threads)
    source = generate_kernels(function, plan, tasks, network=network, vectors=vectors)
    facts = tuple(Kernel(t.native, t.instruction.name, t.instruction.kind, t.tiles) for t in tasks)
    runs_alone = options.threads > 1 and options.tile_split == "auto" and set(cuts.values()) <= {UNCUT}
    return Translation(plan, program, source, facts, runs_alone)


def optimize_ir(
    function: Function, options: CompileOptions, progress: Progress = SILENT, *, vectors: bool = False
) -> None:
    """Runs the IR passes that the options ask for, in place; `vectors`: for a target with vector kernels."""
    watchers = ir_watchers(options, lambda text: dump_text(text, progress))
    stop_after = options.stop_ir_passes_after_num
    ir_passes.optimize(function, watchers, enabled=options.optimize_ir, vectors=vectors, stop_after=stop_after)


def _translate_neurons(function: Function, network: str, options: CompileOptions) -> Translation:
    inline = options.inpla_weights == "inline"
    values = read_input_values(options.inpla_input, function.inputs) if options.inpla_input else None
    plan = plan_memory(function).without_activations(constants=not inline)
    program = neuron.translate(function, plan, name=network, weights=options.inpla_weights, inputs=values)
    return Translation(plan, program, generate_natives(program, network=network))


def assemble(
    job: Job, function: Function, translation: Translation, outputs: tuple[str, ...], operators: tuple[str, ...]
) -> BundleParts:
    """Everything the bundle is made of. `outputs`, `operators`: names of the model's outputs and operators."""
    program, options, word_bytes = translation.program, job.options, job.toolchain.word_bytes
    image = encode(program, section_cells=section_size(options.threads))
    return BundleParts(
        network=job.network,
        entry=job.entry,
        function=function,
        input_names=tuple(variable.name for variable in function.inputs),
        output_names=outputs,
        plan=translation.plan,
        program=program,
        script=to_script(program, _facts(job.network, options)),
        image=image.data,
        limits=engine_limits(program, image, threads=options.threads, word_bytes=word_bytes),
        rules_source=generate_rules(program),
        kernels_source=translation.kernels_source,
        options=options,
        toolchain=job.toolchain,
        source_sha256=job.source.sha256,
        operator_names=operators,
        kernels=translation.kernels,
        runs_alone=translation.runs_alone,
    )


def _facts(network: str, options: CompileOptions) -> tuple[str, ...]:
    """Comment lines at the head of the script: what it is, and how it is run."""
    if options.granularity == "tile":
        granularity = f"granularity: tile, {options.threads} worker{'s' if options.threads > 1 else ''}"
        return granularity, f"Its rules call C functions of {network}_kernels.c: it runs in the bundle, not by `inpla`."
    granularity = f"granularity: neuron, weights: {options.inpla_weights}"
    if options.inpla_weights == "region":
        return granularity, f"To run: inpla -f {network}.in -weights={network}.weights.bin -inputs=FILE"
    if options.inpla_input:
        return granularity, f"To run: inpla -f {network}.in -dialect=float -print=shortest"
    return granularity, "Its inputs are free: -inpla-input=FILE of model-compiler connects values to them."
