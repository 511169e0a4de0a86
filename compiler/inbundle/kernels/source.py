"""The text of a kernels file: what it includes, the support functions that its kernels call, the kernels.

A support function stands in a file of its own, `templates/kernels/functions/NAME.c`. Those that the kernels name are
written in front of them, with those they call themselves, and no others: an unused static function is a warning.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from inbundle.kernels import templates
from inbundle.kernels.vector.epilogue import Epilogue
from inbundle.kernels.vector.functions import vector_functions
from inbundle.kernels.vector.machines import Machine
from inbundle.kernels.vector.tiles import tile_functions
from inbundle.kernels.vector.units import units

_UNUSED = "__attribute__((unused))"
_WORD = re.compile(r"\b[a-z]\w*(?=\()")


@functools.cache
def support_functions() -> dict[str, str]:
    """Name -> C text of every support function, ordered by name."""
    files = sorted((templates.folder() / "functions").glob("*.c"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def _calls(text: str) -> list[str]:
    """Support functions that `text` calls, ordered by name."""
    return sorted(set(_WORD.findall(text)) & support_functions().keys())


def needed_functions(text: str) -> list[str]:
    """The support functions that `text` calls, directly or not, each after those it calls itself."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        for callee in _calls(support_functions()[name]):
            if callee != name:
                visit(callee)
        order.append(name)

    for name in _calls(text):
        visit(name)
    return order


def _support(functions: Sequence[str]) -> list[str]:
    """The C texts of the support functions that `functions` need.

    A kernel of vectors is compiled for some targets only: what nothing else needs is not missed on the others.
    """
    always = needed_functions("\n".join(text for text in functions if "KERNEL_" not in text))
    texts = {name: support_functions()[name] for name in needed_functions("\n".join(functions))}
    return [
        text if name in always else text.replace("static ", f"{_UNUSED} static ", 1) for name, text in texts.items()
    ]


def kernels_file(
    network: str,
    title: str,
    functions: list[str],
    machines: Sequence[Machine] = (),
    epilogues: Mapping[str, Epilogue] | None = None,
) -> str:
    """The file with `functions`, the C texts of the natives.

    Args:
        network: name of the network, for the heading.
        title: what the functions are.
        machines: the vector units for which some of them are written.
        epilogues: what their tiles end with, by name.
    """
    text = "\n".join(functions)
    support = _support(functions)
    if "KERNEL_" in text:
        tiles = tile_functions(text, epilogues or {})
        support = [units(machines), *support, *vector_functions("\n".join([text, *tiles]), machines), *tiles]
    return templates.render("file.c.j2", network=network, title=title, functions=support + functions)
