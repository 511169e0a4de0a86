"""A script's text: where its statements are, and errors with file, line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inbundle.errors import CompileError

_BLANKS = re.compile(r"(?:\s|//[^\n]*|/\*(?s:.)*?\*/)*")
_DELIMITER = re.compile(r";|//|/\*")
_ANY_DELIMITER = re.compile(r""";|//|/\*|"|[{}]|(?<![A-Za-z0-9_'.])(?:let|end)(?![A-Za-z0-9_'.])""")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_WORD = re.compile(r"><|<<|=>|[A-Za-z][A-Za-z0-9_'.]*|[0-9]+|\S")

_NOT_PLAIN = (
    (r"\[|:", "lists"),
    (r"%\s*[A-Za-z]", "function values (`%f`)"),
    (r"<<", "the abbreviation `<<`"),
    (r"\(?\s*\*[LR]", "reuse marks"),
    (r"let\b|\{", "`let` and braces around nets"),
    (r"(?:const|use|free|prnat|memstat|exit|ifce|interface)\b", "this command"),
    (r"rand\b", "`rand`"),
    (r"(?:int|float)\b|[0-9-]", "a number that is no port of an agent"),
    (r"\(", "tuples"),
)


@dataclass(frozen=True)
class Statement:
    """Text of a statement from its first word, without its `;`; `at` is its offset in the script."""

    text: str
    at: int


@dataclass(frozen=True)
class Source:
    """`path` is what error messages call the script."""

    text: str
    path: str

    def statements(self, start: int = 0) -> Iterator[Statement]:
        """The statements that are not empty, from an offset on."""
        first = self._first_word(start)
        while (end := self._end_of_statement(first)) is not None:
            if end > first:
                yield Statement(self.text[first:end], first)
            first = self._first_word(end + 1)
        if first < len(self.text):
            raise self.error(first, "syntax error, this statement has no `;' at its end")

    def _first_word(self, start: int) -> int:
        match = _BLANKS.match(self.text, start)
        return match.end() if match else start

    @cached_property
    def _delimiter(self) -> re.Pattern[str]:
        """Big nets are searched for what is in them."""
        return _ANY_DELIMITER if any(word in self.text for word in ('"', "{", "let")) else _DELIMITER

    def _end_of_statement(self, start: int) -> int | None:
        """The first `;` that does not separate bindings of a block."""
        at = start
        blocks = 0
        while match := self._delimiter.search(self.text, at):
            at = match.end()
            if match[0] == ";" and blocks == 0:
                return match.start()
            if match[0] in ("//", "/*"):
                at = self._end_of_comment(match)
            elif match[0] == '"':
                at = string.end() if (string := _STRING.match(self.text, match.start())) else at
            elif match[0] != ";":
                blocks = max(0, blocks + (1 if match[0] in ("{", "let") else -1))
        return None

    def _end_of_comment(self, opening: re.Match[str]) -> int:
        closing = "\n" if opening[0] == "//" else "*/"
        end = self.text.find(closing, opening.end())
        if end < 0 and closing == "*/":
            raise self.error(opening.start(), "this comment is not closed")
        return len(self.text) if end < 0 else end + len(closing)

    def error(self, at: int, message: str, hint: str = "") -> CompileError:
        """An error at an offset of the text."""
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return CompileError(message, where=(f"{self.path}:{line}:{column}",), hint=hint)

    def unexpected(self, at: int) -> CompileError:
        """The word at `at` does not belong there."""
        word = _WORD.match(self.text, at)
        return self.error(at, f"syntax error, unexpected `{word[0]}'" if word else "syntax error, unexpected end")

    def unexpected_in_net(self, at: int) -> CompileError:
        """The word at `at` does not belong into a plain net: Inpla that a bundle cannot hold, or no Inpla."""
        for pattern, what in _NOT_PLAIN:
            if re.compile(pattern).match(self.text, at):
                return self.not_typed(at, what)
        return self.unexpected(at)

    def not_typed(self, at: int, what: str) -> CompileError:
        """Inpla that a bundle cannot hold."""
        return self.error(at, f"a bundle cannot hold {what}", "`inpla-cc` compiles scripts in the whole language")
