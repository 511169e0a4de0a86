"""The text of a pattern and where it stands, so that every error names line and column."""

from __future__ import annotations

from dataclasses import dataclass

from inbundle.errors import CompileError


@dataclass(frozen=True)
class PatternText:
    """A text in the pattern language.

    Attributes:
        place: the file, or the name of the pattern.
        line, column: where the text begins there, from 1.
        indent: columns in front of each further line.
        folded: its lines are not those of the file, so that only its beginning can be named.
    """

    text: str
    place: str = "pattern"
    line: int = 1
    column: int = 1
    indent: int = 0
    folded: bool = False

    def place_of(self, at: int = 0) -> str:
        """Place, line and column of offset `at` of the text."""
        at = 0 if self.folded else at
        lines = self.text.count("\n", 0, at)
        column = at - self.text.rfind("\n", 0, at)
        column += self.indent if lines else self.column - 1
        return f"{self.place}:{self.line + lines}:{column}"

    def error(self, at: int, message: str, hint: str = "") -> CompileError:
        """An error at offset `at` of the text."""
        return CompileError(message, where=(self.place_of(at),), hint=hint)
