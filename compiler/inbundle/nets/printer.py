"""Program -> Inpla script.

The script is text that a reader enjoys and that the parser reads back to an equal Program: comments, rules, the net,
one statement per line, and the command that prints the outputs. Nets of millions of agents go through NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from inbundle.nets.literals import float_texts
from inbundle.nets.program import VALUE_AGENT, Program
from inbundle.nets.rule_text import opening, rule_text
from inbundle.nets.scan import Role, Scan, Separator, scan_blocks

PRIVATE_NAME = re.compile(r"w+[0-9]+")
"""Names that the printer gives to private wires."""

_SEPARATOR = {
    Separator.NONE: "",
    Separator.PORT: ", ",
    Separator.TILDE: " ~ ",
    Separator.CONNECTION: ", ",
    Separator.STATEMENT: ";\n",
}


def to_script(program: Program, facts: Sequence[str] = ()) -> str:
    """The script. `facts` are lines of the comment at its top. Raises CompileError for values without a literal."""
    return "".join(script_parts(program, facts))


def script_parts(program: Program, facts: Sequence[str] = ()) -> Iterator[str]:
    """The script in pieces of moderate size."""
    yield "".join(f"// {line}".rstrip() + "\n" for line in _header(program, facts))
    yield from _rules(program)
    yield "\n// The net.\n"
    if program.input_values is not None:
        yield from _input_statements(program)
    words = _WordTexts(program)
    for block in scan_blocks(program):
        yield words.text_of(block)
    if program.outputs:
        yield f"\n// The outputs.\n{' '.join(program.outputs)};\n"


def _header(program: Program, facts: Sequence[str]) -> list[str]:
    dialect = "Inpla, float dialect" if program.dialect == "float" else "Inpla"
    return [f"{program.name}: an interaction net ({dialect}).", *facts]


def _rules(program: Program) -> Iterator[str]:
    agents = {agent.name: agent for agent in program.agents}
    for index, rule in enumerate(program.rules):
        if rule.comment or index == 0:
            yield "\n"
        if rule.comment:
            yield f"// {rule.comment}\n"
        yield rule_text(rule, agents) + "\n"


def _input_statements(program: Program) -> Iterator[str]:
    values = np.asarray(program.input_values).ravel()
    texts = float_texts(values) if program.dialect == "float" or values.dtype.kind == "f" else map(str, values)
    for name, text in zip(program.inputs, texts, strict=True):
        yield f"{name} ~ {VALUE_AGENT}({text});\n"


class _WordTexts:
    """The text of every word of the code, by tables; what stands between them comes from the scan."""

    def __init__(self, program: Program) -> None:
        self.names = program.net.names
        self.prefix = _private_prefix(program)
        self.agents = np.array([opening(agent.name, len(agent.ports)) for agent in program.agents], dtype=object)
        self.natives = np.array(
            [f"{native.name}(" if native.parameters else f"{native.name}()" for native in program.natives], dtype=object
        )

    def text_of(self, block: Scan) -> str:
        pieces = np.empty(2 * len(block.code), dtype=object)
        pieces[0::2] = self._words(block)
        pieces[1::2] = _separators(block)
        return "".join(pieces.tolist())

    def _words(self, block: Scan) -> np.ndarray:
        words = np.empty(len(block.code), dtype=object)
        words[block.role == Role.LITERAL] = ""
        at = {role: np.flatnonzero(block.role == role) for role in Role}
        words[at[Role.WIRE]] = self._wires(block.code[at[Role.WIRE]] >> 1)
        words[at[Role.AGENT]] = self.agents[block.code[at[Role.AGENT]] >> 1]
        words[at[Role.INT]] = list(map(str, block.code[at[Role.INT]].tolist()))
        words[at[Role.FLOAT]] = _float_words(block.code[at[Role.FLOAT]])
        words[at[Role.CALL]] = self.natives[block.code[at[Role.CALL]] - 1] if at[Role.CALL].size else []
        return words

    def _wires(self, wires: np.ndarray) -> list[str]:
        prefix, names = self.prefix, self.names
        return [names.get(wire) or f"{prefix}{wire}" for wire in wires.tolist()]


def _float_words(bits: np.ndarray) -> np.ndarray:
    """Texts of float32 bits; a net has far fewer values than literals."""
    distinct, index = np.unique(bits.astype(np.uint32), return_inverse=True)
    return np.array(float_texts(distinct.view(np.float32)), dtype=object)[index]


def _separators(block: Scan) -> np.ndarray:
    deepest = int(block.closes.max(initial=0))
    table = np.array([")" * closes + _SEPARATOR[s] for closes in range(deepest + 1) for s in Separator], dtype=object)
    pieces: np.ndarray = table[block.closes * len(Separator) + block.separator]
    return pieces


def _private_prefix(program: Program) -> str:
    """`w`, or more of them where an interface name or a small-letter agent would clash with a private wire's name."""
    taken = {*program.net.names.values(), *(agent.name for agent in program.agents)}
    prefix = "w"
    while any(re.fullmatch(f"{prefix}[0-9]+", name) for name in taken):
        prefix += "w"
    return prefix
