"""What the optimiser does to models: the table of docs/optimizer.md. A measurement, never a test.

    python benchmarks/optimizer.py [--update docs/optimizer.md] MODEL.onnx ...

Prints per model the nodes of the graph, the instructions of the IR and the bytes of activations (without the net's own
memory), each without any pass and with all of them, for a target without vector units; the bytes in the end for each
byte of the lower bound of `ir/bound.py`; both for a target with vector units, with the memory that kernels work in;
and how far the outputs of the graph lie apart then, on random inputs, in ONNX's reference evaluator. Buffers share
memory in all cases.
Symbolic dimensions become 1. `--update` writes the table into the file, between the lines that mark its place.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from shared_models import symbols

from inbundle.difference import difference, random_array
from inbundle.driver import optimize_graph, optimize_ir
from inbundle.errors import CompileError
from inbundle.frontend import load_graph
from inbundle.graph.graph import Graph
from inbundle.graph.onnx import Evaluator
from inbundle.ir.bound import activation_memory
from inbundle.ir.planner import plan
from inbundle.lowering import lower
from inbundle.options import CompileOptions

HEADINGS = (
    *("model", "nodes", "instructions", "activation bytes", "of the bound"),
    *("with vectors", "of the bound", "difference"),
)
BEGIN, END = "<!-- benchmarks/optimizer.py -->", "<!-- end -->"


def row(model: Path) -> tuple[str, ...]:
    """The row of a model."""
    sizes_of_symbols = symbols(model)
    plain = CompileOptions(graph_passes="none", optimize_ir=False, onnx_define_symbol=sizes_of_symbols)
    full = CompileOptions(onnx_define_symbol=sizes_of_symbols)
    before, after = graphs = [load_graph(model, options) for options in (plain, full)]
    sizes = [_sizes(graph, options) for graph, options in zip(graphs, (plain, full), strict=True)]
    cells = (f"{left:,} → {right:,}" for left, right in zip(*sizes, strict=True))
    scalar, vector = (activation_memory(lower(after), vectors=vectors) for vectors in (False, True))
    memory = f"{scalar.ratio:.2f}", f"{vector.planned:,}", f"{vector.ratio:.2f}"
    return (f"{model.parent.name}/{model.name}", *cells, *memory, _apart(before, after))


def _sizes(graph: Graph, options: CompileOptions) -> tuple[int, int, int]:
    """Nodes, instructions and activation bytes under some options, whose graph passes run on `graph` in place."""
    optimize_graph(graph, options)
    function = lower(graph)
    optimize_ir(function, options)
    return len(graph.nodes), len(function.instructions()), plan(function).activation_bytes


def _apart(before: Graph, after: Graph) -> str:
    """The largest difference between outputs of the two graphs, as a part of the output's largest value or of 1."""
    rng = np.random.default_rng(1)
    inputs = {value.name: random_array(value.type.elem.dtype, value.type.shape, rng) for value in before.inputs}
    expected, actual = (Evaluator(graph).run(inputs) for graph in (before, after))
    worst = (difference(actual[name], array, name) for name, array in expected.items())
    return f"{max(each.value / max(1.0, each.magnitude) for each in worst):.0e}"


def table(models: Sequence[Path]) -> str:
    """The table in Markdown; a model that does not compile is left out, with a line on standard error."""
    lines = [" | ".join(HEADINGS), "|".join([":--", *("--:" for _ in HEADINGS[1:])])]
    for model in models:
        try:
            lines.append(" | ".join(row(model)))
        except CompileError as error:
            print(f"{model.name} is left out: {error}", file=sys.stderr)
    return "".join(f"| {line} |\n" for line in lines)


def update(document: Path, text: str) -> None:
    """Put `text` between the lines that mark its place in `document`."""
    head, _, rest = document.read_text(encoding="utf-8").partition(f"{BEGIN}\n")
    _, _, tail = rest.partition(END)
    document.write_text(f"{head}{BEGIN}\n{text}{END}{tail}", encoding="utf-8")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--update", type=Path, metavar="FILE", help="Markdown file that gets the table")
    given = parser.parse_args(words)
    text = table(given.models)
    print(text, end="")
    if given.update:
        update(given.update, text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
