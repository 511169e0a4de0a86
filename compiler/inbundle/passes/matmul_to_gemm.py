"""MatMulAddToGemm: a product of matrices and an addition become a Gemm, whose sums begin with the addend.

Before:
    %p = MatMul(%x, %w)                   with %x: float<4 x 7 x 16>, %w: float<16 x 8>
    %y = Add(%p, %b)                      with %b: float<8>

After:
    %m = Reshape(%x) {shape: [28, 16]}
    %g = Gemm(%m, %w, %b)
    %y = Reshape(%g) {shape: [4, 7, 8]}

Matrices need no Reshape, and may have any addend that broadcasts to the product. A Gemm without addend takes one, too.
"""

from __future__ import annotations

import math

from inbundle.graph.graph import Graph, Node, Value
from inbundle.graph.ops.broadcast import broadcasts_to
from inbundle.graph.ops.operands import FLOATS
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules


def matmul_to_gemm(graph: Graph) -> None:
    apply_rules(graph, RULES)


def _gemm(rewriter: Rewriter, match: Match) -> Value | None:
    matmul, add, addend = match["MatMul"], match["Add#1"], match.values["%b"]
    left, right = matmul.input(0), matmul.input(1)
    if add.output.type != matmul.output.type or right.type.rank != 2 or left.type.elem not in FLOATS:
        return None
    if left.type.rank == 2:
        fits = broadcasts_to(addend.type.shape, matmul.output.type.shape)
        return rewriter.add("Gemm", [left, right, addend]).output if fits else None
    fits = left.type.rank > 2 and broadcasts_to(addend.type.shape, right.type.shape[1:])
    return _of_stack(rewriter, matmul, addend) if fits else None


def _of_stack(rewriter: Rewriter, matmul: Node, addend: Value) -> Value:
    """The matrices of a stack below each other are one matrix."""
    left, right = matmul.input(0), matmul.input(1)
    rows = math.prod(left.type.shape[:-1])
    name = left.name
    matrix = rewriter.add("Reshape", [left], {"shape": (rows, left.type.shape[-1])}, outputs=[f"{name}_matrix"]).output
    product = rewriter.add("Gemm", [matrix, right, addend], outputs=[f"{matmul.output.name}_matrix"]).output
    return rewriter.add("Reshape", [product], {"shape": matmul.output.type.shape}).output


RULES = (
    Rule("MatMulAdd", Pattern("MatMul -> Add#1; %b -> Add#1"), _gemm),
    Rule.replacing(
        "GemmAdd",
        "Gemm -> Add#1; %b -> Add#1",
        "Add#1 = Gemm(Gemm[0], Gemm[1], %b) {alpha: Gemm.alpha, transA: Gemm.transA, transB: Gemm.transB}",
        where={"Gemm": "!exists($[2])", "%b": "rank($) <= 2"},
        when="shape(Add#1) == shape(Gemm)",
    ),
)
