"""Layout of generated C statements: indentation by braces, blank lines where they belong.

Templates hold statements without indentation, so that a template may open as many loops as a shape has dimensions.
"""

from __future__ import annotations

import re

INDENT = "    "
_CONTROL = re.compile(r"(for|if|while|else)\b.*[^;{]$")


def indented(text: str, depth: int = 1) -> str:
    """The statements of `text`, one per line, indented by their braces from `depth` on.

    The statement after a `for` or `if` without a brace is indented too. Blank lines stay single, and none follows an
    opening brace.
    """
    lines: list[str] = []
    hanging = 0
    for statement in map(str.strip, text.splitlines()):
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
