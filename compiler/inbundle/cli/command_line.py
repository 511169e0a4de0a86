"""Command lines in the style of LLVM's `cl` library, which Glow's users have in their fingers.

`-opt=v`, `--opt=v`, `-opt v` and `--opt v` are equal. Booleans take no separate word. `@file` is replaced by the words
of the file. The built-in options are `-help -help-hidden -help-list -version -print-options -print-all-options`.
This module knows no option of ours; those are in `cli/flags.py`.
"""

from __future__ import annotations

import difflib
import enum
import shlex
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inbundle import __version__
from inbundle.errors import CompileError


class Kind(enum.Enum):
    """How an option's value is read."""

    BOOL = "bool"
    STRING = "string"
    INT = "int"
    UINT = "uint"
    ENUM = "enum"
    LIST = "list"
    COMMA_LIST = "comma list"


_TRUE = ("", "true", "TRUE", "True", "1")
_FALSE = ("false", "FALSE", "False", "0")


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        help: one line for `-help`.
        value: what stands for the value there, such as `path`; empty: the kind.
        choices: the spellings of an ENUM.
        required: an error when absent.
        hidden: shown by `-help-hidden` only.
        aliases: other names of the same option.
    """

    name: str
    kind: Kind
    help: str
    default: Any = None
    value: str = ""
    choices: tuple[str, ...] = ()
    required: bool = False
    hidden: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def is_list(self) -> bool:
        return self.kind in (Kind.LIST, Kind.COMMA_LIST)

    def read(self, text: str) -> Any:
        """The value that `text` stands for (for a list: of one occurrence, as a list)."""
        if self.kind is Kind.BOOL:
            if text in _TRUE or text in _FALSE:
                return text in _TRUE
            raise CompileError(
                f"'{text}' is invalid value for boolean option -{self.name}", hint="try 'true' or 'false'"
            )
        if self.kind in (Kind.INT, Kind.UINT):
            return self._number(text)
        if self.kind is Kind.ENUM and text not in self.choices:
            raise CompileError(
                f"cannot find option named '{text}' for -{self.name}", hint=f"choose from {', '.join(self.choices)}"
            )
        if self.kind is Kind.LIST:
            return [text]
        if self.kind is Kind.COMMA_LIST:
            return text.split(",")
        return text

    def _number(self, text: str) -> int:
        digits = text[1:] if text.startswith("-") else text
        base = 16 if digits[:2].lower() == "0x" else 8 if len(digits) > 1 and digits.startswith("0") else 10
        try:
            if not digits or digits[0] in "+-_ " or "_" in digits:
                raise ValueError(text)
            number = int(digits, base)
        except ValueError:
            raise CompileError(f"'{text}' is invalid value for integer option -{self.name}") from None
        if digits is not text:
            number = -number
        if self.kind is Kind.UINT and number < 0:
            raise CompileError(f"'{text}' is invalid value for unsigned option -{self.name}")
        return number


@dataclass
class ParsedCommandLine:
    """Values by option name (defaults filled in), which of them were given, and the positional words."""

    values: dict[str, Any]
    given: set[str] = field(default_factory=set)
    positional: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class CommandLine:
    """The options of one command."""

    def __init__(
        self,
        command: str,
        overview: str,
        options: Iterable[Option],
        *,
        positional: bool = False,
        elsewhere: Collection[str] = (),
    ) -> None:
        """`elsewhere`: names of options that Glow has and this command has not; the error says so."""
        self._elsewhere = elsewhere
        self.command = command
        self.overview = overview
        self.options = list(options)
        self.positional = positional
        self._by_name = {name: option for option in self.options for name in (option.name, *option.aliases)}

    def parse(self, words: Sequence[str]) -> ParsedCommandLine:
        """Reads the words after the command's name. The built-in options that print end the process with status 0.

        Raises:
            CompileError: unknown option, bad or missing value, missing required option, stray word.
        """
        parsed = ParsedCommandLine({o.name: list(o.default or []) if o.is_list else o.default for o in self.options})
        queue = _expand(words)
        printing = ""
        while queue:
            word = queue.pop(0)
            if word == "--":
                parsed.positional += queue
                break
            if word == "-" or not word.startswith("-"):
                parsed.positional.append(word)
                continue
            name, equals, text = word.lstrip("-").partition("=")
            if name in _BUILT_IN:
                printing = self._built_in(name) or printing
                continue
            option = self._find(word, name)
            if not equals and option.kind is not Kind.BOOL:
                if not queue:
                    raise CompileError(f"-{name}: requires a value", hint=f"write -{name}=<{option.value or 'value'}>")
                text = queue.pop(0)
            self._store(parsed, option, text)
        self._check(parsed)
        if printing:
            self._print_values(parsed, everything=printing == "print-all-options")
        return parsed

    def _find(self, word: str, name: str) -> Option:
        if name in self._by_name:
            return self._by_name[name]
        if name in self._elsewhere:
            raise CompileError(f"-{name} is an option of Glow that is not supported", hint="leave it out")
        near = difflib.get_close_matches(name, self._by_name, 1, 0.5)
        hint = f"did you mean -{near[0]}?" if near else f"'{self.command} -help' lists the options"
        raise CompileError(f"unknown command line argument '{word}'", hint=hint)

    def _store(self, parsed: ParsedCommandLine, option: Option, text: str) -> None:
        value = option.read(text)
        if option.is_list:
            if option.name not in parsed.given:
                parsed.values[option.name] = []
            parsed.values[option.name] += value
        elif option.name in parsed.given:
            raise CompileError(f"-{option.name}: may only occur zero or one times")
        else:
            parsed.values[option.name] = value
        parsed.given.add(option.name)

    def _check(self, parsed: ParsedCommandLine) -> None:
        if parsed.positional and not self.positional:
            stray = parsed.positional[0]
            raise CompileError(
                f"too many positional arguments specified: '{stray}'",
                hint=f"options start with '-', booleans are written -opt=false; see '{self.command} -help'",
            )
        for option in self.options:
            if option.required and option.name not in parsed.given:
                example = f"-{option.name}=<{option.value or 'value'}>"
                raise CompileError(f"-{option.name}: must be specified at least once", hint=f"add {example}")
            if option.required and parsed[option.name] == "":
                raise CompileError(f"-{option.name}: the value is empty", hint=f"write {_left_column(option).strip()}")

    # --- what prints ---------------------------------------------------------------------------------------------

    def _built_in(self, name: str) -> str:
        if name in ("help", "help-hidden", "help-list", "help-list-hidden"):
            self._leave(self.help_text(hidden=name.endswith("hidden")))
        if name == "version":
            self._leave(f"{self.command} (inbundle {__version__})\n")
        return name

    @staticmethod
    def _leave(text: str) -> None:
        sys.stdout.write(text)
        sys.exit(0)

    def help_text(self, *, hidden: bool = False) -> str:
        """What `-help` prints."""
        usage = f"USAGE: {self.command} [options]" + (" <files>" if self.positional else "")
        shown = sorted((o for o in self.options if hidden or not o.hidden), key=lambda o: o.name)
        rows: list[tuple[str, str]] = []
        for option in shown:
            rows.append((_left_column(option), option.help + _default_text(option)))
            rows += [(f"  -{alias}", f"alias of -{option.name}") for alias in option.aliases]
        rows += [(f"  -{name}", text) for name, text in _BUILT_IN.items() if hidden or "hidden" not in name]
        width = max(len(left) for left, _ in rows)
        lines = [f"{left:<{width}} - {text}" for left, text in rows]
        return "\n".join([f"OVERVIEW: {self.overview}", "", usage, "", "OPTIONS:", "", *lines]) + "\n"

    def _print_values(self, parsed: ParsedCommandLine, *, everything: bool) -> None:
        for option in self.options:
            if everything or option.name in parsed.given:
                print(f"  -{option.name} = {_value_text(parsed[option.name])}")


def _left_column(option: Option) -> str:
    if option.kind is Kind.BOOL:
        return f"  -{option.name}"
    return f"  -{option.name}=<{'|'.join(option.choices) or option.value or option.kind.value}>"


def _default_text(option: Option) -> str:
    return f" (default: {_value_text(option.default)})" if option.default not in (None, "", False) else ""


def _value_text(value: Any) -> str:
    """A value as one would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else "" if value is None else str(value)


_BUILT_IN = {
    "help": "Display available options (-help-hidden for more)",
    "help-hidden": "Display all available options",
    "help-list": "Display list of available options (-help-list-hidden for more)",
    "help-list-hidden": "Display list of all available options",
    "print-all-options": "Print all option values after command line parsing",
    "print-options": "Print non-default options after command line parsing",
    "version": "Display the version of this program",
}


def _expand(words: Sequence[str], depth: int = 0) -> list[str]:
    """`@file` words replaced by the words of the file, which may name further files."""
    result: list[str] = []
    for word in words:
        if not word.startswith("@"):
            result.append(word)
            continue
        if depth > 20:
            raise CompileError(f"response files nest too deeply at '{word}'", hint="does a file name itself?")
        try:
            inner = shlex.split(Path(word[1:]).read_text(encoding="utf-8"), comments=False)
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise CompileError(f"cannot read the response file '{word[1:]}'", hint=str(error)) from None
        result += _expand(inner, depth + 1)
    return result
