"""Layout of generated C statements: indentation by braces, blank lines where they belong, no index that nobody reads.

Templates hold statements without indentation, so that a template may open as many loops as a shape has dimensions. For
some shapes an index they compute is of no use (the row of a matrix with one row); those are taken out here.
"""

from __future__ import annotations

import re

INDENT = "    "
_CONTROL = re.compile(r"(for|if|while|else)\b.*[^;{]$")

_INDICES = re.compile(r"const inpla_int (.*);")
_NEXT_INDEX = re.compile(r", (?=\w+ = )")


def without_unused_indices(text: str) -> str:
    """The statements of `text` without the `const inpla_int` variables that no later statement of their block reads."""
    lines = [line.strip() for line in text.splitlines()]
    for number in range(len(lines) - 1, -1, -1):
        declaration = _INDICES.fullmatch(lines[number])
        if declaration:
            read = "\n".join(_rest_of_block(lines, number + 1))
            kept = _read_indices(_NEXT_INDEX.split(declaration[1]), read)
            lines[number : number + 1] = [f"const inpla_int {', '.join(kept)};"] if kept else []
    return "\n".join(lines)


def _rest_of_block(lines: list[str], first: int) -> list[str]:
    depth = 0
    for number in range(first, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        if depth < 0:
            return lines[first:number]
    return lines[first:]


def _read_indices(indices: list[str], read: str) -> list[str]:
    """Of the declarators `name = value`, those that `read` or a later declarator that stays names."""
    kept: list[str] = []
    for index in reversed(indices):
        if re.search(rf"\b{index.split(' ')[0]}\b", read):
            kept.insert(0, index)
            read += "\n" + index
    return kept


def indented(text: str, depth: int = 1) -> str:
    """The statements of `text`, one per line, indented by their braces from `depth` on.

    The statement after a `for` or `if` without a brace is indented too. Blank lines stay single, and none follows an
    opening brace.
    """
    lines: list[str] = []
    hanging = 0
    for statement in map(str.strip, without_unused_indices(text).splitlines()):
        if not statement:
            if lines and lines[-1] and not lines[-1].endswith("{"):
                lines.append("")
            continue
        depth -= statement.startswith("}")
        if statement.startswith("}") and not lines[-1]:
            lines.pop()
        lines.append(INDENT * (depth + hanging) + statement)
        hanging = hanging + 1 if _CONTROL.match(statement) else 0
        depth += statement.endswith("{")
    return "\n".join(lines).strip("\n") + "\n"
