"""What the flags on passes ask for, as watchers of the pass manager."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from inbundle.bundle.names import legalize
from inbundle.errors import CompileError
from inbundle.graph.dot import write_dot
from inbundle.graph.graph import Graph
from inbundle.ir.function import Function
from inbundle.ir.passes import PIPELINE as IR_PIPELINE
from inbundle.ir.passes.manager import FUNCTIONS
from inbundle.ir.printer import to_text as ir_text
from inbundle.options import CompileOptions
from inbundle.pass_manager import PassRun, Unit, UnitKind, Watcher
from inbundle.pass_watchers import Chosen, PassDumper, PassLog, Say
from inbundle.passes import PASSES, GraphPass
from inbundle.passes.equivalence import EquivalenceCheck
from inbundle.passes.manager import GRAPHS


def graph_watchers(options: CompileOptions, say: Say, extensions: Sequence[GraphPass] = ()) -> list[Watcher[Graph]]:
    """The watchers of graph passes; `say` prints on standard output. `extensions`: passes that have no entry in PASSES.

    Raises:
        CompileError: a flag names a pass that is not there.
    """

    def dump(run: PassRun, when: str, graph: Graph) -> None:
        sort = {"before": "PrePass", "after": "PostPass"}[when]
        path = Path(f"{legalize(graph.name)}_{sort}_{run.name}_n{run.number}_{run.repetition}.dot")
        write_dot(graph, path)
        say(f"Graph written to {path}\n")

    before, after = _chosen(options, "graph", [*PASSES, *(config.name for config in extensions)])
    found: list[Watcher[Graph]] = _log(options.print_graph_passes, GRAPHS, say)
    found += [PassDumper(before, after, dump)] if before or after else []
    # Last, so that the log and the dumps of the pass that it finds wrong are there.
    return found + ([EquivalenceCheck()] if options.verify_passes else [])


def ir_watchers(options: CompileOptions, say: Say) -> list[Watcher[Function]]:
    """The watchers of IR passes; see `graph_watchers`."""

    def dump(run: PassRun, when: str, function: Function) -> None:
        say(f"IR {when} pass {run.number} {run.name}:\n{ir_text(function)}")

    before, after = _chosen(options, "ir", [name for name, _ in IR_PIPELINE])
    found: list[Watcher[Function]] = _log(options.print_ir_passes, FUNCTIONS, say)
    return found + ([PassDumper(before, after, dump)] if before or after else [])


def check_ir_dumps(options: CompileOptions) -> None:
    """Raises a CompileError where a dump before or after IR passes is asked for, and none runs."""
    if options.optimize_ir and options.granularity != "neuron":
        return
    reason = "-granularity=neuron" if options.granularity == "neuron" else "-optimize-ir=false"
    for flag in ("before_passes", "after_passes", "before_all_passes", "after_all_passes"):
        if getattr(options, f"dump_ir_{flag}"):
            raise CompileError(f"-dump-ir-{flag.replace('_', '-')}: no IR pass runs", hint=f"leave {reason} out")


def _log(asked: bool, kind: UnitKind[Unit], say: Say) -> list[Watcher[Unit]]:
    return [PassLog(kind, say)] if asked else []


def _chosen(options: CompileOptions, unit: str, known: Collection[str]) -> Sequence[Chosen]:
    """The passes to dump before and after."""
    result = []
    for when in ("before", "after"):
        names = getattr(options, f"dump_{unit}_{when}_passes")
        unknown = sorted(set(names) - set(known))
        if unknown:
            hint = f"there are {', '.join(sorted(set(known)))}"
            raise CompileError(f"-dump-{unit}-{when}-passes: there is no pass '{unknown[0]}'", hint=hint)
        result.append(Chosen(tuple(names), getattr(options, f"dump_{unit}_{when}_all_passes")))
    return result
