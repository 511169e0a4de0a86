"""Names in the bundle: of the network, its files and entry, and of tensors. Glow's rules.

This module knows strings only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import PurePath

from inbundle.bundle.reserved import MACRO_PREFIXES, is_reserved
from inbundle.errors import CompileError

LONGEST = 500
APPLICATION = "main"
_TRAILING_NUMBER = re.compile(r"__[0-9]+$")

# What the header itself defines with the network's prefix; a tensor may not have these names.
HEADER_MACROS = ("CONSTANT_MEM_SIZE", "MUTABLE_MEM_SIZE", "ACTIVATIONS_MEM_SIZE", "MEM_ALIGN", "WEIGHTS_ATTRIBUTE")


def legalize(name: str) -> str:
    """`name` as a C identifier: other characters become `_`, an empty one or a leading digit gets an `A` in front."""
    legal = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not legal or legal[0].isdigit():
        legal = "A" + legal
    if len(legal) <= LONGEST:
        return legal
    digest = int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "little")
    return f"{legal[:LONGEST]}_trunc_{digest}"


def network_name(model: str | PurePath, wanted: str = "") -> str:
    """The bundle's name: `wanted` (the value of `-network-name`), or else from the path of the model.

    The path gives its last component, cut at its last dot: `mnist-12.onnx` is `mnist_12`, `a.b.onnx` is `a_b`.

    Raises:
        CompileError: the bundle's files would have the name of its example application, or its macros those of all.
    """
    name = legalize(wanted or _stem(model))
    if f"{name.upper()}_" in MACRO_PREFIXES:
        raise CompileError(
            f"the network cannot be called '{name}': macros that start with {name.upper()}_ are those of every bundle",
            hint="choose another with -network-name=NAME",
        )
    if name == APPLICATION:
        raise CompileError(
            f"the network cannot be called '{name}': {name}.c is the bundle's example application",
            hint="choose another with -network-name=NAME",
        )
    return name


def _stem(model: str | PurePath) -> str:
    last = PurePath(model).name or str(model)
    stem, dot, _ = last.rpartition(".")
    return stem if dot and last not in (".", "..") else last


def entry_name(network: str, wanted: str = "") -> str:
    """The entry function's name: `wanted` (the value of `-main-entry-name`), or else the network's.

    Raises:
        CompileError: a function of that name cannot exist in C and C++, or would replace one of the C library.
    """
    name = legalize(wanted) if wanted else network
    if is_reserved(name):
        option = "-main-entry-name" if wanted else "-network-name"
        raise CompileError(
            f"the entry function cannot be called '{name}': the name is taken in C, C++ or main.c",
            hint=f"choose another with {option}=NAME",
        )
    return name


class UniqueNames:
    """Legal names, each given out once.

    A name that is taken gets `__1`, `__2` … at its end. That replaces a trailing `__digits`, unless the wanted name is
    the name of an operator of the model (`operators`).
    """

    def __init__(self, taken: Iterable[str] = (), operators: Collection[str] = ()) -> None:
        self._taken = set(taken)
        self._operators = frozenset(map(legalize, operators))

    def take(self, wanted: str) -> str:
        name = legalize(wanted)
        if name in self._taken:
            base = name if name in self._operators else _TRAILING_NUMBER.sub("", name)
            number = 1
            while (name := f"{base}__{number}") in self._taken:
                number += 1
        self._taken.add(name)
        return name


def tensor_names(inputs: Sequence[str], outputs: Sequence[str], operators: Collection[str] = ()) -> list[str]:
    """The C names of all placeholders: inputs first, so that they keep their names; then the outputs.

    An output that has the name of an operator, or of an input, becomes `name__1`. No name is one of HEADER_MACROS.
    """
    names = UniqueNames(HEADER_MACROS, operators)
    result = [names.take(name) for name in inputs]
    for operator in operators:
        names.take(operator)
    return result + [names.take(name) for name in outputs]
