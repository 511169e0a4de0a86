"""The equation of Einsum as labels of dimensions: text in, labels out. Dimensions of `...` are labels of their own."""

from __future__ import annotations

from collections.abc import Sequence

from inbundle.errors import CompileError

Labels = tuple[str, ...]


def parsed(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels of every operand and of the result.

    Raises:
        CompileError: an equation that is none, or that does not fit operands of these ranks.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise CompileError(f"the equation {equation!r} has {len(terms)} operands, the node has {len(ranks)}")
    operands = [_labels(equation, term, rank) for term, rank in zip(terms, ranks, strict=True)]
    known = [label for labels in operands for label in labels]
    if not arrow:
        single = sorted(label for label in set(known) if label.isalpha() and known.count(label) == 1)
        return operands, (*_dots(known), *single)
    if right.count("...") > 1:
        raise CompileError(f"the equation {equation!r} has ... twice in its result")
    before, dots, after = right.partition("...")
    result = (*before, *(_dots(known) if dots else ()), *after)
    if len(set(result)) != len(result) or not set(result) <= set(known):
        raise CompileError(f"the equation {equation!r} has a label in its result twice, or one that no operand has")
    return operands, result


def _labels(equation: str, term: str, rank: int) -> Labels:
    before, dots, after = term.partition("...")
    letters = before + after
    more = rank - len(letters)
    if more < 0 or (more and not dots) or not all(letter.isalpha() for letter in letters):
        raise CompileError(f"the term {term!r} of the equation {equation!r} does not fit an operand of rank {rank}")
    return (*before, *(str(more - at) for at in range(more)), *after)


def _dots(known: Sequence[str]) -> Labels:
    """The dimensions of `...`, which are numbered from the last one."""
    return tuple(sorted({label for label in known if not label.isalpha()}, key=int, reverse=True))
