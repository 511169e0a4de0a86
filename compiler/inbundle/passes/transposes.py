"""MergeTransposes: transposes that follow each other become one, or none; those that move nothing become a Reshape.

Before:
    %a = Transpose(%x) {perm: [0, 2, 3, 1]}
    %b = Transpose(%a) {perm: [0, 3, 1, 2]}
    %c = Transpose(%b) {perm: [0, 2, 1]}     with %b: float<2 x 1 x 8>

After:
    %c = Reshape(%x) {shape: [2, 8, 1]}

A Gemm reads matrices transposed by itself, and takes the order of what a transposed tensor is flattened to into its
weights. Reshapes that follow each other become one. A stack of matrices need not be flattened to be transposed.
"""

from __future__ import annotations

import math

import numpy as np

from inbundle.graph.graph import Constant, Graph, Node, Value
from inbundle.patterns import Match, Pattern, Rewriter, Rule, apply_rules
from inbundle.patterns.functions import BUILT_IN, predicate


def merge_transposes(graph: Graph) -> None:
    apply_rules(graph, RULES)


def permutation(node: Node) -> tuple[int, ...]:
    """The axes of a Transpose."""
    return node.integers("perm")


def _merged(rewriter: Rewriter, match: Match) -> Value:
    first, second = permutation(match["Transpose#1"]), permutation(match["Transpose#2"])
    start = match["Transpose#1"].input(0)
    perm = tuple(first[axis] for axis in second)
    if perm == tuple(range(len(perm))):
        return start
    return rewriter.add("Transpose", [start], {"perm": perm}).output


def _moves_nothing(node: Node) -> bool:
    """Axes with more than one element stay in order."""
    shape = node.input(0).type.shape
    moved = [axis for axis in permutation(node) if shape[axis] != 1]
    return moved == sorted(moved)


def _weights_in_order(rewriter: Rewriter, match: Match) -> Value | None:
    """Gemm(Reshape(Transpose(x))), where the Reshape keeps the first axis and flattens the others."""
    transpose, gemm = match["Transpose"], match["Gemm"]
    perm, shape, weights = permutation(transpose), transpose.input(0).type.shape, gemm.input(1)
    flat = (shape[0], math.prod(shape[1:]))
    if (
        gemm.attributes["transA"]
        or perm[0] != 0
        or match["Reshape"].output.type.shape != flat
        or not isinstance(weights, Constant)
    ):
        return None
    rows = weights.data.T if gemm.attributes["transB"] else weights.data
    moved = [shape[axis] for axis in perm[1:]]
    back = np.argsort([axis - 1 for axis in perm[1:]])
    rows = rows.reshape(*moved, -1).transpose(*back, len(back)).reshape(rows.shape)
    ordered = rewriter.constant(f"{weights.name}_ordered", rows.T if gemm.attributes["transB"] else rows)
    start = transpose.input(0)
    matrix = rewriter.add("Reshape", [start], {"shape": flat}, outputs=[f"{start.name}_matrix"])
    return rewriter.add("Gemm", [matrix.output, ordered, *gemm.inputs[2:]], gemm.attributes).output


def _gemm(name: str, port: int, flag: str) -> Rule:
    operands = ", ".join("Transpose[0]" if index == port else f"Gemm[{index}]" for index in range(3))
    flags = {"transA": "Gemm.transA", "transB": "Gemm.transB"} | {flag: f"!Gemm.{flag}"}
    attributes = ", ".join(f"{key}: {value}" for key, value in flags.items())
    text = f"Gemm = Gemm({operands}) {{alpha: Gemm.alpha, beta: Gemm.beta, {attributes}}}"
    where = {"Transpose": "$.perm == [1, 0]"}
    return Rule.replacing(name, f"Transpose -{port}> Gemm", text, where, exclusive=False)


_FUNCTIONS = {**BUILT_IN, "movesNothing": predicate(_moves_nothing)}
RULES = (
    Rule("TwoTransposes", Pattern("Transpose#1 -> Transpose#2", exclusive=False), _merged),
    Rule.replacing(
        "TransposeToReshape",
        "Transpose",
        "Transpose = Reshape(Transpose[0]) {shape: shape(Transpose)}",
        where={"Transpose": "movesNothing($)"},
        functions=_FUNCTIONS,
    ),
    Rule.replacing(
        "TwoReshapes",
        "Reshape#1 -> Reshape#2",
        "Reshape#2 = Reshape(Reshape#1[0]) {shape: shape(Reshape#2)}",
        exclusive=False,
    ),
    Rule.replacing(
        "TransposeOfFlattenedStack",
        "%x -> Reshape#flat -> Transpose -> Reshape#stack",
        "Reshape#stack = Transpose(%x) {perm: [0, 1, 3, 2]}",
        {"%x": "rank($) == 4", "Transpose": "$.perm == [0, 2, 1]"},
        "shape(Reshape#flat) == [shape(%x)[0] * shape(%x)[1], shape(%x)[2], shape(%x)[3]] && "
        "shape(Reshape#stack) == [shape(%x)[0], shape(%x)[1], shape(%x)[3], shape(%x)[2]]",
    ),
    _gemm("TransposeIntoGemmLeft", 0, "transA"),
    _gemm("TransposeIntoGemmRight", 1, "transB"),
    Rule("FlattenedTransposeIntoGemm", Pattern("Transpose -> Reshape -0> Gemm"), _weights_in_order),
)
